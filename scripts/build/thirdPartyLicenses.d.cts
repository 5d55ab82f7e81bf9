export function thirdPartyLicenses(inputs: string[]): Promise<string>;

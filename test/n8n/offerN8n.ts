import { offerSharedN8n } from '../../scripts/n8n';

let withdraw: (() => Promise<void>) | undefined;

/** Before the first test file: lets all of them ask for the n8n that they share. */
export default async function offerN8n(): Promise<void> {
  withdraw = await offerSharedN8n();
}

/** After the last test file. */
export async function withdrawN8n(): Promise<void> {
  await withdraw?.();
}

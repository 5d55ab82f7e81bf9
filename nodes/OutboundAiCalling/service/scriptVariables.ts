/** Fields that requests and contacts have in the interface, and names that are unsafe. */
const REFUSED = new Set(
  [
    ...['scriptId', 'customerPhone', 'customerName', 'orderNumber', 'orderNotes', 'campaignName'],
    ...['contacts', 'csvText', 'phoneColumn', 'name', 'kind', 'startImmediately', 'maxConcurrency'],
    ...['phone', 'phone_number', '__proto__', 'constructor', 'prototype'],
  ].map((name) => name.toLowerCase()),
);

/** Values for the placeholders of a script, by the name of the placeholder. */
export type ScriptVariables = Record<string, string>;

/** Why a script variable cannot have this name; undefined when it can. */
export function objectionToVariableName(name: string): string | undefined {
  if (name.trim() === '') return 'A script variable has no name';
  if (REFUSED.has(name.trim().toLowerCase())) {
    return `"${name.trim()}" is a name that the calling service uses itself`;
  }
  return undefined;
}

/** Fields of calls and contacts, which fill the placeholders of their names. */
const CUSTOMER_FIELDS = ['customerName', 'orderNumber', 'orderNotes'];

/** What to do about placeholders of a script that have no value in a call, or in a contact of a campaign. */
export function adviceForMissing(names: readonly string[], of: 'call' | 'campaign'): string {
  const fields = of === 'call' ? [...CUSTOMER_FIELDS, 'campaignName'] : CUSTOMER_FIELDS;
  const own = names.filter((name) => objectionToVariableName(name) !== undefined);
  const variables = names.filter((name) => !own.includes(name)).join(', ');
  const filled = own.filter((name) => fields.includes(name)).join(', ');
  const used = own.filter((name) => !fields.includes(name)).join(', ');
  const whereFilled =
    of === 'call'
      ? `Fill in ${filled} under "Additional Fields".`
      : `Every contact needs ${filled}: fill it in under "Contact Fields", or in the list under this name.`;
  return [
    variables !== '' &&
      `Fill in ${variables} under "Script Variables". Where no field is shown for a name, add it under "More Variables" in the additional fields.`,
    filled !== '' && whereFilled,
    used !== '' &&
      `The calling service uses ${used} itself: give the placeholder another name in the script.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}

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

/** What to do about placeholders of a script that have no value. */
export function adviceForMissing(names: readonly string[]): string {
  const own = names.filter((name) => objectionToVariableName(name) !== undefined);
  const fill =
    'Fill in these names under "Script Variables". Where no field is shown for a name, add it under "More Variables" in the additional fields.';
  const rename = `The calling service uses ${own.join(', ')} itself: fill in the field of that name under "Additional Fields", or give the placeholder another name in the script.`;
  return [own.length < names.length ? fill : '', own.length > 0 ? rename : '']
    .filter((advice) => advice !== '')
    .join(' ');
}

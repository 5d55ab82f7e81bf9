/** Fields that trigger and create requests, or contacts, have in the interface. */
const FIELDS_OF_THE_INTERFACE = [
  'scriptId',
  'customerPhone',
  'customerName',
  'orderNumber',
  'orderNotes',
  'campaignName',
  'contacts',
  'csvText',
  'phoneColumn',
  'name',
  'kind',
  'startImmediately',
  'maxConcurrency',
  'phone',
  'phone_number',
];
const UNSAFE_NAMES = ['__proto__', 'constructor', 'prototype'];

const REFUSED = new Set([...FIELDS_OF_THE_INTERFACE, ...UNSAFE_NAMES].map((n) => n.toLowerCase()));

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

import type { INodeProperties } from 'n8n-workflow';
import { isCountry, readPhoneNumber, type DefaultCountry } from '../contacts/phoneNumber';
import type { ItemParameters } from './itemParameters';

export const customerPhone: INodeProperties = {
  displayName: 'Customer Phone',
  name: 'customerPhone',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. +12025550123',
  description: 'The number to call, with its country code, e.g. +12025550123',
};

export const defaultCountry: INodeProperties = {
  displayName: 'Default Country',
  name: 'defaultCountry',
  type: 'string',
  default: '',
  placeholder: 'e.g. IN',
  description:
    'Two-letter code of the country that phone numbers without a country code belong to. A number that may also be one of another country is refused. Leave empty to refuse all without a country code.',
};

export function readDefaultCountry(parameters: ItemParameters): DefaultCountry {
  if (!parameters.has('options.defaultCountry')) return undefined;
  const code = parameters.text('options.defaultCountry')?.trim().toUpperCase() ?? '';
  if (code === '') return undefined;
  if (isCountry(code)) return code;
  const advice = 'Enter the two letters of the country, e.g. IN.';
  parameters.refuse('Default Country', 'is not a country code', advice);
  return undefined;
}

/** The default country of all items; none when an expression gives it for each. */
export function readCommonCountry(parameters: ItemParameters): DefaultCountry {
  const isOfItem = parameters.isExpression('options.defaultCountry');
  return isOfItem ? undefined : readDefaultCountry(parameters);
}

/** Reads a number in E.164; empty after a mistake. `whenMissing` is the advice for none. */
export function readPhone(
  parameters: ItemParameters,
  path: string,
  displayName: string,
  whenMissing?: string,
  readCountry = readDefaultCountry,
): string {
  const value = parameters.value(path);
  const reading = readPhoneNumber(value, readCountry(parameters));
  if ('e164' in reading) return reading.e164;
  const isPlain = typeof value === 'string' || typeof value === 'number';
  const text = isPlain ? String(value).slice(0, 40) : '';
  const named = text === '' ? displayName : `${displayName} "${text}"`;
  parameters.refuse(named, reading.objection, text === '' ? whenMissing : undefined);
  return '';
}

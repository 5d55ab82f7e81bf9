import type { DueRow } from '../../../callLog/placing/dueRows';
import type { StoredSettings } from '../../../callLog/placing/loggedRequest';
import type { RowToPlace } from '../../../callLog/placing/rowToPlace';
import { writingsOf } from '../../../contacts/writings';
import { personOf } from '../../../contacts/person';
import { isCountry, readPhoneNumber } from '../../../contacts/phoneNumber';
import { readTimezone } from '../../../rules/hours';
import { StoredParameters } from '../../../rules/storedParameters';
import type { RuledCall } from '../../../rules/rule';
import { readRules, type Rules } from '../../../rules/rules';
import type { CallRequest } from '../../../service/callingService';
import { objectionToCustomerName, objectionToValueOf } from '../../../objections';

const NOT_THE_TEST_PHONE =
  'customerPhone is not the test phone of this test call. Use Schedule Call to call somebody else';

export interface DueCall extends RuledCall {
  row: RowToPlace;
  stored: StoredSettings;
  isTestCall: boolean;
  /** The IANA name of the time zone that it was scheduled in. */
  timezone: string;
  rules: Rules;
}

/**
 * Whether nobody rings of the person whom a call would ring, asked for one call after the other: each is taken
 * to ring then. Test calls all ring the builder's phone, side by side.
 *
 * @param ringing people whom calls ring now, as `DueRows.underWay` gives them
 */
export function isTheirTurn(ringing: ReadonlySet<string>): (call: DueCall) => boolean {
  const taken = new Set(ringing);
  return ({ isTestCall, request: { customerPhone } }) => {
    if (isTestCall) return true;
    if (writingsOf(customerPhone).some((writing) => taken.has(writing))) return false;
    taken.add(personOf(customerPhone));
    return true;
  };
}

/** Why the texts that a person sees in a row are none; undefined when they are sound. */
function objectionToTexts(request: CallRequest): string | undefined {
  for (const field of ['customerName', 'orderNumber', 'orderNotes', 'campaignName'] as const) {
    const objection = objectionToValueOf(field)(request[field]);
    if (objection !== undefined) return `${field} ${objection}`;
  }
  const noName = objectionToCustomerName(request.customerName ?? '');
  return noName && `customerName ${noName}`;
}

/**
 * Reads the call that a row stores. A person may have edited the row, so it checks the values as an
 * item's values are checked.
 *
 * @returns `nonsense` says in plain words why the call of this row cannot be placed
 */
export function readDueCall(due: DueRow): DueCall | { nonsense: string } {
  const { row, stored, request: asked } = due;
  const timezone = readTimezone(stored.settings?.timezone);
  if (timezone === undefined) return { nonsense: 'request does not hold a time zone' };
  if (stored.rules === undefined) return { nonsense: 'request does not hold the rules' };
  const { defaultCountry } = stored.settings ?? {};
  const country =
    typeof defaultCountry === 'string' && isCountry(defaultCountry) ? defaultCountry : undefined;
  const phone = readPhoneNumber(asked.customerPhone, country);
  if (!('e164' in phone)) return { nonsense: `customerPhone ${phone.objection}` };
  const isTestCall = stored.testCall === true;
  // No rule protects another phone.
  if (isTestCall && personOf(phone.e164) !== personOf(stored.dialled ?? '')) {
    return { nonsense: NOT_THE_TEST_PHONE };
  }
  const nonsense = objectionToTexts(asked);
  if (nonsense !== undefined) return { nonsense };
  const mistakes: string[] = [];
  const locality = { timezone, defaultCountry: country };
  const note = (parameter: string, message: string) => {
    mistakes.push(`${parameter} ${message}`);
  };
  const parameters = new StoredParameters(stored.rules, locality, note, { isDue: true });
  const request = { ...asked, customerPhone: phone.e164 };
  // Rules read `row` to see whether the call is marked as about to be placed.
  const call = { request, row, stored, timezone, isTestCall };
  const rules = readRules(parameters, call);
  return mistakes.length > 0 ? { nonsense: mistakes.join('; ') } : { ...call, rules };
}

import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { isRecord } from '../http/json';
import { NothingSent } from '../service/failure';
import { readNumber } from '../values';

export const maxCalls: INodeProperties = {
  displayName: 'Max Calls',
  name: 'maxCalls',
  type: 'number',
  typeOptions: { minValue: 1, numberPrecision: 0 },
  default: 100,
  description:
    'Fail before the first call when more items than this arrive in one run. An AI agent places no more calls than this in one execution.',
};

export const maxCallsToSchedule: INodeProperties = {
  ...maxCalls,
  description:
    'Schedule nothing and fail when more items than this arrive in one run. An AI agent schedules no more calls than this in one execution.',
};

/**
 * Stops a mistake: a query that gave far more items than intended. It counts all items together, so
 * it is no rule that is asked for each call.
 *
 * @throws NothingSent when there are more calls than "Max Calls" allows, or it is no number
 */
export function refuseTooManyCalls(context: IExecuteFunctions, calls: number): void {
  const raw = context.getNode().parameters.rules;
  // Read this entry alone if possible: an expression of another entry may fail, and its own reading
  // reports that.
  const rules: unknown = isRecord(raw) ? raw : context.getNodeParameter('rules', 0, {});
  if (!isRecord(rules) || !('maxCalls' in rules)) return;
  const given = isRecord(raw)
    ? context.getNodeParameter('rules.maxCalls', 0, null)
    : rules.maxCalls;
  const cap = readNumber(given, { min: 1, max: Infinity, whole: true });
  if (cap === undefined) {
    throw new NothingSent(
      '"Max Calls" is not a whole number of at least 1',
      'Correct "Max Calls" under "Rules", or remove it.',
    );
  }
  if (calls <= cap) return;
  throw new NothingSent(
    `${calls} calls are more than "Max Calls" allows (${cap})`,
    'Check where the items come from, or raise "Max Calls" under "Rules".',
  );
}

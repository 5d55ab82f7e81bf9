import type { INodeProperties } from 'n8n-workflow';
import type { ItemParameters } from '../itemParameters';
import { LATEST_MS } from '../../callLog/placing/dueRows';
import { isBlank } from '../../values';
import { readTime } from '../times';

const NAME = 'Call At';
const DAY_MS = 24 * 3_600_000;

export const callAt: INodeProperties = {
  displayName: NAME,
  name: 'callAt',
  type: 'dateTime',
  default: '',
  description:
    'The earliest time of the call, e.g. 2026-11-21T18:00, by the time zone of the workflow',
  hint: 'Empty: as soon as possible',
};

/**
 * Reads when a call is due. It accepts a time up to a day ago, because a workflow may run late.
 *
 * @param hasHours whether calling hours say when on a day the call is placed
 * @returns milliseconds since 1970; `now` when the field is empty
 */
export function readCallAt(parameters: ItemParameters, now: number, hasHours: boolean): number {
  if (parameters.isLeftEmpty('callAt')) return now;
  const given = parameters.value('callAt');
  if (isBlank(given)) {
    parameters.refuse(
      NAME,
      'has an expression that gives nothing',
      'Check the name of the column. To call as soon as possible, leave the field empty, or have the expression give {{ $now }}.',
    );
    return now;
  }
  const time = readTime(given, parameters.workflowTimezone);
  const isText = typeof given === 'string' || typeof given === 'number';
  const name = NAME + (isText ? ` "${given}"`.slice(0, 40) : '');
  if (time === undefined) {
    parameters.refuse(
      name,
      'is no date and time',
      'Choose a time, or give one like 2026-12-31T09:00. Leave the field empty to call as soon as possible.',
    );
    return now;
  }
  if (time.day !== undefined && time.at > now && !hasHours) {
    parameters.refuse(
      name,
      'is a day without a time of day: the phone would ring at midnight',
      'Give a time as well, like 2026-12-31T09:00, or add the rule "Calling Hours": the call then waits for them.',
    );
  }
  if (time.at < now - DAY_MS) {
    parameters.refuse(
      name,
      'lies more than a day in the past',
      'Give a later time, or leave it empty to call as soon as possible.',
    );
  }
  if (time.at > now + LATEST_MS) {
    parameters.refuse(
      name,
      'lies more than ten years ahead',
      'Give an earlier time, or leave it empty to call as soon as possible.',
    );
  }
  return time.at;
}

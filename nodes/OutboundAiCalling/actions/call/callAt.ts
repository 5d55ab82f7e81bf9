import type { INodeProperties } from 'n8n-workflow';
import { DAY_MS, HOUR_MS, startOfDay } from '../../clocks';
import type { ItemParameters } from '../itemParameters';
import { LATEST_MS } from '../../callLog/placing/dueRows';
import { isBlank } from '../../values';
import { readTime } from '../times';

const NAME = 'Call At';
/** The longest name within an error, in characters; it quotes what was given. */
const LONGEST_NAME = 47;
/** A row whose time is a day older than the row itself is not placed: lists take time to be written. */
const OLDEST_MS = 23 * HOUR_MS;

export const callAt: INodeProperties = {
  displayName: NAME,
  name: 'callAt',
  type: 'dateTime',
  default: '',
  description:
    'The earliest time of the call, e.g. 2026-11-21T18:00, by the time zone of the workflow. A date alone, or midnight, needs the rule Calling Hours.',
  hint: 'Empty: as soon as possible',
};

/** Times in milliseconds since 1970. */
export interface DueTime {
  dueAt: number;
  /** The instant that was given, when it counts as a day and the call is due at another time. */
  otherwise?: number;
}

/**
 * Reads when a call is due. It accepts a time up to a day ago, because a workflow may run late, and a day that is
 * not over yet by the clock of the workflow or by one of `clocks`. Calling hours say when on a day the call is placed.
 * Nobody is called before that day has begun on all of their clocks.
 *
 * @param clocks the time zones of the calling hours; empty without hours
 * @returns `now` when the field is empty, and in place of a time that its row would be too young for
 */
export function readCallAt(
  parameters: ItemParameters,
  now: number,
  clocks: readonly string[],
): DueTime {
  if (parameters.isLeftEmpty('callAt')) return { dueAt: now };
  const given = parameters.value('callAt');
  const isText = typeof given === 'string' || typeof given === 'number';
  const name = isText && !isBlank(given) ? `${NAME} "${given}"`.slice(0, LONGEST_NAME) : NAME;
  const refuse = (message: string, advice: string) => {
    parameters.refuse(name, message, advice);
    return { dueAt: now };
  };
  if (isBlank(given)) {
    return refuse(
      'has an expression that gives nothing',
      'Check the name of the column. To call as soon as possible, leave the field empty, or have the expression give {{ $now }}.',
    );
  }
  const time = readTime(given, parameters.workflowTimezone, clocks);
  if (time === undefined) {
    return refuse(
      'is no date and time',
      'Choose a time, or give one like 2026-12-31T09:00. Leave the field empty to call as soon as possible.',
    );
  }
  const { day, instant } = time;
  if (day !== undefined && clocks.length === 0) {
    refuse(
      `is a day without a time of day: the phone would ring ${time.at > now ? 'at midnight' : 'at once, also at night'}`,
      'Give a time as well, like 2026-12-31T09:00, or add the rule "Calling Hours": the call then waits for them.',
    );
  }
  const timezones = [parameters.workflowTimezone, ...clocks];
  const countsUntil =
    day === undefined
      ? time.at + DAY_MS
      : Math.max(...timezones.map((timezone) => startOfDay(day, timezone, 1)));
  if (countsUntil < now) {
    const advice = 'Give a later time, or leave it empty to call as soon as possible.';
    refuse('lies more than a day in the past', advice);
  }
  if (time.at > now + LATEST_MS) {
    const advice = 'Give an earlier time, or leave it empty to call as soon as possible.';
    refuse('lies more than ten years ahead', advice);
  }
  const dueFrom = (at: number) => (at < now - OLDEST_MS ? now : at);
  if (day === undefined || clocks.length === 0) return { dueAt: dueFrom(time.at) };
  const begins = Math.max(...clocks.map((timezone) => startOfDay(day, timezone)));
  const isOther = instant !== undefined && instant !== begins;
  return { dueAt: dueFrom(begins), ...(isOther ? { otherwise: instant } : {}) };
}

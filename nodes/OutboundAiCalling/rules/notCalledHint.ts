import { groupBy } from '../collections';
import { isForGood, type Objection } from './rule';

const IN_WORDS: Record<Objection['reason'], string> = {
  doNotCall: 'on the do-not-call list',
  outsideCallingHours: 'outside calling hours',
  duplicate: 'called or scheduled before',
  dailyCap: 'over a daily cap',
  cancelled: 'cancelled or changed in the call log',
  earlierTry: 'called or scheduled by an earlier try, or possibly so',
};

function clockTime(time: number, timezone: string): string {
  const format = (parts: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: timezone, ...parts });
  const date = format({ dateStyle: 'short' });
  const isToday = date.format(time) === date.format(Date.now());
  const weekday = isToday ? {} : { weekday: 'short' as const };
  return format({ ...weekday, hour: '2-digit', minute: '2-digit' }).format(time);
}

interface Counts {
  /** How many people were to be called. */
  calls: number;
  /** How many of them were not called because their items failed. */
  failed?: number;
  /** IANA name of the time zone for times that have none of their own. */
  timezone: string;
  isDryRun?: boolean;
}

/**
 * How many people were not called and why, in one line: `7 of 20 not called: 5 outside calling hours
 * (next 09:00), 2 on the do-not-call list`.
 *
 * @returns undefined when everybody was called
 */
export function notCalledHint(
  objections: Objection[],
  { calls, failed = 0, timezone, isDryRun = false }: Counts,
): string | undefined {
  if (objections.length + failed === 0) return undefined;
  // Of two calls with known keys, one key may be that of another person.
  const inGroups = groupBy(objections, ({ reason, words }) =>
    reason === 'duplicate' ? (words ?? reason) : reason,
  );
  const reasons = [...inGroups.values()].map((some) => {
    const { reason } = some[0] as Objection;
    const [next] = some
      .flatMap(({ nextAllowedAt: at, timezone: zone = timezone }) =>
        at === undefined ? [] : [{ at, zone }],
      )
      .sort((a, b) => a.at - b.at);
    const isTold = (one: Objection) => isForGood(one) || reason === 'duplicate';
    const notes = new Set(some.flatMap((one) => (isTold(one) ? (one.words ?? []) : [])));
    if (next !== undefined) notes.add(`next ${clockTime(next.at, next.zone)}`);
    const more = notes.size === 0 ? '' : ` (${[...notes].join('; ')})`;
    return { count: some.length, words: `${IN_WORDS[reason]}${more}` };
  });
  if (failed > 0) reasons.push({ count: failed, words: 'failed' });
  const parts = reasons
    .sort((a, b) => b.count - a.count)
    .map(({ count, words }) => `${count} ${words}`);
  const what = isDryRun ? 'would not be called' : 'not called';
  return `${objections.length + failed} of ${calls} ${what}: ${parts.join(', ')}`;
}

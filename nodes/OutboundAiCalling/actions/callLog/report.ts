import { MAYBE_PLACED, type CallTally, type GroupBy } from '../../callLog/reading/callTally';
import { dayInWords } from './dayChart';

/** The numbers of some calls, as a report shows them. */
export interface ReportCounts {
  /** Calls that the service has accepted. */
  calls: number;
  reached: number;
  /** The part of `calls` that has not ended. */
  open: number;
  /** The part of `calls` whose outcome never came. */
  givenUp: number;
  /** Not counted in `calls`. */
  maybePlaced: number;
  /** Null when calls have ended, and none says how long it was. */
  minutes: number | null;
  /** In the billing currency of the account; null when no call says what it cost. */
  cost: number | null;
  /** The part of `calls` that has ended without a known cost: `cost` lacks theirs. */
  unpriced: number;
  /** `cost` by `reached`; null when nobody was reached, or no cost is known. */
  costPerReached: number | null;
}

interface ReportTotals extends ReportCounts {
  /** How many calls ended in the period without being placed: nobody was called. Not counted in `calls`. */
  notPlaced: number;
}

export interface ReportGroup extends ReportCounts {
  /** The day as `YYYY-MM-DD`, the key of the outcome, or the script ID. */
  key: string;
  label: string;
  /** How many calls ended with each outcome, by its key. */
  outcomes: Record<string, number>;
}

export interface Report {
  /** ISO 8601 with the offset of the time zone. */
  from: string;
  to: string;
  timezone: string;
  groupBy: GroupBy;
  totals: ReportTotals;
  groups: ReportGroup[];
}

export interface ReportOutput extends Report {
  /** One HTML page that loads no other file. */
  html: string;
}

/** Also the most digits that the page shows. */
export const MINUTE_DIGITS = 2;
export const MONEY_DIGITS = 4;

const rounded = (value: number | null, digits: number) =>
  value === null ? null : Number(value.toFixed(digits));

function countsOf(tally: CallTally): ReportCounts {
  const { calls, reached, open, givenUp, maybePlaced, seconds, cost } = tally;
  const total = calls === 0 ? 0 : cost.total;
  const length = calls === 0 ? 0 : seconds.total;
  return {
    calls,
    reached,
    open,
    givenUp,
    maybePlaced,
    minutes: rounded(length === null ? null : length / 60, MINUTE_DIGITS),
    cost: rounded(total, MONEY_DIGITS),
    unpriced: cost.unknown,
    costPerReached: rounded(total === null || reached === 0 ? null : total / reached, MONEY_DIGITS),
  };
}

export function totalsOf(tally: CallTally): ReportTotals {
  return { ...countsOf(tally), notPlaced: tally.notPlaced };
}

function labelOf(key: string, tally: CallTally, groupBy: GroupBy): string {
  if (groupBy === 'day') return dayInWords(key);
  if (groupBy === 'script') return key === '' ? 'No script' : `Script ${key}`;
  return tally.outcomes.get(key)?.label ?? MAYBE_PLACED.label;
}

/** Makes groups of tallies: days in order, outcomes and scripts with the most calls first. */
export function groupsOf(tallies: ReadonlyMap<string, CallTally>, groupBy: GroupBy): ReportGroup[] {
  const all = [...tallies].map(([key, tally]) => ({
    key,
    label: labelOf(key, tally, groupBy),
    ...countsOf(tally),
    outcomes: Object.fromEntries(
      [...tally.outcomes].map(([outcome, { calls }]) => [outcome, calls]),
    ),
  }));
  const byKey = (a: ReportGroup, b: ReportGroup) => (a.key < b.key ? -1 : 1);
  return groupBy === 'day' ? all.sort(byKey) : all.sort((a, b) => b.calls - a.calls || byKey(a, b));
}

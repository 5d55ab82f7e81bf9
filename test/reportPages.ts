import { CallTallies, type GroupBy } from '../nodes/OutboundAiCalling/callLog/reading/callTally';
import { NOT_REACHED } from '../nodes/OutboundAiCalling/callLog/rowFacts';
import type { Row } from '../nodes/OutboundAiCalling/dataTables/dataTables';
import { groupsOf, totalsOf } from '../nodes/OutboundAiCalling/actions/callLog/report';
import { reportPage } from '../nodes/OutboundAiCalling/actions/callLog/reportPage';
import { dayIn, isoIn } from '../nodes/OutboundAiCalling/clocks';

const DAY_MS = 86_400_000;
const TIMEZONE = 'Asia/Kolkata';
const LAST = Date.UTC(2026, 10, 21, 12);

/** Text that would be code if anything let it. */
export const HOSTILE = `</title></style><script>alert(1)</script><img src=x onerror=alert(1)>"'&\u0000\ud800`;

/** The report page of rows, which were placed within so many days. */
export function pageOf(
  rows: Array<Partial<Row>>,
  { days = 30, groupBy = 'day' as GroupBy, table = 'Calls' } = {},
): string {
  const from = LAST - (days - 1) * DAY_MS;
  const notReached = new Set(NOT_REACHED);
  const dayOf = (at: number) => dayIn(at, TIMEZONE);
  const calls = new CallTallies({ from, to: LAST, groupBy, dayOf, notReached });
  rows.forEach((row, index) => calls.add({ callId: `${index}`, ...row, id: index + 1 }));
  for (const call of calls.decided()) calls.count(call);
  const report = {
    from: isoIn(from, TIMEZONE),
    to: isoIn(LAST, TIMEZONE),
    timezone: TIMEZONE,
    groupBy,
    totals: totalsOf(calls.totals),
    groups: groupsOf(calls.groups, groupBy),
  };
  return reportPage(report, { table, notReached, calls, warnings: [] });
}

const OUTCOMES = [
  'Order confirmed',
  'no_answer',
  'Not Interested',
  'voicemail',
  'Callback requested',
];

/** Ended calls on each of the last days, more on some than on others. */
export function callsOf(days: number, columns: Partial<Row> = {}): Array<Partial<Row>> {
  return Array.from({ length: days }, (_, day) =>
    Array.from({ length: 4 + ((day * 7) % 23) }, (__, index) => {
      const outcome = OUTCOMES[(index * index + day) % OUTCOMES.length] ?? '';
      return {
        status: 'completed',
        outcome,
        outcomeKey: outcome.toLowerCase().replaceAll(' ', '_'),
        cost: 1.25,
        durationSec: 48 + index,
        scriptId: 7 + (index % 3),
        triggeredAt: new Date(LAST - day * DAY_MS).toISOString(),
        finishedAt: new Date(LAST - day * DAY_MS).toISOString(),
        ...columns,
      };
    }),
  ).flat();
}

const LONG = 'The customer would like to be called again by a person from the shop on Monday';

/** The pages that are looked at: what is usual, and what could break their layout. */
export const PAGES: Record<string, string> = {
  month: pageOf([
    ...callsOf(30),
    ...callsOf(1, {
      status: 'in_progress',
      finishedAt: null,
      outcome: null,
      outcomeKey: null,
      cost: null,
    }),
    ...callsOf(1, { status: 'maybe_placed', outcome: null, outcomeKey: null }),
    ...callsOf(1, { status: 'given_up', outcome: null, outcomeKey: null, cost: null }),
  ]),
  'long labels': pageOf(
    callsOf(20).map((row, index) => ({
      ...row,
      cost: 1_234_567.891,
      durationSec: 999_999,
      ...(index % 3 === 0 ? { outcome: LONG, outcomeKey: 'long' } : {}),
      ...(index % 7 === 0 ? { outcome: 'W'.repeat(90), outcomeKey: 'unbroken' } : {}),
    })),
    { groupBy: 'outcome', table: 'T'.repeat(100) },
  ),
  '400 days': pageOf(callsOf(400), { days: 400 }),
  'one day': pageOf(callsOf(1), { days: 1 }),
  'no calls': pageOf([]),
  'no cost': pageOf(callsOf(12, { cost: null }), { days: 62 }),
  scripts: pageOf(callsOf(9), { days: 14, groupBy: 'script' }),
  hostile: pageOf(
    callsOf(3, { outcome: HOSTILE, outcomeKey: HOSTILE, scriptId: HOSTILE as unknown as number }),
    { days: 7, groupBy: 'script', table: HOSTILE },
  ),
};

import { NOT_REACHED } from '../../nodes/OutboundAiCalling/callLog/rowFacts';
import { CallTallies, type GroupBy } from '../../nodes/OutboundAiCalling/callLog/reading/callTally';
import type { Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { outcomeKey as keyOfLabel } from '../../nodes/OutboundAiCalling/service/outcome';
import { fc, runs, seed } from '../generators';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 1);
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const request = (groupBy: GroupBy) => ({
  from: START,
  to: START + 10 * DAY_MS,
  groupBy,
  dayOf,
  notReached: new Set(NOT_REACHED),
});

function reportOf(rows: Row[], groupBy: GroupBy = 'day'): CallTallies {
  const report = new CallTallies(request(groupBy));
  for (const row of rows) report.add(row);
  for (const call of report.decided()) report.count(call);
  return report;
}

let ids = 0;
const row = (columns: Partial<Row>): Row => ({
  id: ++ids,
  callId: `call-${ids}`,
  attempt: 1,
  status: 'completed',
  outcome: 'Confirmed',
  outcomeKey: 'confirmed',
  triggeredAt: new Date(START + DAY_MS).toISOString(),
  finishedAt: columns.status === 'in_progress' ? null : new Date(START + DAY_MS).toISOString(),
  ...columns,
});

describe('a report of calls', () => {
  it('counts a call that the service calls canceled, though another row of it is in doubt', () => {
    const rows = [
      row({ callId: 'one', status: 'canceled', orderId: '7', outcome: null, outcomeKey: null }),
      row({ callId: 'one', status: 'maybe_placed', outcome: null, outcomeKey: null }),
    ];
    for (const some of [rows, rows.toReversed()]) {
      expect(reportOf(some).totals).toMatchObject({ calls: 1, maybePlaced: 0 });
    }
  });

  it.each([' ', 'null', 'N/A', '(none)', null])(
    'has no outcome to count where a person has written %j over it, whatever its key is',
    (outcome) => {
      const { totals } = reportOf([
        row({ outcome, outcomeKey: ' ' }),
        row({ outcome, outcomeKey: 'voicemail' }),
        row({ outcome, outcomeKey: 'confirmed' }),
      ]);
      expect(totals).toMatchObject({ calls: 3, reached: 0 });
      expect([...totals.outcomes.keys()]).toEqual(['completed']);
    },
  );

  it('counts a call that rings, although a person has cancelled it, before a row that is in doubt', () => {
    const rings = { orderId: '7', runAt: START, finishedAt: null, outcome: null, outcomeKey: null };
    const rows = [
      row({ callId: 'one', status: 'cancelled', ...rings }),
      row({ callId: 'one', status: 'maybe_placed', outcome: null, outcomeKey: null }),
    ];
    for (const some of [rows, rows.toReversed()]) {
      expect(reportOf(some).totals).toMatchObject({ calls: 1, open: 1, maybePlaced: 0 });
    }
  });

  it('counts an attempt that was not placed when the attempt before has planned it, and else not', () => {
    const next = new Date(START + DAY_MS).toISOString();
    const report = (nextAttemptAt: string | null) =>
      reportOf([
        row({ callId: 'one', attempt: 2, status: 'cancelled', outcome: null }),
        row({ callId: 'one', orderId: '7', nextAttemptAt }),
      ]).totals;
    expect(report(next)).toMatchObject({ calls: 1, notPlaced: 1 });
    expect(report(null)).toMatchObject({ calls: 1, notPlaced: 0 });
  });

  it('tells apart what was reached, goes on, was given up, and may have been placed', () => {
    const { totals } = reportOf([
      row({ cost: 2, durationSec: 30, finishedAt: new Date(START).toISOString() }),
      row({ outcome: 'No answer', outcomeKey: 'no_answer', cost: 0.5 }),
      row({ status: 'failed', outcome: 'Confirmed' }),
      row({ outcome: null, outcomeKey: null }),
      row({ status: 'in_progress', outcome: null, outcomeKey: null }),
      row({ status: 'given_up', outcome: null, outcomeKey: null }),
      row({ status: 'maybe_placed', outcome: null, outcomeKey: null }),
      row({ status: 'placing', outcome: null, outcomeKey: null }),
      ...['not_placed', 'scheduled', 'cancelled', '', null].map((status) => row({ status })),
    ]);
    expect(totals).toMatchObject({
      ...{ calls: 6, reached: 1, open: 1, givenUp: 1, maybePlaced: 2, notPlaced: 2 },
      ...{ seconds: { total: 30, unknown: 3 }, cost: { total: 2.5, unknown: 2 } },
    });
    expect(Object.fromEntries(totals.outcomes)).toEqual({
      confirmed: { label: 'Confirmed', calls: 2, reached: 1 },
      no_answer: { label: 'No answer', calls: 1, reached: 0 },
      completed: { label: 'Completed', calls: 1, reached: 0 },
      in_progress: { label: 'In progress', calls: 1, reached: 0 },
      given_up: { label: 'Given up', calls: 1, reached: 0 },
    });
  });

  it('counts as reached whom a service reached in its own words', () => {
    const statuses = ['ended', 'Success', 'finished', 'done', 'no_answer', 'blocked'];
    const { totals } = reportOf(statuses.map((status) => row({ status })));
    expect(totals).toMatchObject({ calls: 6, reached: 4 });
  });

  it('counts an outcome that a person has corrected under its own name', () => {
    const unanswered = { outcome: 'No answer', outcomeKey: 'no_answer' };
    const corrected = { ...unanswered, outcome: 'Confirmed' };
    const { totals } = reportOf([row(corrected), row(unanswered), row(unanswered)]);
    expect(Object.fromEntries(totals.outcomes)).toEqual({
      confirmed: { label: 'Confirmed', calls: 1, reached: 1 },
      no_answer: { label: 'No answer', calls: 2, reached: 0 },
    });
  });

  it('counts no calls to a test phone', () => {
    const request = JSON.stringify({ scriptId: 7, testCall: true });
    const { totals, days } = reportOf(
      ['completed', 'in_progress', 'maybe_placed'].map((status) => row({ status, request })),
    );
    expect([totals.calls, totals.maybePlaced, days.size]).toEqual([0, 0, 0]);
  });

  it('counts a call with several rows once, by the one that tells most', () => {
    const open = row({ callId: 'one', status: 'in_progress', outcome: null, outcomeKey: null });
    const ended = row({ callId: 'one', cost: 1 });
    for (const rows of [
      [open, ended],
      [ended, open],
      [ended, ended, open],
    ]) {
      expect(reportOf(rows).totals).toMatchObject({
        calls: 1,
        reached: 1,
        open: 0,
        cost: { total: 1 },
      });
    }
    expect(
      reportOf([row({ callId: 'one' }), row({ callId: 'one', attempt: 2 })]).totals.calls,
    ).toBe(2);
  });

  it('counts an attempt that was not placed once, and only when no other row of it counts more', () => {
    const unplaced = { status: 'not_placed', orderId: null, outcome: null, outcomeKey: null };
    const rows = [
      row({ callId: 'one' }),
      row({ callId: 'one', ...unplaced }),
      row({ callId: 'two', ...unplaced }),
      row({ callId: 'two', ...unplaced, status: 'cancelled' }),
      row({ callId: 'rang', status: 'cancelled', orderId: '7', outcome: null }),
      row({ callId: 'still to come', status: 'scheduled' }),
      row({ callId: 'before', ...unplaced, finishedAt: new Date(START - 1).toISOString() }),
    ];
    for (const some of [rows, rows.toReversed()]) {
      expect(reportOf(some).totals).toMatchObject({ calls: 2, notPlaced: 1 });
    }
  });

  it.each([-1, null])('knows no sum of lengths and costs that are all %j', (unknown) => {
    const { totals } = reportOf([row({ durationSec: unknown, cost: unknown }), row({})]);
    const none = { total: null, unknown: 2 };
    expect(totals).toMatchObject({ seconds: none, cost: none });
    expect(reportOf([row({ durationSec: 0, cost: 0 })]).totals).toMatchObject({
      ...{ seconds: { total: 0, unknown: 0 }, cost: { total: 0, unknown: 0 } },
    });
  });

  it('counts together what a service with a label for every call would make endless', () => {
    const rows = Array.from({ length: 2_000 }, (_, index) =>
      row({ outcome: `Label ${index}`, outcomeKey: `label_${index}` }),
    );
    const { groups, totals } = reportOf(rows, 'outcome');
    expect([groups.size, totals.outcomes.size, totals.reached]).toEqual([501, 501, 2_000]);
    expect(totals.outcomes.get('other')).toEqual({
      label: 'Other outcomes',
      calls: 1_500,
      reached: 1_500,
    });
  });

  it('groups by day, outcome or script', () => {
    const rows = [
      row({ scriptId: 7 }),
      row({ scriptId: 8, triggeredAt: new Date(START + 2 * DAY_MS).toISOString() }),
      row({ scriptId: null, status: 'maybe_placed', outcome: null, outcomeKey: null }),
    ];
    const keys = (groupBy: GroupBy) => [...reportOf(rows, groupBy).groups.keys()].sort();
    expect(keys('day')).toEqual(['2026-11-02', '2026-11-03']);
    expect(keys('outcome')).toEqual(['confirmed', 'maybe_placed']);
    expect(keys('script')).toEqual(['', '7', '8']);
  });

  const anyRow = fc.record({
    id: fc.nat(),
    callId: fc.constantFrom('a', 'b', 'c', 'd', null, undefined),
    attempt: fc.constantFrom(1, 2, null, 'x'),
    status: fc.oneof(
      fc.constantFrom('completed', 'Completed', 'failed', 'in_progress', 'given_up', 'busy'),
      fc.constantFrom('maybe_placed', 'placing', 'not_placed', 'scheduled', 'cancelled', null, ''),
    ),
    outcome: fc.constantFrom('Confirmed', 'no_answer', '__proto__', ' ', null),
    outcomeKey: fc.constantFrom('confirmed', 'no_answer', 'toString', null, undefined),
    triggeredAt: fc.option(
      fc
        .date({
          min: new Date(START - 3 * DAY_MS),
          max: new Date(START + 13 * DAY_MS),
          noInvalidDate: true,
        })
        .map((date) => date.toISOString()),
    ),
    dueAt: fc.constantFrom(new Date(START + DAY_MS).toISOString(), 'nonsense', null),
    finishedAt: fc.constantFrom(new Date(START + DAY_MS).toISOString(), null),
    durationSec: fc.oneof(fc.double({ noNaN: true, min: -1, max: 9_999 }), fc.constant(null)),
    cost: fc.oneof(fc.integer({ min: 0, max: 99 }), fc.constantFrom(null, 'x', NaN)),
    scriptId: fc.constantFrom(7, 8, null),
  });

  it(`gives the same in any order, and groups that add up to the totals (seed ${seed})`, () => {
    fc.assert(
      fc.property(
        fc.array(anyRow, { maxLength: 30 }),
        fc.constantFrom<GroupBy>('day', 'outcome', 'script'),
        (drawn, groupBy) => {
          // One row a call, as they are when nothing was interrupted.
          const rows = (drawn as unknown as Row[]).map((one, index) => ({
            ...one,
            callId: `call-${index}`,
          }));
          const there = reportOf(rows, groupBy);
          const back = reportOf([...rows].reverse(), groupBy);
          const plain = ({ totals: { outcomes, ...numbers } }: CallTallies) => ({
            ...numbers,
            cost: { ...numbers.cost, sum: Math.round(numbers.cost.sum) },
            seconds: { ...numbers.seconds, sum: Math.round(numbers.seconds.sum * 1000) },
            outcomes: [...outcomes].map(([key, { calls }]) => [key, calls]).sort(),
          });
          expect(plain(back)).toEqual(plain(there));
          for (const tallies of [there.groups, there.days]) {
            const sum = (of: 'calls' | 'reached' | 'open' | 'maybePlaced') =>
              [...tallies.values()].reduce((all, tally) => all + tally[of], 0);
            const { totals } = there;
            expect(sum('calls')).toBe(totals.calls);
            expect(sum('reached')).toBe(totals.reached);
            expect(sum('open')).toBe(totals.open);
            expect(sum('maybePlaced')).toBe(totals.maybePlaced);
          }
        },
      ),
      { numRuns: runs(100, 2_000) },
    );
  });

  it(`counts as a simple model does (seed ${seed})`, () => {
    const inTime = (one: Row) => {
      const first = [one.triggeredAt, one.finishedAt, one.dueAt, one.createdAt]
        .map((text) => Date.parse(String(text)))
        .find((time) => !Number.isNaN(time));
      return first !== undefined && first >= START && first <= START + 10 * DAY_MS;
    };
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 20 }), (drawn) => {
        const rows = (drawn as unknown as Row[]).map((one, index) => {
          const call: Row = { ...one, callId: `${index}` };
          return call;
        });
        const not = ['not_placed', 'scheduled', 'cancelled', '', null];
        const goesOn = ['in_progress', 'given_up', 'maybe_placed', 'placing'];
        // What the service ended has a time at which it ended.
        const isSure = ({ status, finishedAt }: Row) =>
          finishedAt !== null || goesOn.includes(status as string);
        const told = rows.filter(
          (one) => inTime(one) && isSure(one) && !not.includes(one.status as string),
        );
        const maybe = told.filter(
          ({ status }) => status === 'placing' || status === 'maybe_placed',
        );
        const calls = told.filter((one) => !maybe.includes(one));
        const reached = calls.filter(({ status, outcome, finishedAt }) => {
          const key = keyOfLabel(String(outcome ?? '').trim());
          // Over an end, a person has written that it goes on.
          const hasTalked = finishedAt === null ? /^completed$/i : /^(?:completed|in_progress)$/i;
          return hasTalked.test(String(status)) && !['', 'no_answer'].includes(key);
        });
        const { totals } = reportOf(rows);
        expect([totals.calls, totals.maybePlaced]).toEqual([calls.length, maybe.length]);
        expect(totals.reached).toBe(reached.length);
        const costs = calls.flatMap(({ cost }) =>
          typeof cost === 'number' && !Number.isNaN(cost) ? [cost] : [],
        );
        expect(totals.cost.sum).toBe(costs.reduce((sum, cost) => sum + cost, 0));
      }),
      { numRuns: runs(200, 4_000) },
    );
  });
});

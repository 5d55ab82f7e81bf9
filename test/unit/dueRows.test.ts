import type { IDataObject } from 'n8n-workflow';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { isoTime } from '../../nodes/OutboundAiCalling/callLog/table/cells';
import { placingColumns } from '../../nodes/OutboundAiCalling/callLog/table/rowColumns';
import type { DueNow } from '../../nodes/OutboundAiCalling/callLog/placing/dueRows';
import type { Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { DueExecution, scheduleInto } from '../newCalls';
import { inTime } from './inTime';
import { MemoryTables } from './memoryTables';

const MINUTE = 60_000;
const NOON = Date.parse('2026-11-21T12:00:00Z');
const NOT_YET = 'another attempt at this call has not ended';
let made = 0;

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => void jest.useRealTimers());

/** A log with calls that are due one after the other, from `at` on. */
async function scheduled(count: number, at = NOON - MINUTE) {
  const tables = new MemoryTables(`due${++made}x`);
  const locator = { mode: 'id', value: tables.tableId };
  const log = await CallLog.openExisting(tables.context, locator, 'own');
  const retry = { outcomes: ['no_answer'], afterMinutes: [30, 120] };
  const requests = Array.from({ length: count }, (_, index) => ({
    ...{ scriptId: 7, variables: {}, orderNumber: `A-${index}`, retry },
    customerPhone: `+1202555${1000 + index}`,
  }));
  await scheduleInto(log, requests, at);
  return { tables, due: new DueExecution(log).due };
}

const edit = (row: Row | undefined, columns: IDataObject) => Object.assign(row ?? {}, columns);

/** A log with the attempts at one call; all that say `scheduled` are due. */
async function attemptsAt(...cells: IDataObject[]) {
  const { tables, due } = await scheduled(1);
  const [first] = tables.rows.splice(0);
  tables.insert(cells.map((more, index) => ({ ...first, attempt: index + 1, ...more })));
  const attemptsOf = async () => (await due.read(NOON, 10)).map(({ row: { row } }) => row.attempt);
  return { tables, due, attemptsOf };
}

const WAITS = { status: 'scheduled' };
const RINGS = { status: 'in_progress', orderId: '4001', triggeredAt: isoTime(NOON) };
const ENDED = { status: 'completed', orderId: '4002', finishedAt: isoTime(NOON - MINUTE) };
const PLANNED = { ...ENDED, nextAttemptAt: isoTime(NOON - MINUTE) };

describe('of several attempts at one call', () => {
  it.each<[string, IDataObject[], number[]]>([
    ['the first of two that wait is due', [WAITS, WAITS], [1]],
    ['the second is due after the end of the first', [PLANNED, WAITS], [2]],
    ['none is due while the first rings', [RINGS, WAITS], []],
    ['none is due while a later one rings', [WAITS, RINGS], []],
    ['none is due while one rings behind one that has ended', [WAITS, ENDED, RINGS], []],
    ['none is due while one rings before one that has ended', [RINGS, PLANNED, WAITS], []],
    ['the first is due again though others have ended', [WAITS, PLANNED, ENDED], [1]],
  ])('%s', async (_, cells, expected) => {
    expect(await (await attemptsAt(...cells)).attemptsOf()).toEqual(expected);
  });

  it('one that waits for another says so, and is due again after the delay of its plan', async () => {
    const { tables, attemptsOf } = await attemptsAt(RINGS, WAITS, WAITS);
    await attemptsOf();
    const again = [30, 120].map((minutes) => NOON + minutes * MINUTE);
    expect(tables.rows.slice(1)).toMatchObject(
      again.map((runAt) => ({
        ...WAITS,
        runAt,
        dueAt: isoTime(runAt),
        lastError: `Nobody was called yet: ${NOT_YET}`,
      })),
    );
  });

  it('a first one is due again after a minute: no delay comes before it', async () => {
    const { tables, attemptsOf } = await attemptsAt(WAITS, RINGS);
    await attemptsOf();
    expect(tables.rows[0]).toMatchObject({
      runAt: NOON + MINUTE,
      lastError: `Nobody was called yet: ${NOT_YET}`,
    });
  });

  it('one that the end before did not plan is not placed, and says why', async () => {
    const { tables, attemptsOf } = await attemptsAt(ENDED, WAITS);
    expect(await attemptsOf()).toEqual([]);
    expect(tables.rows.at(-1)).toMatchObject({
      ...{ attempt: 2, status: 'not_placed' },
      lastError:
        'Nobody was called: the attempt before ended in another way, and no attempt follows it',
    });
  });
});

describe('a look at what is due', () => {
  it('gives the calls by the times that people see, says why others wait, and changes nothing', async () => {
    const { tables, due } = await scheduled(6);
    const [first, moved, typed, unread, unlisted, later] = tables.rows;
    edit(first, { dueAt: null });
    edit(moved, { runAt: NOON + MINUTE, dueAt: isoTime(NOON) });
    edit(typed, { runAt: null, dueAt: isoTime(NOON - 5 * MINUTE) });
    edit(unread, { customerPhone: '' });
    edit(unlisted, { batch: null });
    edit(later, { dueAt: isoTime(NOON + 1) });
    tables.insert([{ ...first, attempt: 2 }]);
    const before = structuredClone(tables.rows);
    const parts: DueNow[] = [];
    for await (const part of due.peek(NOON)) parts.push(part);
    const [{ calls, ended, waiting }] = parts as [DueNow];
    expect(parts).toHaveLength(1);
    expect(calls.map(({ request }) => request.orderNumber)).toEqual(['A-2', 'A-0', 'A-4', 'A-1']);
    expect(ended).toEqual(['the row cannot be read: customerPhone is empty']);
    expect(waiting).toEqual([NOT_YET]);
    expect(tables.rows).toEqual(before);
  });
});

describe('when the next call is due', () => {
  it('is undefined while none waits, also of a list that is being written', async () => {
    const { tables, due } = await scheduled(1);
    edit(tables.rows[0], { batch: 'list' });
    expect(await due.nextDueAt()).toBeUndefined();
  });

  it('is said by the time that people see, and else by the time in runAt', async () => {
    const { tables, due } = await scheduled(2, NOON + 10 * MINUTE);
    expect(await due.nextDueAt()).toBe(NOON + 10 * MINUTE);
    edit(tables.rows[1], { dueAt: isoTime(NOON + 5 * MINUTE) });
    expect(await due.nextDueAt()).toBe(NOON + 5 * MINUTE);
    edit(tables.rows[0], { dueAt: null, runAt: NOON + MINUTE });
    expect(await due.nextDueAt()).toBe(NOON + MINUTE);
  });
});

describe('the calls that go on', () => {
  it('are counted once each, up to the limit', async () => {
    const { tables, due } = await scheduled(6);
    const [first, second, third, fourth, fifth] = tables.rows;
    for (const row of [first, second]) edit(row, placingColumns(NOON));
    for (const row of [third, fourth]) edit(row, RINGS);
    edit(fifth, ENDED);
    tables.insert([{ ...third }]);
    const open = await Promise.all([10, 4, 3].map(async (limit) => await due.underWay(limit)));
    expect(open.map(({ count }) => count)).toEqual([4, 4, 3]);
    expect(open[0]?.people).toEqual(new Set([0, 1, 2, 3].map((n) => `+1202555${1000 + n}`)));
  });

  it('are counted also when a person has written another status over theirs', async () => {
    const { tables, due } = await scheduled(3);
    const [first, second] = tables.rows;
    edit(first, { ...RINGS, status: 'cancelled' });
    edit(second, { ...placingColumns(NOON), lockedBy: 'a mark', status: 'scheduled' });
    expect(await due.underWay(10)).toMatchObject({ count: 2 });
  });
});

describe('a call that a person has moved', () => {
  it('is due from the very time on', async () => {
    const { tables, due } = await scheduled(3, NOON + 60 * MINUTE);
    [NOON - 1, NOON, NOON + 1].forEach((at, index) =>
      edit(tables.rows[index], { dueAt: isoTime(at) }),
    );
    const read = await due.read(NOON, 10);
    expect(read.map(({ request }) => request.orderNumber)).toEqual(['A-0', 'A-1']);
    expect(tables.rows.map(({ runAt }) => Number(runAt) - NOON)).toEqual([
      ...[-1, 0, 60 * MINUTE + 2],
    ]);
  });
});

describe('a due call that is refused', () => {
  it('is due again when a person has corrected its row since it was read', async () => {
    const { tables, due } = await scheduled(2);
    const read = await due.read(NOON, 10);
    edit(tables.rows[0], { customerPhone: '+12025559999' });
    const refused = { kind: 'never', reason: 'Nobody was called: refused' } as const;
    await inTime(Promise.all(read.map(async ({ row }) => await row.writeNotPlaced(refused))));
    expect(tables.rows.filter(({ status }) => status === 'scheduled')).toMatchObject([
      { customerPhone: '+12025559999', runAt: NOON - MINUTE, lastError: null, finishedAt: null },
    ]);
    const again = await due.read(NOON, 10);
    expect(again.map(({ request }) => request.customerPhone)).toEqual(['+12025559999']);
  });
});

import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { DataTableError } from '../../nodes/OutboundAiCalling/dataTables/dataTableError';
import { endAbandoned, recordEnds } from '../../nodes/OutboundAiCalling/callLog/ends/ends';
import { STILL_UNDER_WAY } from '../../nodes/OutboundAiCalling/callLog/mending';
import { cancelScheduled } from '../../nodes/OutboundAiCalling/callLog/scheduling/cancelling';
import { isoTime } from '../../nodes/OutboundAiCalling/callLog/table/cells';
import { contentOf, outcomeColumns } from '../../nodes/OutboundAiCalling/callLog/table/rowColumns';
import { writeUnwritten } from '../../nodes/OutboundAiCalling/callLog/placing/placements';
import { LoggedCalls } from '../../nodes/OutboundAiCalling/callLog/placing/loggedCalls';
import type { LoggedRequest } from '../../nodes/OutboundAiCalling/callLog/placing/loggedRequest';
import {
  NoLongerScheduled,
  type RowToPlace,
} from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { Scheduling } from '../../nodes/OutboundAiCalling/callLog/scheduling/scheduling';
import type { Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { readLog } from '../../nodes/OutboundAiCalling/trigger/watch/loggedOpenCalls';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { DueExecution, newCalls, scheduleInto, TEN_AT_ONCE } from '../newCalls';
import { MemoryTables } from './memoryTables';
import { inTime as inSteps } from './inTime';

const ACCOUNT = '0123456789abcdef';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NOON = Date.parse('2026-11-21T12:00:00Z');

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => void jest.useRealTimers());

let made = 0;
async function openLog(): Promise<{ tables: MemoryTables; log: CallLog }> {
  const tables = new MemoryTables(`scheduled${++made}x`);
  return { tables, log: await openAgain(tables) };
}

async function openAgain({ context, tableId }: MemoryTables): Promise<CallLog> {
  return await CallLog.openExisting(context, { mode: 'id', value: tableId }, ACCOUNT);
}

/** The log in another process, which knows nothing of what this one could not write. */
async function inAnotherProcess({ context, tableId }: MemoryTables): Promise<CallLog> {
  const elsewhere = { ...context, getInstanceBaseUrl: () => 'http://n8n-main:5678' };
  return await CallLog.openExisting(elsewhere, { mode: 'id', value: tableId }, ACCOUNT);
}

/** Lets time pass until it is done. */
const inTime = async <T>(work: Promise<T>): Promise<T> => await inSteps(work, 10);

const requestOf = (index: number, more: Partial<LoggedRequest> = {}): LoggedRequest => ({
  scriptId: 7,
  customerPhone: `+1202555${1000 + index}`,
  orderNumber: `A-${index}`,
  variables: { brand_name: 'Acme' },
  ...more,
});

const schedule = async (log: CallLog, requests: LoggedRequest[], at = NOON) =>
  await scheduleInto(log, requests, at);
const asList = (requests: LoggedRequest[], at = NOON) =>
  newCalls(requests).map((call) => ({ call, at }));

const several = (count: number, more: Partial<LoggedRequest> = {}) =>
  Array.from({ length: count }, (_, index) => requestOf(index, more));

/** From now on n8n refuses the n8n API key with which a log was opened. */
function replaceKeyOf({ tables }: CallLog): void {
  const refused = new DataTableError('keyRefused', 'n8n refused the API key', '');
  jest.spyOn(tables, 'insert').mockRejectedValue(refused);
  jest.spyOn(tables, 'updateAndReturn').mockRejectedValue(refused);
}
const RETRY = { outcomes: ['no_answer'], afterMinutes: [30, 120] };
const executionOf = (log: CallLog) => new DueExecution(log);
const take = async (execution: DueExecution, limit = 100) => await execution.read(limit);
const statusesOf = ({ rows }: MemoryTables) => rows.map(({ status }) => status);
const phonesOf = (calls: RowToPlace[]) => calls.map(({ row }) => row.customerPhone);

function outcomeOf(orderId: number, callOutcome: string) {
  return readOutcome({ success: true, orderId, callStatus: 'completed', callOutcome }, orderId);
}

/** Looks at all open calls, which have ended so. */
async function end(log: CallLog, callOutcome: string): Promise<Row[]> {
  const now = Date.now();
  const rows = await log.lockDue(now, 100, now + MINUTE_MS);
  const ended = rows.map((row) => ({
    row,
    columns: outcomeColumns(outcomeOf(Number(row.orderId), callOutcome), now),
  }));
  return (await recordEnds(log, ended)).written.map(({ end: row }) => row);
}

describe('writing scheduled calls', () => {
  it('has nobody called before the whole list is written', async () => {
    const { tables, log } = await openLog();
    const list = await Scheduling.writeAhead(log, asList(several(2)));
    expect(tables.rows.map(({ status, batch }) => [status, batch !== ''])).toEqual([
      ['scheduled', true],
      ['scheduled', true],
    ]);
    jest.setSystemTime(NOON + MINUTE_MS);
    expect(await take(executionOf(log))).toEqual([]);
    await list.settle(['scheduled', 'scheduled']);
    expect(await take(executionOf(log))).toHaveLength(2);
  });

  it('ends calls of the list that are not to be placed, and keeps no row of those told elsewhere', async () => {
    const { tables, log } = await openLog();
    const list = await Scheduling.writeAhead(log, asList(several(3), NOON + MINUTE_MS));
    await list.settle(['scheduled', { reason: 'on the list' }, 'none']);
    expect(tables.rows).toMatchObject([
      { status: 'scheduled', attempt: 1, dueAt: isoTime(NOON + MINUTE_MS), lastError: null },
      { status: 'not_placed', lastError: 'on the list', runAt: null, finishedAt: isoTime(NOON) },
    ]);
  });

  it('says that a list is due that n8n makes due between the last look at it and its withdrawal', async () => {
    const { tables, log } = await openLog();
    const list = await Scheduling.writeAhead(log, asList(several(2)));
    tables.isAway = (method) => method === 'PATCH';
    const withdraw = list.withdraw.bind(list);
    jest.spyOn(list, 'withdraw').mockImplementation(async () => {
      for (const row of tables.rows) Object.assign(row, { batch: '', lockedUntil: 0 });
      await withdraw();
    });
    await inTime(list.settle(['scheduled', 'scheduled']));
    tables.isAway = () => false;
    expect(await take(executionOf(log))).toHaveLength(2);
  });

  it.each(['before', 'after'] as const)(
    'says truly whether a list is due when the answer is lost %s n8n has done it',
    async (when) => {
      const { tables, log } = await openLog();
      const list = await Scheduling.writeAhead(log, asList(several(2)));
      const fault = when === 'after' ? 'isAnswerLost' : 'isAway';
      tables[fault] = (method) => method === 'PATCH';
      const settled = await inTime(
        list.settle(['scheduled', 'scheduled']).then(
          () => 'scheduled',
          () => 'failed',
        ),
      );
      expect([settled, list.isUnsure]).toEqual([when === 'after' ? 'scheduled' : 'failed', false]);
      expect(tables.rows).toHaveLength(when === 'after' ? 2 : 0);
    },
  );

  it('says that it does not know when n8n is away before and after', async () => {
    const { tables, log } = await openLog();
    const list = await Scheduling.writeAhead(log, asList(several(2)));
    tables.isAway = () => true;
    await expect(inTime(list.settle(['scheduled', 'scheduled']))).rejects.toThrow();
    expect(list.isUnsure).toBe(true);
  });

  it('leaves nothing of a list that n8n has stored in part', async () => {
    const { tables, log } = await openLog();
    tables.isRefused = (method, body) => method === 'POST' && body.includes('"A-1000"');
    await expect(Scheduling.writeAhead(log, asList(several(1_001)))).rejects.toThrow('n8n refused');
    expect(tables.rows).toEqual([]);
  });

  it('leaves nothing of a list that n8n refuses to make due', async () => {
    const { tables, log } = await openLog();
    const list = await Scheduling.writeAhead(log, asList(several(2)));
    tables.isRefused = (method) => method === 'PATCH';
    await expect(list.settle(['scheduled', 'scheduled'])).rejects.toThrow('n8n refused');
    expect([tables.rows, list.isUnsure]).toEqual([[], false]);
  });

  it('calls nobody of a list that others may soon take for one of a dead execution', async () => {
    const { tables, log } = await openLog();
    const list = await Scheduling.writeAhead(log, asList(several(2)));
    jest.setSystemTime(NOON + 9 * MINUTE_MS);
    expect(list.isLate).toBe(false);
    jest.setSystemTime(NOON + 9 * MINUTE_MS + 1);
    expect(list.isLate).toBe(true);
    await expect(list.settle(['scheduled', 'scheduled'])).rejects.toThrow('n8n stood still');
    expect(tables.rows).toEqual([]);
  });

  it('ends a list that its execution left behind when ten minutes have gone by', async () => {
    const { tables, log } = await openLog();
    await Scheduling.writeAhead(log, asList(several(2)));
    await endAbandoned(log, NOON + 9 * MINUTE_MS);
    expect(statusesOf(tables)).toEqual(['scheduled', 'scheduled']);
    jest.setSystemTime(NOON + 11 * MINUTE_MS);
    await endAbandoned(log, Date.now());
    const reason = 'Nobody was called: the execution ended before it came to this call';
    const end = { status: 'not_placed', lastError: reason, finishedAt: isoTime(Date.now()) };
    expect(tables.rows).toMatchObject([end, end]);
  });

  it('needs few requests for 5,000 calls, and keeps their order', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(5_000));
    const { POST, DELETE } = tables.requests;
    expect({ POST, DELETE }).toEqual({ POST: 5, DELETE: 1 });
    expect(new Set(tables.rows.map(({ runAt }) => runAt)).size).toBe(5_000);
    jest.setSystemTime(NOON + 5_000);
    const read = await take(executionOf(log), 250);
    expect(phonesOf(read)).toEqual(several(250).map(({ customerPhone }) => customerPhone));
  });

  it('leaves nothing of calls that are withdrawn', async () => {
    const { tables, log } = await openLog();
    await (await Scheduling.writeAhead(log, asList(several(3)))).withdraw();
    expect(tables.rows).toEqual([]);
  });
});

describe('reading what is due', () => {
  it('gives what is due, in order and no more than is asked for', async () => {
    const { log } = await openLog();
    await schedule(log, several(5), NOON - MINUTE_MS);
    await schedule(log, [requestOf(9)], NOON + MINUTE_MS);
    const execution = executionOf(log);
    const first = await take(execution, 2);
    expect(phonesOf(first)).toEqual(['+12025551000', '+12025551001']);
    await execution.mark(first);
    const others = await take(execution, 10);
    expect(others).toHaveLength(3);
    await execution.mark(others);
    expect(await take(execution, 10)).toEqual([]);
    expect(await execution.due.nextDueAt()).toBe(NOON + MINUTE_MS);
  });

  it('has one of two executions place a call that both have read', async () => {
    const { log } = await openLog();
    await schedule(log, several(4), NOON - MINUTE_MS);
    const executions = [executionOf(log), executionOf(log)];
    const read = await Promise.all(executions.map(async (one) => await take(one, 3)));
    const marked = await Promise.all(
      executions.map(async (one, index) => await one.mark(read[index] ?? [])),
    );
    expect(marked.map(({ length }) => length).sort()).toEqual([0, 3]);
  });

  it('gives what is needed to call: the request and how it was set', async () => {
    const { log } = await openLog();
    const set = { rules: { maxCallsPerDay: 3 }, settings: { timezone: 'Asia/Kolkata' } };
    const request = requestOf(1, { customerName: 'Nathan', orderNotes: 'two parcels' });
    await schedule(log, [{ ...request, ...set, retry: RETRY, testCall: true }], NOON - 1);
    const [call] = await executionOf(log).due.read(NOON, 1);
    expect(call).toMatchObject({ stored: { ...set, retry: RETRY, testCall: true } });
    expect([call?.row.attempt, call?.request]).toEqual([1, request]);
  });

  it('goes by the time that a person has written, sooner or later', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(2), NOON - MINUTE_MS);
    await schedule(log, [requestOf(2)], NOON + 600 * MINUTE_MS);
    Object.assign(tables.rows[0] ?? {}, { dueAt: isoTime(NOON + 10 * MINUTE_MS) });
    Object.assign(tables.rows[2] ?? {}, { dueAt: isoTime(NOON + 20 * MINUTE_MS) });
    const dueAfter = async (minutes: number) => {
      jest.setSystemTime(NOON + minutes * MINUTE_MS);
      return phonesOf(await take(executionOf(log)));
    };
    expect(await dueAfter(1)).toEqual(['+12025551001']);
    expect(await dueAfter(11)).toEqual(['+12025551001', '+12025551000']);
    expect(await dueAfter(21)).toEqual(['+12025551001', '+12025551000', '+12025551002']);
  });

  it('ends a row whose time cannot be read', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    Object.assign(tables.rows[0] ?? {}, { dueAt: 'some day' });
    expect(await take(executionOf(log))).toEqual([]);
    expect(tables.rows).toMatchObject([
      { status: 'not_placed', lastError: expect.stringContaining('dueAt is no date and time') },
    ]);
  });

  it.each([
    ['request', '{', 'request'],
    ['request', null, 'request'],
    ['customerPhone', ' ', 'customerPhone'],
    ['attempt', null, 'attempt'],
    ['attempt', 1.5, 'attempt'],
  ])('ends a row whose %s a person has made %p, and goes on', async (column, value, told) => {
    const { tables, log } = await openLog();
    await schedule(log, several(2), NOON - MINUTE_MS);
    Object.assign(tables.rows[0] ?? {}, { [column]: value });
    expect(phonesOf(await take(executionOf(log), 1))).toEqual(['+12025551001']);
    const end = { status: 'not_placed', lastError: expect.stringContaining(told) };
    expect(tables.rows).toContainEqual(expect.objectContaining(end));
  });

  it('has a row whose runAt a person has emptied be due when it says in dueAt', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(2), NOON + MINUTE_MS);
    await schedule(log, [requestOf(3)], NOON - MINUTE_MS);
    const [first, second, third] = tables.rows;
    Object.assign(first ?? {}, { runAt: null });
    Object.assign(second ?? {}, { runAt: null, dueAt: null });
    Object.assign(third ?? {}, { lockedBy: 'dead', lockedUntil: NOON + 1e9 });
    await executionOf(log).due.mendTimes(NOON);
    expect(tables.rows.map(({ runAt, dueAt }) => [runAt, dueAt])).toEqual(
      [NOON + MINUTE_MS, NOON, NOON - MINUTE_MS].map((at) => [at, isoTime(at)]),
    );
    expect(tables.rows[2]).toMatchObject({ lockedBy: '', lockedUntil: 0 });
  });

  it('mends a row without a runAt whose callId a person has emptied', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    Object.assign(tables.rows[0] ?? {}, { runAt: null, callId: '' });
    await executionOf(log).due.mendTimes(NOON);
    expect(tables.rows).toMatchObject([{ runAt: NOON - MINUTE_MS }]);
  });

  it.each([
    ['parks with a dueAt in 2099', { dueAt: '2099-01-01T00:00:00.000Z' }],
    ['has given a runAt that no clock reaches', { runAt: 9e15, dueAt: null }],
  ])('calls nobody because of a row that a person %s, and says why', async (_, columns) => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    Object.assign(tables.rows[0] ?? {}, columns);
    for (const now of [NOON, NOON + MINUTE_MS]) {
      await executionOf(log).due.mendTimes(now);
      expect(await take(executionOf(log), 1)).toEqual([]);
    }
    const lastError = expect.stringContaining('more than ten years from now');
    expect(tables.rows).toMatchObject([{ status: 'not_placed', lastError }]);
  });

  it('calls nobody who was due long before the row was written, as when day and month are exchanged', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(3), NOON - MINUTE_MS);
    const early = { dueAt: isoTime(NOON - DAY_MS - MINUTE_MS), runAt: NOON - DAY_MS };
    const [first = {}, second = {}, third = {}] = tables.rows;
    Object.assign(first, early);
    Object.assign(second, early, { dueAt: isoTime(NOON - DAY_MS) });
    // What comes after another attempt is due soon after that, however late its end is noticed.
    Object.assign(third, early, { attempt: 2 });
    expect(await take(executionOf(log), 3)).toHaveLength(2);
    const lastError =
      'Nobody was called: the row cannot be read: its time lies more than a day before the row was written';
    const [end] = tables.rows.filter(({ orderNumber }) => orderNumber === 'A-0');
    expect(end).toMatchObject({ status: 'not_placed', lastError });
  });

  it('calls a person whose row ended days after it was due, once somebody has corrected it', async () => {
    const { tables, log } = await openLog();
    const [request] = several(1);
    await schedule(log, several(1));
    Object.assign(tables.rows[0] ?? {}, { customerPhone: '' });
    jest.setSystemTime(NOON + 3 * DAY_MS);
    expect(await take(executionOf(log))).toEqual([]);
    expect(statusesOf(tables)).toEqual(['not_placed']);
    const corrected = { customerPhone: request?.customerPhone ?? '', status: 'scheduled' };
    Object.assign(tables.rows[0] ?? {}, corrected, { finishedAt: null });
    for await (const { ended } of executionOf(log).due.peek(Date.now())) expect(ended).toEqual([]);
    await executionOf(log).due.mendTimes(Date.now());
    expect(await take(executionOf(log))).toHaveLength(1);
    expect(tables.rows).toMatchObject([{ dueAt: isoTime(NOON + 3 * DAY_MS) }]);
  });
});

describe('a row of the same attempt', () => {
  it('that tells more keeps a scheduled one from being placed', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    tables.insert([{ ...tables.rows[0], status: 'maybe_placed', runAt: null }]);
    expect(await take(executionOf(log))).toEqual([]);
    expect(statusesOf(tables)).toEqual(['maybe_placed']);
  });

  it('that was written twice is placed once', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    const runAt = NOON + 1_000;
    tables.insert([{ ...tables.rows[0], runAt, dueAt: isoTime(runAt) }]);
    const execution = executionOf(log);
    expect(await execution.mark(await take(execution))).toHaveLength(1);
    jest.setSystemTime(NOON + 1_000);
    expect(await take(executionOf(log))).toEqual([]);
  });

  it('that a person has copied and changed stays, and names the row that counts', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    const [first] = tables.rows;
    tables.insert([{ ...first, customerPhone: '+12025551999' }]);
    tables.insert([{ ...first }]);
    expect(phonesOf(await take(executionOf(log)))).toEqual(['+12025551000']);
    await endAbandoned(log, NOON);
    expect(tables.rows).toHaveLength(2);
    expect(tables.rows[1]).toMatchObject({
      status: 'not_placed',
      customerPhone: '+12025551999',
      lastError: expect.stringContaining(`a copy of row ${first?.id}, which counts`),
    });
  });

  it('that came from a spreadsheet, which drops the milliseconds of times, goes as one that was written twice', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS + 123);
    const [first] = tables.rows;
    tables.insert([{ ...first, dueAt: isoTime(NOON - MINUTE_MS) }]);
    await take(executionOf(log));
    await endAbandoned(log, NOON);
    expect(tables.rows).toMatchObject([{ status: 'scheduled' }]);
  });

  it('that a person has copied while its call rings, and changed, has no call of its own', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    const [waiting] = tables.rows;
    const open = { ...waiting, status: 'in_progress', orderId: '4001', triggeredAt: isoTime(NOON) };
    Object.assign(waiting ?? {}, open, { lockedBy: 'of a poll that died' });
    tables.insert([{ ...open, lockedBy: 'as above', customerPhone: '+12025551999' }]);
    expect(await log.lockDue(NOON, 100, NOON + MINUTE_MS)).toHaveLength(1);
    const [first, copy] = tables.rows;
    expect(first).toMatchObject({ status: 'in_progress', orderId: '4001' });
    expect(copy).toMatchObject({ status: 'not_placed', orderId: null });
    expect(copy?.callId).not.toBe(first?.callId);
  });

  it.each([
    ['waits', false],
    ['is being placed', true],
  ])(
    'that a person has copied and changed is not deleted by Cancel while it %s',
    async (_, isPlacing) => {
      const { tables, log } = await openLog();
      await schedule(log, several(1), NOON - MINUTE_MS);
      const [first] = tables.rows;
      const copy = { ...first, customerPhone: '+12025551999' };
      const execution = executionOf(log);
      if (isPlacing) await execution.mark(await take(execution));
      tables.insert([copy]);
      await cancelScheduled(log, { orderNumber: 'A-0' });
      await endAbandoned(log, NOON);
      expect(
        tables.rows.find(({ customerPhone }) => customerPhone === '+12025551999'),
      ).toMatchObject({
        status: 'not_placed',
        lastError: expect.stringContaining(`a copy of row ${first?.id}, which counts`),
      });
    },
  );

  it('that a program left behind is deleted, also when its phone is spelled as a person did', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    const rules = { doNotCallOutcomes: 'Not interested' };
    const request = JSON.stringify({ scriptId: 7, rules });
    const left = { ...tables.rows[0], status: 'placing', lockedBy: 'dead', lockedUntil: NOON - 1 };
    const placed = JSON.stringify({ scriptId: 7, rules, dialled: '+12025551000' });
    tables.rows.splice(0);
    tables.insert([
      { ...left, customerPhone: '(202) 555-1000', request },
      { ...left, status: 'in_progress', orderId: '4001', request: placed, lockedBy: '' },
    ]);
    await endAbandoned(log, NOON);
    expect(statusesOf(tables)).toEqual(['in_progress']);
  });
});

describe('placing a scheduled call', () => {
  it('marks several rows by one request, and none that was cancelled meanwhile', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(5), NOON - MINUTE_MS);
    const calls = await take(executionOf(log));
    expect(await cancelScheduled(log, { orderNumber: ' A-2 ' })).toMatchObject({ cancelled: 1 });
    const before = tables.requests.PATCH;
    await calls[0]?.rows.mark(calls);
    const marked = await inTime(Promise.allSettled(calls.map(async (call) => await call.mark())));
    expect(tables.requests.PATCH - before).toBe(1);
    expect(marked.map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      true,
      false,
      true,
      true,
    ]);
    expect(marked[2]).toMatchObject({ reason: expect.any(NoLongerScheduled) });
    expect(statusesOf(tables).at(-1)).toBe('cancelled');
  });

  it.each<[string, Partial<Row>, Partial<LoggedRequest>]>([
    ['phone', { customerPhone: '+12025551999' }, { customerPhone: '+12025551999' }],
    ['name', { customerName: 'Grace' }, { customerName: 'Grace' }],
  ])('calls nobody by a %s that was corrected meanwhile, and asks again', async (_, edit, said) => {
    const { tables, log } = await openLog();
    await schedule(log, several(3), NOON - MINUTE_MS);
    const calls = executionOf(log);
    const taken = await take(calls);
    Object.assign(tables.rows[1] ?? {}, edit);
    expect(await calls.mark(taken)).toEqual([taken[0], taken[2]]);
    await expect(taken[1]?.mark()).rejects.toThrow(NoLongerScheduled);
    expect(tables.rows[1]).toMatchObject({ ...edit, status: 'scheduled', triggeredAt: null });
    const [again] = await calls.due.read(NOON, 1);
    expect(again?.request).toMatchObject(said);
    expect(await calls.mark(again === undefined ? [] : [again.row])).toEqual([again?.row]);
  });

  it('waits for the time to which a call was moved meanwhile', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1));
    const calls = executionOf(log);
    const taken = await take(calls);
    const [row = {}] = tables.rows;
    Object.assign(row, { dueAt: isoTime(NOON + 10 * MINUTE_MS) });
    expect(await calls.mark(taken)).toEqual([]);
    expect(await take(calls)).toEqual([]);
    expect(tables.rows[0]).toMatchObject({ status: 'scheduled', runAt: NOON + 10 * MINUTE_MS });
  });

  it('keeps a time that a person writes while the row follows the time before', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON + 10 * MINUTE_MS);
    const move = (minutes: number) =>
      Object.assign(tables.rows[0] ?? {}, { dueAt: isoTime(NOON + minutes * MINUTE_MS) });
    move(0);
    const noteRow = log.noteRow.bind(log);
    jest.spyOn(log, 'noteRow').mockImplementation(async (...note) => {
      move(20);
      await noteRow(...note);
    });
    expect(await take(executionOf(log))).toEqual([]);
    const runAt = NOON + 20 * MINUTE_MS;
    expect(tables.rows).toMatchObject([{ status: 'scheduled', dueAt: isoTime(runAt), runAt }]);
  });

  it('keeps what a person has written into other columns meanwhile', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1));
    const calls = executionOf(log);
    const taken = await take(calls);
    Object.assign(tables.rows[0] ?? {}, { duplicateKey: 'by hand' });
    const [call] = await calls.mark(taken);
    await inTime(call?.writePlaced(4001, NOON) ?? Promise.resolve());
    expect(tables.rows).toMatchObject([{ status: 'in_progress', duplicateKey: 'by hand' }]);
  });

  it('leaves a row that another execution has marked', async () => {
    const { log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    const [slow] = await take(executionOf(log));
    const [quick] = await take(executionOf(log));
    await inTime(quick?.mark() ?? Promise.reject(new Error('not read')));
    await expect(inTime(slow?.mark() ?? Promise.resolve())).rejects.toThrow(NoLongerScheduled);
  });

  it('sends nothing when its mark is old and others count it as dead', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(2), NOON - MINUTE_MS);
    const execution = executionOf(log);
    const calls = await take(execution);
    await execution.mark(calls);
    jest.setSystemTime(NOON + 4 * MINUTE_MS);
    await endAbandoned(log, Date.now());
    for (const call of calls) await expect(call.mark()).rejects.toThrow(NoLongerScheduled);
    expect(statusesOf(tables)).toEqual(['maybe_placed', 'maybe_placed']);
  });

  it('has no attempt follow when a person cancels a call whose request is under way', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1, { retry: RETRY }));
    const execution = executionOf(log);
    const [call] = await execution.mark(await take(execution));
    Object.assign(tables.rows[0] ?? {}, { status: 'cancelled' });
    await inTime(call?.writePlaced(4001, NOON - MINUTE_MS) ?? Promise.resolve());
    await end(log, 'No answer');
    expect(tables.rows).toMatchObject([
      { attempt: 1, status: 'completed', nextAttemptAt: null },
      { attempt: 2, status: 'cancelled', finishedAt: expect.anything() },
    ]);
  });

  it('has no attempt follow when a person cancels a call while its end is found', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1, { retry: RETRY }));
    const execution = executionOf(log);
    const [call] = await execution.mark(await take(execution));
    await inTime(call?.writePlaced(4001, NOON - MINUTE_MS) ?? Promise.resolve());
    const [row] = await log.lockDue(NOON, 100, NOON + MINUTE_MS);
    Object.assign(tables.rows[0] ?? {}, { status: 'Canceled' });
    const columns = outcomeColumns(outcomeOf(4001, 'No answer'), NOON);
    await recordEnds(log, row === undefined ? [] : [{ row, columns }]);
    expect(tables.rows).toMatchObject([{ attempt: 1, status: 'completed', nextAttemptAt: null }]);
  });

  it('keeps the number of a call that was placed when the log is full', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(2), NOON - MINUTE_MS);
    const execution = executionOf(log);
    const [placed, maybe] = await execution.mark(await take(execution));
    const full = new DataTableError('refused', 'n8n refused: Data table size limit exceeded', '');
    jest.spyOn(log.tables, 'insert').mockRejectedValue(full);
    await inTime(
      Promise.all([placed?.writePlaced(4001, NOON), maybe?.writeMaybePlaced(new Error('reset'))]),
    );
    expect([placed?.problem, maybe?.problem]).toEqual([undefined, undefined]);
    expect(tables.rows).toMatchObject([
      { status: 'in_progress', orderId: '4001' },
      // Its end is written by whoever comes next.
      { status: 'maybe_placed', lastError: 'reset', finishedAt: null },
    ]);
  });

  it('keeps the number of a call that n8n takes in no way, and writes it when n8n does', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    const execution = executionOf(log);
    const [call] = await execution.mark(await take(execution));
    tables.isFull = (method) => method === 'POST' || method === 'PATCH';
    await inTime(call?.writePlaced(4001, NOON - MINUTE_MS) ?? Promise.resolve());
    expect(call?.problem).toContain('size limit');
    await writeUnwritten(log);
    expect(statusesOf(tables)).toEqual(['placing']);
    tables.isFull = () => false;
    // Another process has given the call up meanwhile.
    jest.setSystemTime(NOON + 10 * MINUTE_MS);
    await endAbandoned(await inAnotherProcess(tables), Date.now());
    expect(statusesOf(tables)).toEqual(['maybe_placed']);
    await writeUnwritten(log);
    await writeUnwritten(log);
    const rows = [{ status: 'maybe_placed' }, { status: 'in_progress', orderId: '4001' }];
    expect(tables.rows).toMatchObject(rows);
    await end(log, 'Confirmed');
    expect(tables.rows.at(-1)).toMatchObject({ status: 'completed', orderId: '4001' });
  });

  it.each(['a trigger', 'the next execution'])(
    'has %s write it with the n8n API key of its own, when that of the execution was replaced',
    async (who) => {
      const { tables, log } = await openLog();
      await schedule(log, several(1), NOON - MINUTE_MS);
      const execution = executionOf(log);
      const [call] = await execution.mark(await take(execution));
      replaceKeyOf(log);
      await inTime(call?.writePlaced(4001, NOON) ?? Promise.resolve());
      expect(call?.problem).toContain('n8n refused the API key');
      const withNewKey = await openAgain(tables);
      if (who === 'a trigger') await readLog(withNewKey);
      else await LoggedCalls.writeAhead(withNewKey, newCalls([requestOf(1)]), TEN_AT_ONCE);
      expect(tables.rows.map(({ orderId }) => orderId)).toContain('4001');
      expect(statusesOf(tables)).not.toContain('placing');
    },
  );

  it('tells nobody that a call may have been placed whose number it still has', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(2), NOON - MINUTE_MS);
    const execution = executionOf(log);
    const [placed] = await execution.mark(await take(execution));
    replaceKeyOf(log);
    await inTime(placed?.writePlaced(4001, NOON) ?? Promise.resolve());
    const withNewKey = await openAgain(tables);
    tables.isFull = (method) => method === 'POST';
    const later = NOON + 10 * MINUTE_MS;
    await expect(endAbandoned(withNewKey, later)).rejects.toThrow('size limit');
    // Of the other one this process knows nothing.
    expect(statusesOf(tables)).toEqual(['placing', 'maybe_placed']);
    tables.isFull = () => false;
    // The process tries again with the newer key.
    await inTime(jest.advanceTimersByTimeAsync(MINUTE_MS));
    expect(tables.rows).toMatchObject([{ status: 'maybe_placed' }, { orderId: '4001' }]);
  });

  it('writes the numbers later, and leaves a call alone that was marked with these', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(3), NOON - MINUTE_MS);
    const execution = executionOf(log);
    const [first, slow, last] = await execution.mark(await take(execution));
    tables.isFull = (method) => method === 'POST' || method === 'PATCH';
    const placed = [first?.writePlaced(4001, NOON), last?.writePlaced(4003, NOON)];
    await inTime(Promise.all(placed));
    tables.isFull = () => false;
    await writeUnwritten(log);
    await inTime(slow?.writePlaced(4002, NOON) ?? Promise.resolve());
    const told = tables.rows.map(({ orderNumber, orderId }) => `${orderNumber} ${orderId}`);
    expect(told.sort()).toEqual(['A-0 4001', 'A-1 4002', 'A-2 4003']);
  });

  it('keeps a number until n8n has written it, also when the old row is gone', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    const execution = executionOf(log);
    const [call] = await execution.mark(await take(execution));
    tables.isFull = (method) => method === 'POST' || method === 'PATCH';
    await inTime(call?.writePlaced(4001, NOON) ?? Promise.resolve());
    tables.isFull = () => false;
    jest.setSystemTime(NOON + 10 * MINUTE_MS);
    await endAbandoned(await inAnotherProcess(tables), Date.now());
    tables.isBusy = (method) => method === 'POST';
    const before = tables.requests.POST;
    await inTime(writeUnwritten(log));
    expect(tables.requests.POST - before).toBeLessThan(6);
    tables.isBusy = () => false;
    // The process tries again by itself.
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(tables.rows.map(({ orderId }) => orderId)).toContain('4001');
  });

  it('writes what became of calls together, in rows of their own', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(4), NOON - MINUTE_MS);
    const execution = executionOf(log);
    const [placed, maybe, not, back] = await take(execution);
    await inTime(execution.mark([placed, maybe, not, back].filter((call) => call !== undefined)));
    const before = tables.requests.POST;
    await inTime(
      Promise.all([
        placed?.writePlaced(4001, NOON),
        maybe?.writeMaybePlaced(new Error('reset')),
        not?.writeNotPlaced({ kind: 'never', reason: 'no such script' }),
        back?.writeNotPlaced({ kind: 'later', at: NOON + MINUTE_MS, reason: 'away' }),
      ]),
    );
    // One for what became of the calls, and one for the end of the call that was surely not placed.
    expect(tables.requests.POST - before).toBe(2);
    expect(tables.rows).toMatchObject([
      {
        status: 'scheduled',
        lastError: 'away',
        dueAt: isoTime(NOON + MINUTE_MS),
        triggeredAt: null,
      },
      { status: 'in_progress', orderId: '4001', triggeredAt: isoTime(NOON), lastError: null },
      { status: 'maybe_placed', lastError: 'reset', runAt: null },
      { status: 'not_placed', lastError: 'no such script', triggeredAt: null },
    ]);
    expect(await execution.due.underWay(10)).toMatchObject({ count: 1 });
  });

  it('puts back and refuses only rows that still wait', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(6), NOON - MINUTE_MS);
    const execution = executionOf(log);
    const calls = await take(execution);
    await cancelScheduled(log, { phone: '+12025551001' });
    const before = tables.requests.PATCH;
    const later = { kind: 'later' as const, at: NOON + MINUTE_MS, reason: 'at night' };
    await inTime(
      Promise.all(calls.slice(0, 4).map(async (call) => await call.writeNotPlaced(later))),
    );
    expect(tables.requests.PATCH - before).toBe(1);
    const listed = { kind: 'never' as const, reason: 'on the list' };
    await inTime(
      Promise.all(calls.slice(4).map(async (call) => await call.writeNotPlaced(listed))),
    );
    expect(statusesOf(tables)).toEqual([
      ...['scheduled', 'scheduled', 'scheduled'],
      // Ends are rows of their own, in the order in which they came.
      ...['cancelled', 'not_placed', 'not_placed'],
    ]);
  });

  it('leaves a row that came in between since the read, and places the others', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(3), NOON - MINUTE_MS);
    const [, between] = tables.rows;
    Object.assign(between ?? {}, { runAt: NOON + MINUTE_MS, dueAt: null });
    const execution = executionOf(log);
    const calls = await take(execution);
    Object.assign(between ?? {}, { runAt: NOON - MINUTE_MS });
    expect(await execution.mark(calls)).toHaveLength(2);
    expect(statusesOf(tables)).toEqual(['placing', 'scheduled', 'placing']);
    expect(tables.rows[1]).toMatchObject({ triggeredAt: null, lockedBy: '', lockedUntil: 0 });
  });

  it('is not tried again when the call was cancelled since its first request', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    const [call] = await take(executionOf(log));
    await call?.mark();
    await call?.mark();
    await cancelScheduled(log, { orderNumber: 'A-0' });
    await expect(call?.mark()).rejects.toThrow(NoLongerScheduled);
    expect(statusesOf(tables)).toEqual(['cancelled']);
  });

  it('puts back what was marked and not sent, also by an execution that has read others since', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(3), NOON - MINUTE_MS);
    const execution = executionOf(log);
    await execution.mark(await take(execution, 1));
    await take(execution);
    await inTime(execution.rows.putBackUnsent());
    expect(statusesOf(tables)).toEqual(['scheduled', 'scheduled', 'scheduled']);
    expect(tables.rows[0]).toMatchObject({ runAt: NOON, triggeredAt: null });
  });

  it('takes marks back, except those of calls that were cancelled meanwhile', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(2), NOON - MINUTE_MS);
    const execution = executionOf(log);
    const calls = await execution.mark(await take(execution));
    await cancelScheduled(log, { orderNumber: 'A-1' });
    await execution.rows.unmark(calls);
    expect(calls.map(({ state, isMarked }) => [state, isMarked])).toEqual([
      ['waiting', false],
      ['placing', false],
    ]);
    await inTime(execution.rows.putBackUnsent());
    expect(statusesOf(tables)).toEqual(['scheduled', 'cancelled']);
  });

  it('puts calls back in order, and keeps the time to which a person has moved one', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(3), NOON - MINUTE_MS);
    const calls = await take(executionOf(log));
    const moved = isoTime(NOON + 60 * MINUTE_MS);
    Object.assign(tables.rows[1] ?? {}, { dueAt: moved });
    const how = { kind: 'later' as const, at: NOON + MINUTE_MS, reason: 'at night' };
    for (const call of calls) await inTime(call.writeNotPlaced(how));
    const [first, second, third] = tables.rows;
    expect(second).toMatchObject({ dueAt: moved, lastError: null });
    expect([first?.lastError, third?.lastError]).toEqual(['at night', 'at night']);
    expect(Number(third?.runAt)).toBeGreaterThan(Number(first?.runAt));
  });

  it('tells of a killed execution that its call may have been placed', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    const [call] = await take(executionOf(log));
    await inTime(call?.mark() ?? Promise.resolve());
    await endAbandoned(log, NOON + 10 * MINUTE_MS);
    expect(statusesOf(tables)).toEqual(['maybe_placed']);
    expect(await executionOf(log).due.read(NOON + 1e9, 10)).toEqual([]);
  });
});

describe('rows between those that change together', () => {
  it('stay as they are while it is written that their calls were placed', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(3), NOON - MINUTE_MS);
    const execution = executionOf(log);
    const calls = await take(execution);
    await inTime(execution.mark(calls));
    const [first, placed, last] = calls;
    const writing = placed?.writePlaced(4001, NOON);
    const later = { kind: 'later' as const, at: NOON + MINUTE_MS, reason: 'at night' };
    await inTime(Promise.all([writing, first?.writeNotPlaced(later), last?.writeNotPlaced(later)]));
    expect(statusesOf(tables)).toEqual(['scheduled', 'scheduled', 'in_progress']);
  });
});

describe('an execution that was killed while it placed a call', () => {
  it('is told of, though a scheduled row of the same attempt was written again', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    const again = { ...tables.rows[0] };
    const [call] = await take(executionOf(log));
    await inTime(call?.mark() ?? Promise.resolve());
    tables.insert([again]);
    const later = NOON + 10 * MINUTE_MS;
    await endAbandoned(log, later);
    expect(await executionOf(log).due.read(later, 10)).toEqual([]);
    expect(statusesOf(tables)).toEqual(['maybe_placed']);
  });

  it.each([null, NOON + 1e12])('is told of whatever time stands in its row: %s', async (time) => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    const [call] = await take(executionOf(log));
    await inTime(call?.mark() ?? Promise.resolve());
    Object.assign(tables.rows[0] ?? {}, { lockedUntil: time });
    await endAbandoned(log, NOON);
    expect(statusesOf(tables)).toEqual(['maybe_placed']);
  });
});

/** One call, placed and going on. */
async function placeOne(log: CallLog, orderId: number): Promise<void> {
  const [call] = await take(executionOf(log));
  await inTime(call?.mark() ?? Promise.reject(new Error('nothing is due')));
  await inTime(call?.writePlaced(orderId, Date.now()) ?? Promise.resolve());
  jest.setSystemTime(Date.now() + MINUTE_MS);
}

describe('a call that has ended and that a person has scheduled again', () => {
  it('is placed again only once its end is emptied, without what the call before has told', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1, { rules: {} }), NOON - MINUTE_MS);
    await placeOne(log, 4001);
    await end(log, 'No answer');
    Object.assign(tables.rows[0] ?? {}, { status: 'scheduled' });
    jest.setSystemTime(Date.now() + MINUTE_MS);
    await executionOf(log).due.mendTimes(Date.now());
    expect(await take(executionOf(log))).toEqual([]);
    Object.assign(tables.rows[0] ?? {}, { finishedAt: null });
    await executionOf(log).due.mendTimes(Date.now());
    await placeOne(log, 4002);
    expect(tables.rows).toMatchObject([
      { status: 'in_progress', orderId: '4002', finishedAt: null, outcome: null, outcomeKey: null },
    ]);
    expect(await executionOf(log).due.underWay(10)).toMatchObject({ count: 1 });
    expect(await end(log, 'Confirmed')).toHaveLength(1);
  });
});

describe('a call that goes on and that a person has scheduled again', () => {
  it.each([
    ['without another time', {}],
    ['for later', { dueAt: isoTime(NOON + 60 * MINUTE_MS) }],
  ])('keeps its order id, and nobody is called before its outcome: %s', async (_, edit) => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    await placeOne(log, 4001);
    Object.assign(tables.rows[0] ?? {}, { status: 'scheduled', ...edit });
    await executionOf(log).due.mendTimes(Date.now());
    const { value } = await executionOf(log).due.peek(Date.now()).next();
    expect(value).toMatchObject({ waiting: [STILL_UNDER_WAY] });
    expect(await take(executionOf(log))).toEqual([]);
    expect(tables.rows).toMatchObject([
      { status: 'in_progress', orderId: '4001', lastError: STILL_UNDER_WAY },
    ]);
    expect(await end(log, 'Confirmed')).toMatchObject([{ orderId: '4001', outcome: 'Confirmed' }]);
    expect(await take(executionOf(log))).toEqual([]);
  });

  it('is not cancelled, but tried no further', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1, { retry: RETRY }), NOON - MINUTE_MS);
    await placeOne(log, 4001);
    Object.assign(tables.rows[0] ?? {}, { status: 'scheduled' });
    expect(await cancelScheduled(log, { orderNumber: 'A-0' })).toMatchObject({
      ...{ cancelled: 1, goOn: 1, inProgress: 0 },
    });
    expect(tables.rows).toMatchObject([
      { status: 'in_progress', orderId: '4001' },
      { status: 'cancelled', attempt: 2 },
    ]);
  });

  it('is told as in progress by Cancel', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    await placeOne(log, 4001);
    Object.assign(tables.rows[0] ?? {}, { status: 'scheduled' });
    const told = { cancelled: 0, goOn: 0, inProgress: 1 };
    expect(await cancelScheduled(log, { phone: '+12025551000' })).toMatchObject(told);
    expect(await end(log, 'Confirmed')).toMatchObject([{ orderId: '4001', outcome: 'Confirmed' }]);
  });

  it('is placed when the person has also emptied orderId', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    await placeOne(log, 4001);
    Object.assign(tables.rows[0] ?? {}, { status: 'scheduled', orderId: null });
    await placeOne(log, 4002);
    expect(tables.rows).toMatchObject([{ status: 'in_progress', orderId: '4002' }]);
  });
});

describe('a call that two tries of an execution have written', () => {
  it.each<[string, 'none' | { reason: string }]>([
    ['leaves it out', 'none'],
    ['does not place it', { reason: 'Nobody was called' }],
  ])('stays scheduled by the first when the second %s', async (_, verdict) => {
    const { tables, log } = await openLog();
    const calls = asList(several(1));
    const first = await Scheduling.writeAhead(log, calls);
    const second = await Scheduling.writeAhead(log, calls);
    await first.settle(['scheduled']);
    await second.settle([verdict]);
    expect(tables.rows.map(({ id, status, batch }) => [id, status, batch])).toContainEqual([
      1,
      'scheduled',
      '',
    ]);
  });
});

describe('the next attempt', () => {
  it('follows no plan with a delay that never ends, and holds up no other call', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(2, { retry: RETRY }), NOON - MINUTE_MS);
    await placeOne(log, 4001);
    await placeOne(log, 4002);
    const first = tables.rows.find(({ orderId }) => orderId === '4001');
    Object.assign(first ?? {}, { request: String(first?.request).replace('30', '1e13') });
    expect(await end(log, 'No answer')).toHaveLength(2);
    const next = tables.rows.filter(({ status }) => status === 'scheduled');
    expect(next.map(({ orderNumber }) => orderNumber)).toEqual(['A-1']);
  });

  it('rings the phone that a person wrote into the row while the call went on', async () => {
    const { tables, log } = await openLog();
    await schedule(log, [requestOf(1, { retry: RETRY })], NOON - MINUTE_MS);
    await placeOne(log, 4001);
    const now = Date.now();
    const [locked] = structuredClone(await log.lockDue(now, 100, now + MINUTE_MS));
    Object.assign(tables.rows[0] ?? {}, { customerPhone: '+12025559999' });
    const columns = outcomeColumns(outcomeOf(4001, 'No answer'), now);
    await recordEnds(log, locked === undefined ? [] : [{ row: locked, columns }]);
    expect(tables.rows.map(({ attempt, customerPhone }) => [attempt, customerPhone])).toEqual([
      [1, '+12025559999'],
      [2, '+12025559999'],
    ]);
  });

  it('is written once with the end that asks for it, as often as the plan says', async () => {
    const { tables, log } = await openLog();
    await schedule(log, [requestOf(1, { retry: RETRY })], NOON - MINUTE_MS);
    for (const attempt of [1, 2, 3]) {
      await placeOne(log, 4000 + attempt);
      const [row] = await end(log, 'No answer');
      const minutes = RETRY.afterMinutes[attempt - 1];
      const next = tables.rows.find(({ status }) => status === 'scheduled');
      if (minutes === undefined) expect(next).toBeUndefined();
      else {
        const dueAt = Date.parse(String(row?.finishedAt)) + minutes * MINUTE_MS;
        expect(next).toMatchObject({ attempt: attempt + 1, dueAt: isoTime(dueAt), orderId: null });
        jest.setSystemTime(dueAt + 1_000);
      }
    }
    expect(statusesOf(tables)).toEqual(['completed', 'completed', 'completed']);
  });

  it('is not written for an outcome that the plan does not name', async () => {
    const { tables, log } = await openLog();
    await schedule(log, [requestOf(1, { retry: RETRY })], NOON - MINUTE_MS);
    await placeOne(log, 4001);
    await end(log, 'Order confirmed');
    expect(statusesOf(tables)).toEqual(['completed']);
  });

  it('is written once when two write the same end', async () => {
    const { tables, log } = await openLog();
    await schedule(log, [requestOf(1, { retry: RETRY })], NOON - MINUTE_MS);
    await placeOne(log, 4001);
    const open = { ...(tables.rows[0] as Row) };
    const ended = { row: open, columns: outcomeColumns(outcomeOf(4001, 'No answer'), NOON) };
    await recordEnds(log, [ended]);
    await recordEnds(log, [ended]);
    expect(statusesOf(tables).filter((status) => status === 'scheduled')).toHaveLength(1);
  });
});

describe('cancelling', () => {
  it('keeps the next attempt of a call that goes on from being made, and touches nothing else', async () => {
    const { tables, log } = await openLog();
    await schedule(log, [requestOf(1, { retry: RETRY })], NOON - MINUTE_MS);
    await placeOne(log, 4001);
    const open = { ...tables.rows[0] };
    expect(await cancelScheduled(log, { orderNumber: 'A-1' })).toMatchObject({ cancelled: 1 });
    expect(await cancelScheduled(log, { orderNumber: 'A-1' })).toMatchObject({ cancelled: 0 });
    expect(tables.rows[0]).toEqual(open);
    const [ended] = await end(log, 'No answer');
    expect(ended?.nextAttemptAt).toBeNull();
    expect(statusesOf(tables)).toEqual(['completed', 'cancelled']);
  });

  it('cancels a next attempt that waits, and counts calls', async () => {
    const { tables, log } = await openLog();
    const [callId = ''] = await schedule(log, [requestOf(1, { retry: RETRY })], NOON - MINUTE_MS);
    await placeOne(log, 4001);
    await end(log, 'No answer');
    await schedule(log, several(2), NOON);
    expect(await cancelScheduled(log, { callId })).toMatchObject({ cancelled: 1 });
    expect(statusesOf(tables)).toEqual(['completed', 'scheduled', 'scheduled', 'cancelled']);
  });

  it.each([
    ['placing', { cancelled: 0, placing: 1 }],
    ['in_progress', { cancelled: 0, inProgress: 1 }],
  ])('does not count a late copy of a row that says %s', async (status, told) => {
    const { tables, log } = await openLog();
    await schedule(log, [requestOf(1)], NOON - MINUTE_MS);
    const [waiting] = tables.rows;
    const begun = { ...contentOf(waiting as Row), status };
    await log.insertRows([begun]);
    expect(await inTime(cancelScheduled(log, { orderNumber: 'A-1' }))).toMatchObject(told);
    expect(statusesOf(tables)).toEqual([status]);
  });

  it('holds also for a call that is being placed, should it come back', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(2, { orderNumber: 'A-1' }), NOON - MINUTE_MS);
    const execution = executionOf(log);
    const calls = await take(execution);
    await inTime(execution.mark(calls));
    await cancelScheduled(log, { orderNumber: 'A-1' });
    expect(statusesOf(tables)).toEqual(['placing', 'placing']);
    const [back, rings] = calls;
    const later = { kind: 'later' as const, at: NOON + MINUTE_MS, reason: 'too many requests' };
    await inTime(back?.writeNotPlaced(later) ?? Promise.resolve());
    await inTime(rings?.writePlaced(4001, NOON) ?? Promise.resolve());
    expect(tables.rows).toMatchObject([
      { status: 'cancelled', runAt: null, triggeredAt: null },
      { status: 'in_progress', lastError: null },
    ]);
  });

  it('is heard before the request when the answer to the marking of the row was lost', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(2, { orderNumber: 'A-1' }), NOON - MINUTE_MS);
    const execution = executionOf(log);
    const calls = await take(execution);
    const mark = log.tables.updateAndReturn.bind(log.tables);
    jest.spyOn(log.tables, 'updateAndReturn').mockImplementationOnce(async (...change) => {
      await mark(...change);
      await cancelScheduled(log, { orderNumber: 'A-1' });
      return [];
    });
    expect(await inTime(execution.mark(calls))).toEqual([]);
    await inTime(execution.rows.putBackUnsent());
    expect(statusesOf(tables)).toEqual(['cancelled', 'cancelled']);
  });

  it('reaches a list that is being written, and its call never becomes due', async () => {
    const { tables, log } = await openLog();
    const list = await Scheduling.writeAhead(log, asList(several(3)));
    expect(await cancelScheduled(log, { orderNumber: 'A-1' })).toMatchObject({ cancelled: 1 });
    await list.settle(['scheduled', 'scheduled', 'scheduled']);
    expect(statusesOf(tables)).toEqual(['scheduled', 'scheduled', 'cancelled']);
    jest.setSystemTime(NOON + MINUTE_MS);
    expect(phonesOf(await take(executionOf(log)))).toEqual(['+12025551000', '+12025551002']);
  });

  it.each([
    ['an order, with spaces around its number', { orderNumber: ' A-1 ' }],
    ['an order, by another spelling', { orderNumber: 'order no. a-1' }],
    ['a person', { phone: '+12025551001' }],
  ])('cancels the calls of %s, and no others', async (_, by) => {
    const { tables, log } = await openLog();
    await schedule(log, several(12), NOON);
    expect(await cancelScheduled(log, by)).toMatchObject({ cancelled: 1, goOn: 0 });
    const cancelled = tables.rows.filter(({ status }) => status === 'cancelled');
    expect(cancelled.map(({ orderNumber }) => orderNumber)).toEqual(['A-1']);
  });

  it('cancels one call by its id, with spaces around it, and not the others of its order', async () => {
    const { tables, log } = await openLog();
    const [callId = ''] = await schedule(log, several(2, { orderNumber: 'A-1' }), NOON);
    expect(await cancelScheduled(log, { callId: ` ${callId} ` })).toMatchObject({ cancelled: 1 });
    expect(statusesOf(tables).sort()).toEqual(['cancelled', 'scheduled']);
  });

  it('has nobody called by a retry of an execution that did not place the call', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(2), NOON - MINUTE_MS);
    const [first, second] = tables.rows;
    const over = { status: 'not_placed', finishedAt: isoTime(NOON) };
    Object.assign(first ?? {}, over);
    Object.assign(second ?? {}, over);
    expect(await cancelScheduled(log, { orderNumber: 'A-0' })).toMatchObject({ notPlaced: 1 });
    expect(statusesOf(tables)).toEqual(['cancelled', 'not_placed']);
  });

  it('counts a call once whose attempts have ended or go on, as one that goes on', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    await placeOne(log, 4001);
    await end(log, 'No answer');
    const [ended] = tables.rows;
    const open = { status: 'in_progress', orderId: '4002', finishedAt: null, runAt: 1 };
    tables.insert([{ ...ended, ...open, attempt: 2 }]);
    tables.insert([{ ...ended, attempt: 3 }]);
    const told = { cancelled: 0, goOn: 0, inProgress: 1, ended: 0 };
    expect(await cancelScheduled(log, { orderNumber: 'A-0' })).toMatchObject(told);
  });

  it('finds a phone in which one digit was typed in another script', async () => {
    const { tables, log } = await openLog();
    await schedule(log, [requestOf(1)], NOON);
    Object.assign(tables.rows[0] ?? {}, { customerPhone: '+1 202 555 100\uff11' });
    expect(await cancelScheduled(log, { phone: '+12025551001' })).toMatchObject({ cancelled: 1 });
    expect(statusesOf(tables)).toEqual(['cancelled']);
  });

  it('stops a call to which a later try of its execution may come', async () => {
    const { tables, log } = await openLog();
    const { calls } = await LoggedCalls.writeAhead(log, newCalls([requestOf(1)]), TEN_AT_ONCE);
    await inTime(calls[0]?.writeNotPlaced({ kind: 'leftOpen', reason: 'R' }) ?? Promise.resolve());
    expect(statusesOf(tables)).toEqual(['not_placed']);
    expect(await cancelScheduled(log, { orderNumber: 'A-1' })).toMatchObject({ cancelled: 1 });
    expect(tables.rows).toMatchObject([{ status: 'cancelled', finishedAt: expect.any(String) }]);
  });

  it.each(['cancel', 'completed', 'done '])(
    'says that a call may still be placed whose status a person has made %p',
    async (status) => {
      const { tables, log } = await openLog();
      await schedule(log, [requestOf(1)], NOON);
      Object.assign(tables.rows[0] ?? {}, { status });
      const told = { cancelled: 0, ended: 0, unknown: 1 };
      expect(await cancelScheduled(log, { orderNumber: 'A-1' })).toMatchObject(told);
    },
  );

  it('says what it could not stop, and what had ended', async () => {
    const { log } = await openLog();
    await schedule(log, [requestOf(1)], NOON - MINUTE_MS);
    await placeOne(log, 4001);
    await schedule(log, several(3, { orderNumber: 'A-1' }), NOON);
    const execution = executionOf(log);
    await inTime(execution.mark(await take(execution, 1)));
    expect(await cancelScheduled(log, { orderNumber: 'A-1' })).toEqual({
      ...{
        cancelled: 2,
        phones: 2,
        goOn: 0,
        onceMore: 0,
        inProgress: 1,
        placing: 1,
        cancelledBefore: 0,
        ended: 0,
        notPlaced: 0,
        inDoubt: 0,
        unknown: 0,
        outOfReach: [],
      },
    });
    expect(await cancelScheduled(log, { orderNumber: 'A-1' })).toMatchObject({
      ...{ cancelled: 0, inProgress: 1, placing: 1, ended: 0, cancelledBefore: 2 },
    });
  });

  it('leaves calls that go on and have no further attempt', async () => {
    const { tables, log } = await openLog();
    await schedule(log, several(1), NOON - MINUTE_MS);
    await placeOne(log, 4001);
    expect(await cancelScheduled(log, { phone: '+12025551000' })).toMatchObject({ cancelled: 0 });
    expect(statusesOf(tables)).toEqual(['in_progress']);
  });
});

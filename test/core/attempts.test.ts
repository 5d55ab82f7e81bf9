import type { IDataObject } from 'n8n-workflow';
import { recordEnds } from '../../nodes/OutboundAiCalling/callLog/ends/ends';
import type { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { cancelScheduled } from '../../nodes/OutboundAiCalling/callLog/scheduling/cancelling';
import { Lock } from '../../nodes/OutboundAiCalling/callLog/lock';
import { endAwaited } from '../../nodes/OutboundAiCalling/callLog/placing/awaitedEnd';
import { LoggedCalls } from '../../nodes/OutboundAiCalling/callLog/placing/loggedCalls';
import {
  endsToHandOver,
  giveUpAfterMsOf,
} from '../../nodes/OutboundAiCalling/callLog/ends/cursors';
import { outcomeColumns } from '../../nodes/OutboundAiCalling/callLog/table/rowColumns';
import type { RowToPlace } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { lookAtOpenCalls } from '../../nodes/OutboundAiCalling/trigger/lookAtOpenCalls';
import { OutcomeReader } from '../../nodes/OutboundAiCalling/trigger/outcomeReader';
import { DueExecution, newCalls, scheduleInto, TEN_AT_ONCE } from '../newCalls';
import { openLogOf } from '../n8n/loggedFromOutside';
import { startCallingService, type CallingService } from '../service';
import { listOf } from '../dataTables/doNotCallTable';
import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';
import type { Publication } from './triggerEngine';
import { publishWatch } from './watchedLog';

let tables: DataTablesServer;
let service: CallingService;
let table: string;
let log: CallLog;
let logs = 0;
/** What the next calls end with. */
let label = 'no_answer';

beforeAll(async () => {
  tables = await startDataTablesServer();
  // Every call ends before anybody looks.
  service = await startCallingService({
    speed: 100_000,
    outcomeFor: () => ({ status: 'completed', label }),
  });
});
afterAll(async () => {
  await tables.close();
  await service.close();
});
beforeEach(async () => {
  label = 'no_answer';
  tables.faultOf = () => undefined;
  table = `Attempts ${++logs}`;
  log = await openLogOf(service, tables.baseUrl, 'key', table);
});

const MINUTE_MS = 60_000;
/** The service says `no_answer`. */
const RETRY = { outcomes: ['noanswer'], afterMinutes: [30, 120] };

async function schedule(count = 1): Promise<string[]> {
  const requests = Array.from({ length: count }, (_, index) => ({
    scriptId: 7,
    customerPhone: `+1202555${1000 + index}`,
    orderNumber: `A-${index}`,
    variables: {},
    retry: RETRY,
  }));
  return await scheduleInto(log, requests, Date.now() - 1_000);
}

/** Lets the log believe that what is scheduled or open is due. */
function makeDue(): void {
  for (const row of tables.rowsOf(table)) {
    const isWaiting = row.status === 'scheduled' || row.status === 'in_progress';
    const runAt = Date.now() - 1_000;
    if (isWaiting) Object.assign(row, { runAt, dueAt: new Date(runAt).toISOString() });
  }
}

async function dial(call: RowToPlace): Promise<void> {
  await call.mark();
  const { scriptId, customerPhone } = call.row;
  const response = await fetch(`${service.baseUrl}/api/v1/calls/trigger`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'test-key' },
    body: JSON.stringify({ scriptId, customerPhone }),
  });
  const { order_id: orderId } = (await response.json()) as { order_id: number };
  await call.writePlaced(orderId, Date.now());
}

async function placeDue(): Promise<number> {
  makeDue();
  const calls = await new DueExecution(log).read();
  await Promise.all(calls.map(dial));
  makeDue();
  return calls.length;
}

function publish(
  options: IDataObject = {},
  workflowId = `workflow of ${table}`,
  more: IDataObject = {},
): Publication {
  const parameters = { ...more, options: { fastChecks: false, ...options } };
  return publishWatch({ service, tables, table }, parameters, { workflowId });
}

const attemptsOf = ({ fired }: Publication) =>
  fired.map(({ attempt, nextAttemptAt }) => [attempt, nextAttemptAt !== null]);

describe('the items of a call with several attempts', () => {
  it('say which attempt they are of, and when the next comes', async () => {
    const all = publish();
    const final = publish({ finalOnly: true }, `final of ${table}`);
    for (const one of [all, final]) await one.poll();
    await schedule();
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(await placeDue()).toBe(1);
      for (const one of [all, final]) await one.poll();
    }
    expect(await placeDue()).toBe(0);
    expect(attemptsOf(all)).toEqual([
      [1, true],
      [2, true],
      [3, false],
    ]);
    expect(attemptsOf(final)).toEqual([[3, false]]);
    expect(new Set(all.fired.map(({ eventId }) => eventId)).size).toBe(3);
    const [row] = tables.rowsOf(table).filter(({ attempt }) => attempt === 1);
    const next = Date.parse(String(row?.finishedAt)) + 30 * MINUTE_MS;
    expect(all.fired[0]?.nextAttemptAt).toBe(new Date(next).toISOString());
  });

  it('fire once for last attempts when the customer is reached', async () => {
    const final = publish({ finalOnly: true });
    await final.poll();
    await schedule();
    await placeDue();
    await final.poll();
    label = 'Order confirmed';
    await placeDue();
    await final.poll();
    expect(attemptsOf(final)).toEqual([[2, false]]);
  });

  it('say that there is no next attempt when the call was cancelled while it went on', async () => {
    const trigger = publish();
    await trigger.poll();
    await schedule();
    await placeDue();
    expect(await cancelScheduled(log, { orderNumber: 'A-0' })).toMatchObject({ cancelled: 1 });
    await trigger.poll();
    expect(attemptsOf(trigger)).toEqual([[1, false]]);
    expect(await placeDue()).toBe(0);
  });

  it('say what was to follow when the end was written, and that it was cancelled since', async () => {
    const both = { events: ['outcomeAvailable', 'outcomeUnavailable'] };
    const all = publish();
    const final = publish({ finalOnly: true }, `final of ${table}`, both);
    const finalOutcome = publish({ finalOnly: true }, `final outcomes of ${table}`);
    for (const one of [all, final, finalOutcome]) await one.poll();
    await schedule(2);
    await placeDue();
    // Somebody else writes the ends, and the next attempts.
    const other = publish({}, `other of ${table}`);
    await other.poll();
    expect(await cancelScheduled(log, { orderNumber: 'A-0' })).toMatchObject({ cancelled: 1 });
    for (const one of [all, final, finalOutcome]) await one.poll();
    expect(all.fired.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual([
      expect.any(String),
      expect.any(String),
    ]);
    expect(final.fired).toMatchObject([
      { customerPhone: '+12025551000', attempt: 2, endReason: 'cancelled', nextAttemptAt: null },
    ]);
    expect(finalOutcome.fired).toMatchObject([
      { customerPhone: '+12025551000', event: 'outcomeAvailable', attempt: 1, nextAttemptAt: null },
    ]);
  });
});

describe('an execution that waits for the end of an attempt', () => {
  it('writes the end of that attempt, though the call has others', async () => {
    const retry = { outcomes: ['confirmed'], afterMinutes: [5] };
    const request = { scriptId: 7, customerPhone: '+12025550101', variables: {}, retry };
    const { calls } = await LoggedCalls.writeAhead(log, newCalls([request]), TEN_AT_ONCE);
    const [call] = calls;
    await call?.mark();
    await call?.writePlaced(4001, Date.now());
    // Of another attempt at the same call, which others wait for.
    const [first] = tables.rowsOf(table);
    tables.rowsOf(table).push({ ...first, id: 900, attempt: 2, orderId: '4002' } as never);
    const body = {
      success: true,
      orderId: 4001,
      callStatus: 'completed',
      callOutcome: 'Confirmed',
    };
    if (call !== undefined) await endAwaited(call, readOutcome(body, 4001));
    expect(call?.problem).toBeUndefined();
    const rows = tables.rowsOf(table).map(({ attempt, status }) => [attempt, status]);
    expect(rows).toEqual(
      expect.arrayContaining([
        [1, 'completed'],
        [2, 'in_progress'],
      ]),
    );
  });
});

describe('an execution that waits, whose answers from n8n are lost', () => {
  it.each([true, false])('writes the end, also of a row that was moved: %s', async (isMoved) => {
    const request = { scriptId: 7, customerPhone: '+12025550101', variables: {} };
    const { calls } = await LoggedCalls.writeAhead(log, newCalls([request]), TEN_AT_ONCE);
    const [call] = calls;
    await call?.mark();
    await call?.writePlaced(4001, Date.now());
    if (isMoved) for (const row of tables.rowsOf(table)) row.runAt = Date.now() + 1_000;
    let lost = 0;
    tables.faultOf = ({ method, url }) =>
      method === 'PATCH' && url.includes('/rows/update') && ++lost <= 2
        ? { kind: 'reset', when: 'after' }
        : undefined;
    if (call !== undefined)
      await endAwaited(
        call,
        readOutcome({ success: true, orderId: 4001, callStatus: 'completed' }, 4001),
      );
    expect(lost).toBeGreaterThan(0);
    expect(call?.problem).toBeUndefined();
    expect(tables.rowsOf(table).map(({ status }) => status)).toEqual(['completed']);
  });
});

describe('a status of the service that is one of our words', () => {
  it('has nobody called again', async () => {
    await schedule();
    await placeDue();
    const now = Date.now();
    const open = await log.lockDue(now, 1, now + MINUTE_MS);
    const body = {
      success: true,
      orderId: 4001,
      callStatus: 'scheduled',
      callOutcome: 'Confirmed',
    };
    const columns = outcomeColumns(readOutcome(body, 4001), now);
    await recordEnds(
      log,
      open.map((row) => ({ row, columns })),
    );
    makeDue();
    expect(await placeDue()).toBe(0);
    expect(tables.rowsOf(table).map(({ outcomeKey }) => outcomeKey)).toEqual(['confirmed']);
  });
});

describe('an outcome that a person writes into the row of a call', () => {
  let trigger: Publication;
  beforeEach(async () => {
    trigger = publish();
    await trigger.poll();
    await schedule();
    await placeDue();
  });
  const write = (cells: IDataObject) => {
    for (const row of tables.rowsOf(table)) if (row.attempt === 1) Object.assign(row, cells);
  };
  const nextOf = () => tables.rowsOf(table).filter(({ attempt }) => attempt === 2);

  it('is followed by another attempt as the plan says', async () => {
    write({ status: 'no_answer' });
    await trigger.poll();
    const [fired] = trigger.fired;
    expect(fired).toMatchObject({ attempt: 1, nextAttemptAt: expect.any(String) });
    expect(nextOf()).toMatchObject([{ status: 'scheduled', dueAt: fired?.nextAttemptAt }]);
  });

  it('is followed by the next attempt that there is, and by no second one', async () => {
    const [first] = tables.rowsOf(table);
    const dueAt = new Date(Date.now() + 60 * MINUTE_MS).toISOString();
    const planned = { status: 'scheduled', orderId: null, triggeredAt: null };
    tables.rowsOf(table).push({
      ...first,
      ...planned,
      ...{ id: 900, attempt: 2, runAt: Date.parse(dueAt), dueAt },
    } as never);
    write({ status: 'no_answer' });
    await trigger.poll();
    expect(trigger.fired).toMatchObject([{ attempt: 1, nextAttemptAt: expect.any(String) }]);
    expect(nextOf()).toMatchObject([{ status: 'scheduled', dueAt }]);
  });

  it('puts on the do-not-call list whom the plan says', async () => {
    tables.tables.push(listOf([]));
    const [first] = tables.rowsOf(table);
    const rules = {
      doNotCallTable: { mode: 'name', value: 'Do not call' },
      doNotCallOutcomes: 'wrong_number',
    };
    const stored = { ...(JSON.parse(String(first?.request)) as IDataObject), rules };
    const outcome = { status: 'completed', outcome: 'Wrong number' };
    write({ ...outcome, request: JSON.stringify(stored) });
    await trigger.poll();
    expect(tables.rowsOf('Do not call')).toMatchObject([{ phone: '+12025551000' }]);
  });
});

describe('looking at open calls without a trigger', () => {
  it('writes ends and next attempts, tells of each, and goes on for calls placed meanwhile', async () => {
    await schedule(3);
    await placeDue();
    const ended: string[] = [];
    const stop = new AbortController();
    const onEnd = (key: string) => {
      ended.push(key);
      if (ended.length === 4) stop.abort();
    };
    const looking = lookAtOpenCalls(log, onEnd, {
      reader: new OutcomeReader({ readOutcome: readFrom }),
      forMs: 30_000,
      oneRound: false,
      signal: stop.signal,
      giveUpAfterMs: await giveUpAfterMsOf(log),
    });
    while (ended.length < 3) await new Promise((resolve) => setTimeout(resolve, 50));
    // One is placed while it expects nothing.
    const [next] = tables.rowsOf(table).filter(({ status }) => status === 'scheduled');
    const runAt = Date.now() - 1;
    if (next !== undefined) Object.assign(next, { runAt, dueAt: new Date(runAt).toISOString() });
    const calls = await new DueExecution(log).read(1);
    await Promise.all(calls.map(dial));
    for (const row of tables.rowsOf(table)) {
      if (row.status === 'in_progress') row.runAt = Date.now() - 1;
    }
    expect((await looking).looks).toBe(4);
    expect(ended.filter((key) => key.endsWith('#2'))).toHaveLength(1);
    const scheduled = tables.rowsOf(table).filter(({ status }) => status === 'scheduled');
    expect(scheduled.map(({ attempt }) => attempt).sort()).toEqual([2, 2, 3]);
  });
});

async function readFrom(orderId: number) {
  const body = { success: true, orderId, callStatus: 'completed', callOutcome: label };
  return await Promise.resolve({
    finished: true as const,
    result: readOutcome(body, orderId),
    body,
  });
}

describe('the right to place scheduled calls', () => {
  it('is no place of a trigger: no end waits for it, and it has no patience', async () => {
    const lock = await Lock.acquire(log, { name: 'place scheduled calls', workflow: 'one' });
    await schedule();
    await placeDue();
    label = 'Order confirmed';
    const now = Date.now();
    const [row] = await log.lockDue(now, 1, now + MINUTE_MS);
    const columns = { status: 'completed', finishedAt: new Date(now).toISOString() };
    const { written } = await recordEnds(log, row === undefined ? [] : [{ row, columns }]);
    const ended = written[0]?.end;
    const { waitedForBy: waitedFor } = await endsToHandOver(log, Date.now());
    expect(ended && waitedFor(ended)).toBeUndefined();
    expect(await giveUpAfterMsOf(log)).toBe(24 * 3_600_000);
    const trigger = publish({ giveUpAfterHours: 2 });
    await trigger.poll();
    expect(await giveUpAfterMsOf(log)).toBe(2 * 3_600_000);
    await publish({ giveUpAfterHours: 72 }).poll();
    expect(await giveUpAfterMsOf(log)).toBe(72 * 3_600_000);
    if (lock instanceof Lock) await lock.release();
  });
});

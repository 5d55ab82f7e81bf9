import type { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { recordEnds } from '../../nodes/OutboundAiCalling/callLog/ends/ends';
import { endAwaited } from '../../nodes/OutboundAiCalling/callLog/placing/awaitedEnd';
import { LoggedCalls } from '../../nodes/OutboundAiCalling/callLog/placing/loggedCalls';
import { firstLookAt } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { outcomeColumns } from '../../nodes/OutboundAiCalling/callLog/table/rowColumns';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { openCallLog, TEST_ACCOUNT } from '../n8n/callLogFromOutside';
import { newCalls, TEN_AT_ONCE } from '../newCalls';
import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';

let tables: DataTablesServer;
beforeAll(async () => {
  tables = await startDataTablesServer();
});
afterAll(async () => await tables.close());

let logs = 0;
let name: string;
let log: CallLog;
beforeEach(async () => {
  tables.faultOf = () => undefined;
  name = `Calls ${++logs}`;
  log = await openCallLog(tables.baseUrl, 'key', { mode: 'name', value: name });
});

const HOUR_MS = 3_600_000;
const request = { scriptId: 7, customerPhone: '+12025550101', variables: {} };
const outcome = readOutcome(
  { success: true, orderId: 4001, callStatus: 'completed', callOutcome: 'Confirmed' },
  4001,
);
const statuses = () => tables.rowsOf(name).map(({ status }) => status);

/** A call that an execution has placed and waits for. */
async function placed(waitMs: number) {
  const { calls } = await LoggedCalls.writeAhead(log, newCalls([request]), TEN_AT_ONCE);
  const [call] = calls;
  if (call === undefined) throw new Error('There is no call');
  await call.mark();
  const placedAt = Date.now() - waitMs;
  await call.writePlaced(4001, placedAt, firstLookAt(placedAt, waitMs));
  return call;
}

describe('the end of a call for which an execution waits', () => {
  it('is written by the execution when nobody else has taken the call', async () => {
    const call = await placed(0);
    await endAwaited(call, outcome);
    expect(call.problem).toBeUndefined();
    expect(statuses()).toEqual(['completed']);
  });

  it('is written by the execution also when a trigger has looked at the call and let it go', async () => {
    const call = await placed(20_000);
    const rows = await log.lockDue(Date.now(), 100, Date.now() + 30_000);
    await log.noteOpen(rows, { lookCount: 1, runAt: Date.now() + 5_000 }, rows);
    await endAwaited(call, outcome);
    expect(statuses()).toEqual(['completed']);
  });

  it('is left to a trigger that holds the call, so that it is written once', async () => {
    const call = await placed(20_000);
    const rows = await log.lockDue(Date.now(), 100, Date.now() + 30_000);
    expect(rows).toHaveLength(1);
    await endAwaited(call, outcome);
    expect(statuses()).toEqual(['in_progress']);
    const now = Date.now();
    await recordEnds(
      log,
      rows.map((row) => ({ row, columns: outcomeColumns(outcome, now) })),
    );
    await endAwaited(call, outcome);
    expect(statuses()).toEqual(['completed']);
    expect(call.problem).toBeUndefined();
  });

  it('is written by the execution when the trigger that held the call has died', async () => {
    const call = await placed(20_000);
    await log.lockDue(Date.now(), 100, Date.now() - 1_000);
    await endAwaited(call, outcome);
    expect(statuses()).toEqual(['completed']);
  });

  it('costs no more requests than it did', async () => {
    const call = await placed(0);
    const before = tables.count;
    await endAwaited(call, outcome);
    expect(tables.count - before).toBe(3);
  });
});

describe('rows that a dead execution has left', () => {
  const abandon = async () => {
    const { calls } = await LoggedCalls.writeAhead(log, newCalls([request, request]), TEN_AT_ONCE);
    await calls[0]?.mark();
    for (const row of tables.rowsOf(name)) row.lockedUntil = Date.now() - HOUR_MS;
  };
  /** A log is looked through every ten minutes, so another process does it. */
  const byAnotherProcess = async () => {
    await jest.isolateModulesAsync(async () => {
      const other = await import('../../nodes/OutboundAiCalling/callLog/placing/loggedCalls');
      await other.LoggedCalls.writeAhead(log, newCalls([request]), TEN_AT_ONCE);
    });
  };

  it('say that their calls may have been placed as soon as another execution writes', async () => {
    await abandon();
    expect(statuses()).toEqual(['placing', 'placing']);
    await byAnotherProcess();
    expect(statuses()).toEqual(['scheduled', 'maybe_placed', 'maybe_placed']);
  });

  it('hinder nobody from calling when they cannot be read', async () => {
    await abandon();
    tables.faultOf = ({ method, url }) =>
      method === 'GET' && url.includes('lockedUntil')
        ? { kind: 'status', when: 'before' }
        : undefined;
    await byAnotherProcess();
    expect(statuses()).toEqual(['placing', 'placing', 'scheduled']);
  });

  it('are looked for once in ten minutes', async () => {
    const requests = async () => {
      const before = tables.count;
      await LoggedCalls.writeAhead(log, newCalls([request]), TEN_AT_ONCE);
      return tables.count - before;
    };
    const first = await requests();
    expect([first, await requests(), await requests()]).toEqual([7, 3, 3]);
  });

  it('of other accounts stay as they are', async () => {
    await abandon();
    for (const row of tables.rowsOf(name)) row.account = `other than ${TEST_ACCOUNT}`;
    await byAnotherProcess();
    expect(statuses()).toEqual(['placing', 'placing', 'scheduled']);
  });
});

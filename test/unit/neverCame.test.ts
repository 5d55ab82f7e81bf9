import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { endAbandoned } from '../../nodes/OutboundAiCalling/callLog/ends/ends';
import { LoggedCalls } from '../../nodes/OutboundAiCalling/callLog/placing/loggedCalls';
import type { LoggedRequest } from '../../nodes/OutboundAiCalling/callLog/placing/loggedRequest';
import type { RowToPlace } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { newCalls, scheduleInto, TEN_AT_ONCE } from '../newCalls';
import { inTime } from './inTime';
import { MemoryTables } from './memoryTables';

const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-11-21T12:00:00Z');
const AFTERWARDS = NOON + 1.5 * HOUR_MS;
const NEVER_CAME = 'Nobody was called: the execution ended before it came to this call';

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => void jest.useRealTimers());

let made = 0;
let tables: MemoryTables;
let log: CallLog;

beforeEach(async () => {
  tables = new MemoryTables(`neverCame${++made}x`);
  log = await CallLog.openExisting(tables.context, { mode: 'id', value: tables.tableId }, 'one');
});

const requestOf = (more: Partial<LoggedRequest> = {}): LoggedRequest => ({
  scriptId: 7,
  customerPhone: '+12025551001',
  orderNumber: 'A-1',
  variables: {},
  duplicateKey: '["a-1","+12025551001"]',
  ...more,
});
const WITH_RULE = { asksForOthers: true } as const;

/** An execution that has written its row, and has not come to its call. */
async function begin(more?: Partial<LoggedRequest>): Promise<RowToPlace> {
  const { calls } = await LoggedCalls.writeAhead(log, newCalls([requestOf(more)]), TEN_AT_ONCE);
  if (calls[0] === undefined) throw new Error('no row');
  return calls[0];
}

async function place(call: RowToPlace): Promise<void> {
  await call.mark();
  await inTime(call.writePlaced(4001, Date.now()));
}

/** What the log says of the order, in the order of the rows. */
const told = () => tables.rows.map(({ status, lastError }) => lastError ?? status);

describe('a call to which its execution never came', () => {
  it('ends when nobody else calls', async () => {
    await begin();
    await endAbandoned(log, AFTERWARDS);
    expect(told()).toEqual([NEVER_CAME]);
  });

  it.each([{}, WITH_RULE])('is told of by a retry that calls: %j', async (rule) => {
    await begin(rule);
    await place(await begin(rule));
    await endAbandoned(log, AFTERWARDS);
    expect(told()).toEqual(['in_progress']);
  });

  it('is told of by a retry that calls nobody either', async () => {
    await begin();
    const retry = await begin();
    await inTime(retry.writeNotPlaced({ kind: 'never', reason: 'on the list' }));
    await endAbandoned(log, AFTERWARDS);
    expect(told()).toEqual(['on the list']);
  });

  it('is told of once when the retry dies too', async () => {
    await begin();
    const { callId } = await begin();
    await endAbandoned(log, AFTERWARDS);
    expect(tables.rows).toMatchObject([{ callId, lastError: NEVER_CAME }]);
  });

  it('is told of by a call that waits', async () => {
    await begin();
    await scheduleInto(log, [requestOf()], AFTERWARDS + HOUR_MS);
    await endAbandoned(log, AFTERWARDS);
    expect(told()).toEqual(['scheduled']);
  });

  it('has no end before a retry has come to the call', async () => {
    await begin();
    jest.setSystemTime(NOON + HOUR_MS);
    const retry = await begin();
    await endAbandoned(log, AFTERWARDS);
    expect(tables.rows).toMatchObject([{ finishedAt: null }, { status: 'scheduled' }]);
    await inTime(retry.writeNotPlaced({ kind: 'withdrawn' }));
    await endAbandoned(log, AFTERWARDS);
    expect(told()).toEqual([NEVER_CAME]);
    expect(tables.rows).toMatchObject([{ finishedAt: expect.any(String) }]);
  });

  it('ends though its order was called before, unless its rule would have skipped it', async () => {
    await place(await begin());
    await begin();
    await begin({ ...WITH_RULE, scriptId: 8 });
    await endAbandoned(log, AFTERWARDS);
    expect(told()).toEqual(['in_progress', NEVER_CAME]);
  });

  it('ends though another script calls about its order', async () => {
    await begin();
    await place(await begin({ scriptId: 8 }));
    await endAbandoned(log, AFTERWARDS);
    expect(told()).toEqual(['in_progress', NEVER_CAME]);
  });

  it('ends though the order is called for another account', async () => {
    await begin();
    await place(await begin());
    for (const row of tables.rows) if (row.status === 'in_progress') row.account = 'two';
    await endAbandoned(log, AFTERWARDS);
    expect(told()).toEqual(['in_progress', NEVER_CAME]);
  });

  it('stays when a person has its row wait again meanwhile', async () => {
    await begin();
    await place(await begin());
    const deleteRows = log.deleteRows.bind(log);
    jest.spyOn(log, 'deleteRows').mockImplementation(async (rows) => {
      for (const { id } of rows) {
        const row = tables.rows.find((one) => one.id === id);
        Object.assign(row ?? {}, { status: 'scheduled', lastError: null });
      }
      return await deleteRows(rows);
    });
    await endAbandoned(log, AFTERWARDS);
    expect(told()).toEqual(['scheduled', 'in_progress']);
  });
});

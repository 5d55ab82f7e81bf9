import { endAbandoned } from '../../nodes/OutboundAiCalling/callLog/ends/ends';
import { cancelScheduled } from '../../nodes/OutboundAiCalling/callLog/scheduling/cancelling';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { NoLongerScheduled } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { LoggedCalls } from '../../nodes/OutboundAiCalling/callLog/placing/loggedCalls';
import type { Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { newCalls, TEN_AT_ONCE } from '../newCalls';
import { inTime } from './inTime';
import { MemoryTables } from './memoryTables';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-11-21T12:00:00Z');

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => void jest.useRealTimers());

let made = 0;
async function writtenAhead(count: number, atOnce = TEN_AT_ONCE) {
  const tables = new MemoryTables(`logged${++made}x`);
  const locator = { mode: 'id', value: tables.tableId };
  const log = await CallLog.openExisting(tables.context, locator, 'one');
  return { tables, log, calls: await writeInto(log, count, atOnce) };
}

async function writeInto(log: CallLog, count: number, atOnce = TEN_AT_ONCE) {
  const requests = Array.from({ length: count }, (_, index) => ({
    scriptId: 7,
    customerPhone: `+1202555${1000 + index}`,
    variables: {},
  }));
  const { calls } = await LoggedCalls.writeAhead(log, newCalls(requests), atOnce);
  return calls;
}

describe('a call whose row says that it is about to be placed', () => {
  it('is placed however long others of its batch have taken', async () => {
    const { tables, log, calls } = await writtenAhead(2);
    await calls[0]?.mark();
    jest.setSystemTime(NOON + 3 * MINUTE_MS);
    await calls[1]?.mark();
    jest.setSystemTime(NOON + 6 * MINUTE_MS);
    await endAbandoned(log, Date.now());
    expect(tables.rows.map(({ status }) => status).sort()).toEqual(['placing', 'placing']);
  });

  it('is one of few, for a process that dies leaves all of them in doubt', async () => {
    const { tables, calls } = await writtenAhead(25, { ...TEN_AT_ONCE, concurrency: 1 });
    const marked = () => tables.rows.filter(({ status }) => status === 'placing').length;
    await calls[0]?.mark();
    expect(marked()).toBe(2);
    await calls[1]?.mark();
    expect(marked()).toBe(2);
    await calls[2]?.mark();
    expect(marked()).toBe(4);
  });

  it('waits for its turn for as long as its execution lives', async () => {
    const { tables, log, calls } = await writtenAhead(25);
    await calls[0]?.mark();
    jest.setSystemTime(NOON + 50 * MINUTE_MS);
    await calls[1]?.mark();
    jest.setSystemTime(NOON + 70 * MINUTE_MS);
    await endAbandoned(log, Date.now());
    expect(tables.rows.filter(({ status }) => status === 'scheduled')).toHaveLength(5);
  });

  it('is not placed when its process stood still, and others count it as dead', async () => {
    const { tables, log, calls } = await writtenAhead(2);
    const [first, second] = calls;
    if (first === undefined || second === undefined) throw new Error('no calls');
    await first.mark();
    jest.setSystemTime(NOON + 2 * HOUR_MS);
    await endAbandoned(log, Date.now());
    await expect(first.mark()).rejects.toThrow(NoLongerScheduled);
    await expect(second.mark()).rejects.toThrow(NoLongerScheduled);
    expect(tables.rows.map(({ status }) => status)).toEqual(['maybe_placed', 'maybe_placed']);
  });

  it('is not placed when a person has changed its row since it was written', async () => {
    const { tables, calls } = await writtenAhead(2);
    Object.assign(tables.rows[0] ?? {}, { customerPhone: '+12025559999' });
    const edited = 'Nobody was called: a person has changed its row meanwhile';
    await expect(calls[0]?.mark()).rejects.toThrow(edited);
    await calls[1]?.mark();
    expect(tables.rows).toMatchObject([
      { status: 'placing', customerPhone: '+12025551001' },
      { status: 'not_placed', customerPhone: '+12025559999', lastError: edited },
    ]);
  });

  it('is refused for the number that was asked about only, not for one that a person has written since', async () => {
    const { tables, calls } = await writtenAhead(2);
    Object.assign(tables.rows[0] ?? {}, { customerPhone: '+12025559999' });
    const refused = { kind: 'never', reason: 'Nobody was called: refused' } as const;
    const writing = Promise.all(calls.map(async (call) => await call.writeNotPlaced(refused)));
    await inTime(writing);
    const errors = tables.rows.map(({ customerPhone, lastError }) => [customerPhone, lastError]);
    expect(Object.fromEntries(errors)).toEqual({
      '+12025559999': 'Nobody was called: a person has changed its row meanwhile',
      '+12025551001': 'Nobody was called: refused',
    });
    expect(tables.rows.map(({ status }) => status)).toEqual(['not_placed', 'not_placed']);
  });

  it.each<[string, Partial<Row>, number]>([
    ['cancelled the copy', { status: 'cancelled' }, 2],
    ['written an outcome into the row', { outcome: 'Spoke to her' }, 0],
    ['written an outcome into the copy', { outcome: 'Spoke to her' }, 2],
  ])('is not placed when its row was written twice, and a person has %s', async (_, cells, at) => {
    const tables = new MemoryTables(`logged${++made}x`);
    const locator = { mode: 'id', value: tables.tableId };
    const log = await CallLog.openExisting(tables.context, locator, 'one');
    let answers = 0;
    tables.isAnswerLost = (method) => method === 'POST' && ++answers === 1;
    const writing = writeInto(log, 2);
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    const calls = await writing;
    expect(tables.rows).toHaveLength(4);
    Object.assign(tables.rows[at] ?? {}, cells);
    await expect(calls[0]?.mark()).rejects.toThrow(NoLongerScheduled);
    await calls[1]?.mark();
    const placing = tables.rows.filter(({ status }) => status === 'placing');
    expect(placing.map(({ callId }) => callId)).toEqual([calls[1]?.callId]);
  });

  it('is placed though another execution marks its rows in the same millisecond', async () => {
    const { tables, log, calls: others } = await writtenAhead(2);
    const calls = await writeInto(log, 2);
    await cancelScheduled(log, { callId: calls[1]?.callId ?? '' });
    await others[0]?.mark();
    await calls[0]?.mark();
    const placing = tables.rows.filter(({ status }) => status === 'placing');
    const callIds = [...others, ...calls.slice(0, 1)].map(({ callId }) => callId);
    expect(placing.map(({ callId }) => callId)).toEqual(callIds);
  });
});

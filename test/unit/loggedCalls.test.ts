import { endAbandoned } from '../../nodes/OutboundAiCalling/callLog/ends/ends';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { NoLongerScheduled } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { LoggedCalls } from '../../nodes/OutboundAiCalling/callLog/placing/loggedCalls';
import { newCalls, TEN_AT_ONCE } from '../newCalls';
import { MemoryTables } from './memoryTables';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-11-21T12:00:00Z');

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => void jest.useRealTimers());

let made = 0;
async function writtenAhead(count: number) {
  const tables = new MemoryTables(`logged${++made}x`);
  const locator = { mode: 'id', value: tables.tableId };
  const log = await CallLog.open(tables.context, locator, { account: 'one', create: false });
  const requests = Array.from({ length: count }, (_, index) => ({
    scriptId: 7,
    customerPhone: `+1202555${1000 + index}`,
    variables: {},
  }));
  const { calls } = await LoggedCalls.writeAhead(log, newCalls(requests), TEN_AT_ONCE);
  return { tables, log, calls };
}

describe('a call whose row says that it is about to be placed', () => {
  it('is placed however long others of its batch have taken', async () => {
    const { tables, log, calls } = await writtenAhead(2);
    await calls[0]?.placing();
    jest.setSystemTime(NOON + 3 * MINUTE_MS);
    await calls[1]?.placing();
    jest.setSystemTime(NOON + 6 * MINUTE_MS);
    await endAbandoned(log, Date.now());
    expect(tables.rows.map(({ status }) => status).sort()).toEqual(['maybe_placed', 'placing']);
  });

  it('is not placed when its process stood still, and others count it as dead', async () => {
    const { tables, log, calls } = await writtenAhead(2);
    const [first, second] = calls;
    if (first === undefined || second === undefined) throw new Error('no calls');
    await first.placing();
    jest.setSystemTime(NOON + 2 * HOUR_MS);
    await endAbandoned(log, Date.now());
    await expect(first.placing()).rejects.toThrow(NoLongerScheduled);
    await expect(second.placing()).rejects.toThrow(NoLongerScheduled);
    expect(tables.rows.map(({ status }) => status)).toEqual(['maybe_placed', 'maybe_placed']);
  });
});

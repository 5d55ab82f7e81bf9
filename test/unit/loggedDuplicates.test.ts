import type { NodeExecutionHint } from 'n8n-workflow';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { LoggedCalls } from '../../nodes/OutboundAiCalling/callLog/placing/loggedCalls';
import type { RowToPlace } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { newCalls, placedRow, TEN_AT_ONCE } from '../newCalls';
import {
  LoggedDuplicates,
  hintAtLoggedCalls,
} from '../../nodes/OutboundAiCalling/rules/loggedDuplicates';
import type { RuledCall, RuleExecution } from '../../nodes/OutboundAiCalling/rules/rule';
import { MemoryTables } from './memoryTables';

const KEY = 'A-1';
const request = { scriptId: 7, customerPhone: '+12025550101', variables: {} };

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
afterEach(() => void jest.useRealTimers());

let made = 0;
/** Executions in processes of their own that want to place the same call; the first has the lowest id. */
async function contenders(count: number) {
  const tables = new MemoryTables(`contended${++made}x`);
  const locator = { mode: 'id', value: tables.tableId };
  const log = await CallLog.openExisting(tables.context, locator, 'one');
  const all: Array<{ row: RowToPlace; isDuplicate: () => Promise<boolean> }> = [];
  for (let index = 0; index < count; index++) {
    const { calls } = await LoggedCalls.writeAhead(
      log,
      newCalls([{ ...request, duplicateKey: KEY, asksForOthers: true }]),
      TEN_AT_ONCE,
    );
    const [row] = calls;
    if (row === undefined) throw new Error('no row');
    const duplicates = { key: KEY, isUsual: false, isPrevented: true };
    const call: RuledCall = { request, duplicates, row };
    const shared = <T>(_: string, make: () => T) => make();
    const logged = LoggedDuplicates.of({ log, shared } as RuleExecution, call);
    const isDuplicate = async () => await logged!.has(call, ({ isClaimed }) => isClaimed);
    all.push({ row, isDuplicate });
  }
  return { tables, all };
}

describe('of executions that place the same call at the same moment', () => {
  it('the later one gives way, and the earlier waits until it has', async () => {
    const { all } = await contenders(2);
    const [first, second] = all as [(typeof all)[0], (typeof all)[0]];
    await first.row.mark();
    await second.row.mark();
    expect(await second.isDuplicate()).toBe(true);
    let isDecided = false;
    const deciding = first.isDuplicate().finally(() => (isDecided = true));
    await jest.advanceTimersByTimeAsync(2_000);
    expect(isDecided).toBe(false);
    void second.row.writeNotPlaced({ kind: 'withdrawn' });
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await deciding).toBe(false);
  });

  it('the earlier one gives way when the later has called before it could see the earlier', async () => {
    const { all } = await contenders(2);
    const [first, second] = all as [(typeof all)[0], (typeof all)[0]];
    await second.row.mark();
    expect(await second.isDuplicate()).toBe(false);
    await first.row.mark();
    const deciding = first.isDuplicate();
    await jest.advanceTimersByTimeAsync(1_000);
    void second.row.writePlaced(4821, Date.now());
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await deciding).toBe(true);
  });

  it('nobody is called by one that does not learn what becomes of the other', async () => {
    const { all } = await contenders(2);
    const [first, second] = all as [(typeof all)[0], (typeof all)[0]];
    await second.row.mark();
    await first.row.mark();
    const deciding = expect(first.isDuplicate()).rejects.toThrow('may be about to');
    await jest.advanceTimersByTimeAsync(130_000);
    await deciding;
  });

  it('nobody is called by one whose own row cannot be seen', async () => {
    const { tables, all } = await contenders(1);
    const [only] = all as [(typeof all)[0]];
    await only.row.mark();
    tables.rows.splice(0);
    const deciding = expect(only.isDuplicate()).rejects.toThrow('may be about to');
    await jest.advanceTimersByTimeAsync(130_000);
    await deciding;
  });

  it('nobody takes a list that was left behind for calls that will be placed', async () => {
    const { tables, all } = await contenders(2);
    const [left] = tables.rows;
    Object.assign(left as object, { lockedBy: '' });
    await all[1]?.row.mark();
    expect(await all[1]?.isDuplicate()).toBe(true);
    const again = await contenders(2);
    Object.assign(again.tables.rows[0] as object, { lockedBy: '', createdAt: '2026-01-01' });
    await expect(again.all[1]?.isDuplicate()).rejects.toThrow('may be about to');
  });

  it('one is asked about anew after n8n has failed at it', async () => {
    const { tables, all } = await contenders(1);
    const [first] = all as [(typeof all)[0]];
    tables.isRefused = () => true;
    await expect(first.isDuplicate()).rejects.toThrow('The value cannot be stored');
    tables.isRefused = () => false;
    expect(await first.isDuplicate()).toBe(false);
  });

  it('none gives way before its own row is marked: all might, and nobody would be called', async () => {
    const { all } = await contenders(2);
    const [first, second] = all as [(typeof all)[0], (typeof all)[0]];
    await first.row.mark();
    expect(await second.isDuplicate()).toBe(false);
    await second.row.mark();
    expect(await second.isDuplicate()).toBe(true);
  });
});

describe('the hint about calls whose duplicates are allowed', () => {
  const KNOWN = '+12025550101';
  async function hintsOf(phones: string[], isPrevented = false, isAway = false) {
    const tables = new MemoryTables(`hinted${++made}x`);
    const locator = { mode: 'id', value: tables.tableId };
    const log = await CallLog.openExisting(tables.context, locator, 'one');
    for (const phone of [KNOWN, '+12025550102']) {
      const [call] = newCalls([{ ...request, customerPhone: phone, duplicateKey: phone }]);
      const settled = { status: 'in_progress', orderId: 1, placedAt: 1, runAt: 1 } as const;
      if (call !== undefined) tables.insert([placedRow(call, 'one', settled)]);
    }
    const calls = phones.map((customerPhone): RuledCall => ({
      request: { ...request, customerPhone },
      duplicates: { key: customerPhone, isUsual: true, isPrevented },
    }));
    const hints: string[] = [];
    const context = {
      addExecutionHints: ({ message, type }: NodeExecutionHint) =>
        void hints.push(`${type}: ${message}`),
    };
    tables.isRefused = () => isAway;
    await hintAtLoggedCalls(context, log, calls);
    return hints;
  }
  const others = (count: number) =>
    Array.from({ length: count }, (_, index) => `+1202555${2000 + index}`);

  it.each<[string[], string]>([
    [[KNOWN], 'This order is in this log already'],
    [[KNOWN, ...others(1)], '1 of these 2 orders is in this log already'],
    [[KNOWN, '+12025550102', ...others(1)], '2 of these 3 orders are in this log already'],
    [[KNOWN, ...others(19)], '1 of these 20 orders is in this log already'],
    [[KNOWN, ...others(20)], '1 of the first 20 orders is in this log already'],
  ])('counts those that the log has: %#', async (phones, text) => {
    expect(await hintsOf(phones)).toEqual([`warning: ${text}: add "Prevent Duplicates"`]);
  });

  it('does not come when the log has none, cannot be read, or duplicates are prevented', async () => {
    expect(await hintsOf(others(2))).toEqual([]);
    expect(await hintsOf([KNOWN], true)).toEqual([]);
    expect(await hintsOf([KNOWN], false, true)).toEqual([]);
  });
});

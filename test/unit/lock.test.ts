import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import type { Lock, Locker } from '../../nodes/OutboundAiCalling/callLog/lock';
import type { DataTablesContext } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { fc, runs, seed } from '../generators';
import { MemoryTables } from './memoryTables';

const ACCOUNT = '0123456789abcdef';
const MINUTE_MS = 60_000;

beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2026-11-21T06:30:00Z') }));
afterEach(() => void jest.useRealTimers());

let tablesMade = 0;
const wait = async (ms: number) => await new Promise<void>((done) => setTimeout(done, ms));

/** A process of n8n with its own copy of the package. */
interface Process {
  log: CallLog;
  acquire(name?: Locker['name']): Promise<Lock | { heldBy: string }>;
  whenFree(patienceMs?: number): Promise<Lock | { heldBy: string }>;
}

interface Surroundings {
  /** Waits before a request of the process acts. */
  delay?: () => Promise<void>;
  /** By how much the clock of the process is fast, in milliseconds. */
  fastBy?: number;
}

/** The times that a process writes and reads, as its clock has them. */
function shifted(value: unknown, by: number): unknown {
  if (Array.isArray(value)) return value.map((one) => shifted(one, by));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([name, cell]) => {
    const isTime =
      name === 'lockedUntil' ||
      (name === 'value' && (value as IDataObject).columnName === 'lockedUntil');
    return [name, isTime && cell ? Number(cell) + by : shifted(cell, by)];
  });
  return Object.fromEntries(entries);
}

function contextOf(tables: MemoryTables, { delay, fastBy = 0 }: Surroundings): DataTablesContext {
  const send = async (request: IHttpRequestOptions) => {
    await delay?.();
    const body = shifted(request.body, fastBy) as IDataObject;
    return shifted(await tables.send({ ...request, body }), -fastBy);
  };
  return {
    ...tables.context,
    helpers: { httpRequestWithAuthentication: async (_type, request) => await send(request) },
  };
}

async function startProcess(
  tables: MemoryTables,
  name: string,
  surroundings: Surroundings = {},
): Promise<Process> {
  const modules = {} as {
    lock: typeof import('../../nodes/OutboundAiCalling/callLog/lock');
    callLog: typeof import('../../nodes/OutboundAiCalling/callLog/callLog');
  };
  jest.isolateModules(() => {
    modules.lock = jest.requireActual('../../nodes/OutboundAiCalling/callLog/lock');
    modules.callLog = jest.requireActual('../../nodes/OutboundAiCalling/callLog/callLog');
  });
  const locator = { mode: 'id', value: tables.tableId };
  const context = contextOf(tables, surroundings);
  const log = await modules.callLog.CallLog.openExisting(context, locator, ACCOUNT);
  const lockerOf = (lock: Locker['name']) => ({ name: lock, workflow: name });
  return {
    log,
    acquire: async (lock = 'daily caps') => await modules.lock.Lock.acquire(log, lockerOf(lock)),
    whenFree: async (patienceMs = 30 * MINUTE_MS) =>
      await modules.lock.Lock.whenFree(log, lockerOf('daily caps'), patienceMs),
  };
}

/** Lets time pass until it is done. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  done.catch(() => {});
  for (let steps = 0; !isDone && steps < 100_000; steps++) {
    await jest.advanceTimersByTimeAsync(200);
  }
  return await done;
}

const tablesOf = () => new MemoryTables(`lock${++tablesMade}x`);

function held(lock: Lock | { heldBy: string }): Lock {
  if ('heldBy' in lock) throw new Error(`held by ${lock.heldBy}`);
  return lock;
}

describe('a lock', () => {
  it('is held by one process at a time, and free when it is released', async () => {
    const tables = tablesOf();
    const [one, two] = [await startProcess(tables, 'one'), await startProcess(tables, 'two')];
    const lock = held(await inTime(one.acquire()));
    expect(lock.isHeld).toBe(true);
    expect(await inTime(two.acquire())).toEqual({ heldBy: 'one' });
    expect(await inTime(one.acquire())).toEqual({ heldBy: 'one' });
    expect(await inTime(lock.release())).toBe(true);
    expect(lock.isHeld).toBe(false);
    expect(await inTime(held(await inTime(two.acquire())).release())).toBe(true);
  });

  it('concerns one subject and one account only', async () => {
    const tables = tablesOf();
    const process = await startProcess(tables, 'one');
    held(await inTime(process.acquire('daily caps')));
    held(await inTime(process.acquire('place scheduled calls')));
    expect(tables.besideRows).toHaveLength(2);
  });

  it('costs two requests where the process has had it before', async () => {
    const tables = tablesOf();
    const process = await startProcess(tables, 'one');
    await inTime(held(await inTime(process.acquire())).release());
    tables.requests.GET = tables.requests.PATCH = 0;
    await inTime(held(await inTime(process.acquire())).release());
    expect(tables.requests).toMatchObject({ GET: 0, PATCH: 2 });
  });

  it('is waited for', async () => {
    const tables = tablesOf();
    const [one, two] = [await startProcess(tables, 'one'), await startProcess(tables, 'two')];
    const lock = held(await inTime(one.acquire()));
    const waiting = two.whenFree();
    await jest.advanceTimersByTimeAsync(5 * MINUTE_MS);
    await inTime(lock.release());
    expect(held(await inTime(waiting)).isHeld).toBe(true);
    expect(await inTime(one.whenFree(10_000))).toEqual({ heldBy: 'two' });
  });

  it('stays held as long as its holder lives, and is free soon after its holder was killed', async () => {
    const tables = tablesOf();
    let isKilled = false;
    const delay = async () => {
      if (isKilled) await wait(1e9);
    };
    const one = await startProcess(tables, 'one', { delay });
    const two = await startProcess(tables, 'two');
    held(await inTime(one.acquire()));
    await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(await inTime(two.acquire())).toEqual({ heldBy: 'one' });
    isKilled = true;
    await jest.advanceTimersByTimeAsync(40_000);
    expect(held(await inTime(two.acquire())).isHeld).toBe(true);
  });

  it('tells a holder that was paused that it has lost it', async () => {
    const tables = tablesOf();
    let paused = Promise.resolve();
    const one = await startProcess(tables, 'one', { delay: async () => await paused });
    const two = await startProcess(tables, 'two');
    const lost = held(await inTime(one.acquire()));
    paused = wait(2 * MINUTE_MS);
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(lost.isHeld).toBe(false);
    const lock = held(await inTime(two.acquire()));
    expect(await inTime(lost.release())).toBe(false);
    expect(await inTime(one.acquire())).toEqual({ heldBy: 'two' });
    expect(await inTime(lock.release())).toBe(true);
  });

  it.each([
    ['deletes its table', (tables: MemoryTables) => tables.dropBeside()],
    ['deletes its row', (tables: MemoryTables) => void tables.besideRows.splice(0)],
  ])('is lost by its holder when a person %s', async (_label, remove) => {
    const tables = tablesOf();
    const [one, two] = [await startProcess(tables, 'one'), await startProcess(tables, 'two')];
    const lost = held(await inTime(one.acquire()));
    remove(tables);
    const lock = held(await inTime(two.acquire()));
    expect(await inTime(lost.release().catch(() => false))).toBe(false);
    expect(await inTime(one.acquire())).toEqual({ heldBy: 'two' });
    expect(await inTime(lock.release())).toBe(true);
    expect(await inTime(held(await inTime(one.acquire())).release())).toBe(true);
  });

  it.each([null, 4e12])('is free when a person writes %s', async (lockedUntil) => {
    const tables = tablesOf();
    const [one, two] = [await startProcess(tables, 'one'), await startProcess(tables, 'two')];
    const lost = held(await inTime(one.acquire()));
    for (const row of tables.besideRows) row.lockedUntil = lockedUntil;
    held(await inTime(two.acquire()));
    expect(await inTime(lost.release())).toBe(false);
  });

  it('is of one holder, whichever answer is lost', async () => {
    for (let lost = 1; lost <= 8; lost++) {
      const tables = tablesOf();
      const [one, two] = [await startProcess(tables, 'one'), await startProcess(tables, 'two')];
      let requests = 0;
      tables.isAnswerLost = () => ++requests === lost;
      const locks = await inTime(Promise.all([one.acquire(), two.acquire()]));
      const ours = locks.filter((lock) => !('heldBy' in lock)).map(held);
      expect(ours.length).toBeLessThanOrEqual(1);
      for (const lock of ours) expect(await inTime(lock.release())).toBe(true);
      const next = held(await inTime(two.whenFree()));
      tables.isAnswerLost = (method) => method === 'PATCH' && ++requests === lost + 100;
      requests = lost + 99;
      expect(await inTime(next.release())).toBe(true);
    }
  });

  const processOf = fc.record({
    fastBy: fc.constantFrom(0, 0, MINUTE_MS, -MINUTE_MS),
    sections: fc.integer({ min: 1, max: 4 }),
    worksFor: fc.integer({ min: 0, max: 3_000 }),
    slowest: fc.constantFrom(10, 300, 3_000),
    /** Before which of its requests it is paused, and for how long. */
    pausedBefore: fc.integer({ min: 1, max: 40 }),
    pausedFor: fc.constantFrom(0, 0, 45_000, 5 * MINUTE_MS),
  });

  /** Undefined when all answers to a request were lost: whoever wants the lock tries again. */
  const unlessAway = async <T>(work: () => Promise<T>): Promise<T | undefined> =>
    await work().catch((error: unknown) => {
      if (error instanceof Error && error.name === 'DataTableError') return undefined;
      throw error;
    });

  it(`is never of two who find that it was theirs (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(processOf, { minLength: 2, maxLength: 4 }),
        fc.integer({ min: 0, max: 20 }),
        async (drawn, lostOf) => {
          const tables = tablesOf();
          let answers = 0;
          tables.isAnswerLost = () => lostOf > 0 && ++answers % (lostOf + 3) === 0;
          const sections: Array<{ from: number; to: number }> = [];
          const work = async (process: (typeof drawn)[number], index: number) => {
            let requests = 0;
            const delay = async () => {
              if (++requests === process.pausedBefore) await wait(process.pausedFor);
              await wait(
                ((index * 7_919 + requests * 104_729) % 1_000) * (process.slowest / 1_000),
              );
            };
            const surroundings = { delay, fastBy: process.fastBy };
            const start = async () => await startProcess(tables, `${index}`, surroundings);
            let n8n = await unlessAway(start);
            while (n8n === undefined) n8n = await unlessAway(start);
            const { whenFree } = n8n;
            for (let section = 0; section < process.sections;) {
              const lock = await unlessAway(async () => held(await whenFree()));
              if (lock === undefined) continue;
              const from = Date.now();
              await wait(process.worksFor);
              const to = Date.now();
              const wasOurs = await unlessAway(async () => await lock.release());
              if (wasOurs !== true) continue;
              section++;
              sections.push({ from, to });
            }
          };
          await inTime(Promise.all(drawn.map(work)));
          sections.sort((a, b) => a.from - b.from);
          for (const [index, { from }] of sections.entries()) {
            expect(from).toBeGreaterThanOrEqual(sections[index - 1]?.to ?? 0);
          }
          expect(sections).toHaveLength(drawn.reduce((sum, one) => sum + one.sections, 0));
          // A request that stood still may insert its row when nobody waits for it any more.
          await jest.advanceTimersByTimeAsync(6 * MINUTE_MS);
          // That row is left to whoever comes next.
          tables.isAnswerLost = () => false;
          const last = await startProcess(tables, 'last');
          await inTime(held(await inTime(last.whenFree())).release());
          expect(tables.besideRows).toHaveLength(1);
        },
      ),
      { numRuns: runs(4, 20) },
    );
  });
});

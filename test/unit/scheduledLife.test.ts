import { endAbandoned, recordEnds } from '../../nodes/OutboundAiCalling/callLog/ends/ends';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { cancelScheduled } from '../../nodes/OutboundAiCalling/callLog/scheduling/cancelling';
import { DataTableError } from '../../nodes/OutboundAiCalling/dataTables/dataTableError';
import type { DataTablesContext, Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { callKey, callStateOf, hasEnded } from '../../nodes/OutboundAiCalling/callLog/states';
import { outcomeColumns, UNTRIED } from '../../nodes/OutboundAiCalling/callLog/table/rowColumns';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { DueExecution, scheduleInto } from '../newCalls';
import { fc, runs, seed } from '../generators';
import { MemoryTables } from './memoryTables';

const ACCOUNT = '0123456789abcdef';
const MINUTE_MS = 60_000;
const NOON = Date.parse('2026-11-21T12:00:00Z');
const AFTER_MINUTES = [30, 60];

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => void jest.useRealTimers());

let made = 0;

/** A process of n8n, which may be killed between any two requests to n8n: it sends no more. */
class Process {
  private left = Infinity;
  private untilLost = Infinity;

  constructor(private readonly tables: MemoryTables) {}

  /** @param losing of so many requests the answer is lost after n8n has done what they ask for */
  killAfter(requests: number, losing = Infinity): void {
    this.left = requests;
    this.untilLost = losing;
  }

  get isDead(): boolean {
    return this.left < 0;
  }

  async log(): Promise<CallLog> {
    const { context } = this.tables;
    const helpers: DataTablesContext['helpers'] = {
      httpRequestWithAuthentication: async (_type, request) => {
        // A dead process never hears of anything again.
        if (--this.left < 0) return await new Promise<never>(() => {});
        const answer = await this.tables.send(request);
        if (--this.untilLost === 0) {
          throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
        }
        return answer;
      },
    };
    const locator = { mode: 'id', value: this.tables.tableId };
    return await CallLog.open({ ...context, helpers }, locator, {
      account: ACCOUNT,
      create: false,
    });
  }
}

/** What happened to the phones of customers, and what each of them would have to say. */
class World {
  readonly tables = new MemoryTables(`life${++made}x`);
  /** How often each attempt was told to be placed. */
  readonly sent = new Map<string, number>();
  readonly ended = new Set<string>();
  readonly cancelled = new Set<string>();
  private orderId = 4000;

  process(): Process {
    return new Process(this.tables);
  }

  async schedule(process: Process, count: number): Promise<void> {
    const log = await process.log();
    const requests = Array.from({ length: count }, (_, index) => ({
      scriptId: 7,
      customerPhone: `+1202555${1000 + index}`,
      orderNumber: `A-${index}`,
      variables: {},
      retry: { outcomes: ['no_answer'], afterMinutes: AFTER_MINUTES },
    }));
    await scheduleInto(log, requests, Date.now());
  }

  async place(process: Process, limit: number, isAllowed: (n: number) => boolean): Promise<void> {
    const log = await process.log();
    const execution = new DueExecution(log, 1_000);
    await execution.due.mendTimes(Date.now());
    const now = Date.now();
    const taken = await execution.read(limit);
    await Promise.all(
      taken.map(async (call, index) => {
        if (!isAllowed(index)) {
          const at = now + 5 * MINUTE_MS;
          return await call.writeNotPlaced({ kind: 'later', at, reason: 'not now' });
        }
        const mayBePlaced = await call.mark().then(
          () => true,
          (error: unknown) => {
            if (error instanceof DataTableError) throw error;
            return false;
          },
        );
        if (!mayBePlaced || process.isDead) return;
        expect(this.cancelled.has(call.callId)).toBe(false);
        this.sent.set(call.key, (this.sent.get(call.key) ?? 0) + 1);
        await call.writePlaced(++this.orderId, Date.now());
      }),
    );
  }

  async look(process: Process, outcome: (n: number) => string): Promise<void> {
    const log = await process.log();
    const now = Date.now();
    await endAbandoned(log, now);
    const rows = await log.lockDue(now, 100, now + MINUTE_MS);
    const ended = rows.map((row, index) => {
      const orderId = Number(row.orderId);
      const body = { success: true, callStatus: 'completed', callOutcome: outcome(index) };
      return { row, columns: outcomeColumns(readOutcome(body, orderId), now) };
    });
    await recordEnds(log, ended);
  }

  async cancel(process: Process, orderNumber: string): Promise<void> {
    const ids = this.tables.rows
      .filter((row) => row.orderNumber === orderNumber)
      .map(({ callId }) => String(callId));
    await cancelScheduled(await process.log(), { orderNumber });
    // From now on nobody may be called about it.
    if (!process.isDead) ids.forEach((id) => this.cancelled.add(id));
  }
}

/** Lets time pass until it is done, or its process is dead. */
async function inTime(process: Process, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  done.catch(() => {});
  for (let steps = 0; !isDone && !(process.isDead && steps > 200); steps++) {
    await jest.advanceTimersByTimeAsync(20);
  }
  if (isDone) await done;
}

interface Step {
  kind: 'place' | 'look' | 'cancel' | 'edit' | 'wait';
  number: number;
  /** After so many requests the process is killed. */
  killedAfter: number;
  /** The answer to this request is lost. */
  lostAnswer: number;
  /** Goes on while the next step does. */
  isBeside: boolean;
}

const step = fc.record<Step>({
  kind: fc.constantFrom('place', 'place', 'place', 'look', 'look', 'cancel', 'edit', 'wait'),
  number: fc.nat({ max: 1_000 }),
  killedAfter: fc.oneof(fc.constant(Infinity), fc.constant(Infinity), fc.nat({ max: 14 })),
  lostAnswer: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 14 })),
  isBeside: fc.boolean(),
});

const OUTCOMES = ['no_answer', 'no_answer', 'Order confirmed'];

function edit({ tables }: World, number: number): void {
  const scheduled = tables.rows.filter(({ status }) => status === 'scheduled');
  const row = scheduled[number % Math.max(1, scheduled.length)];
  if (row === undefined) return;
  const edits = [
    { runAt: null },
    { runAt: 9e15 },
    { request: '{' },
    { customerPhone: null },
    { lockedUntil: null },
    { batch: null },
  ];
  Object.assign(row, edits[number % edits.length]);
}

async function perform(
  world: World,
  { kind, number, killedAfter, lostAnswer }: Step,
): Promise<void> {
  const process = world.process();
  process.killAfter(killedAfter, lostAnswer);
  const act = {
    place: async () => await world.place(process, 1 + (number % 4), (n) => (number >> n) % 5 !== 0),
    look: async () =>
      await world.look(process, (n) => OUTCOMES[(number + n) % OUTCOMES.length] ?? ''),
    cancel: async () => await world.cancel(process, `A-${number % 5}`),
    edit: async () => await Promise.resolve(edit(world, number)),
    wait: async () => await jest.advanceTimersByTimeAsync((number % 40) * MINUTE_MS),
  };
  await inTime(process, act[kind]());
}

/** Everything that is left is placed and ends, without kills, though answers are lost. */
async function finish(world: World): Promise<void> {
  for (let round = 0; round < 40; round++) {
    await jest.advanceTimersByTimeAsync(20 * MINUTE_MS);
    for (const kind of ['place', 'look'] as const) {
      await perform(world, {
        kind,
        number: 1_023,
        killedAfter: Infinity,
        lostAnswer: 1 + ((round * 5) % 12),
        isBeside: false,
      });
    }
  }
}

function check(world: World, count: number): void {
  const { rows } = world.tables;
  for (const [key, times] of world.sent) expect([key, times]).toEqual([key, 1]);
  // Nothing waits any more, and each order tells what became of it.
  expect(rows.filter(({ status }) => ['scheduled', 'placing'].includes(String(status)))).toEqual(
    [],
  );
  expect(rows.filter((row) => row.status === 'in_progress' && !hasEnded(row))).toEqual([]);
  const orders = new Set(rows.map(({ orderNumber }) => orderNumber));
  expect(orders.size).toBe(count);
  for (const row of rows.filter((one) => callStateOf(one) === 'ended')) {
    expect(world.sent.get(callKey(row))).toBe(1);
    checkFollowing(row, rows);
  }
}

/** After an end that asks for it the next attempt was made, or it tells why not. */
function checkFollowing(row: Row, rows: Row[]): void {
  const attempt = Number(row.attempt);
  const isAskedFor = row.outcomeKey === 'no_answer' && attempt <= AFTER_MINUTES.length;
  const next = rows.filter((other) => other.callId === row.callId && other.attempt === attempt + 1);
  expect([attempt, next.length > 0]).toEqual([
    attempt,
    isAskedFor || next.some(({ status }) => status === 'cancelled'),
  ]);
  const told = new Set(next.map(callKey));
  expect(told.size).toBeLessThanOrEqual(1);
}

describe('the life of scheduled calls', () => {
  it(`has every attempt placed once at most, and loses none, whatever is killed (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { minLength: 4, maxLength: 25 }),
        async (count, steps) => {
          const world = new World();
          await inTime(world.process(), world.schedule(world.process(), count));
          let beside: Array<Promise<void>> = [];
          for (const one of steps) {
            beside.push(perform(world, one));
            if (one.isBeside) continue;
            await Promise.all(beside);
            beside = [];
          }
          await Promise.all(beside);
          await finish(world);
          check(world, count);
        },
      ),
      { numRuns: runs(40, 150) },
    );
  });

  it(`shows a call of a killed schedule as one that nobody came to, or places it once (seed ${seed})`, async () => {
    for (let killedAfter = 0; killedAfter < 9; killedAfter++) {
      const world = new World();
      const process = world.process();
      process.killAfter(killedAfter);
      await inTime(process, world.schedule(process, 3));
      await finish(world);
      for (const row of world.tables.rows) {
        const isTold = hasEnded(row) || row.lastError === UNTRIED;
        expect(isTold).toBe(true);
      }
      for (const times of world.sent.values()) expect(times).toBe(1);
    }
  });
});

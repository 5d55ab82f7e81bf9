import { endAbandoned } from '../../nodes/OutboundAiCalling/callLog/ends/ends';
import type { IDataObject, IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import pLimit, { type LimitFunction } from 'p-limit';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import type { RowToPlace } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { LoggedCalls } from '../../nodes/OutboundAiCalling/callLog/placing/loggedCalls';
import { readCalls } from '../../nodes/OutboundAiCalling/callLog/reading/readCalls';
import { isoTime } from '../../nodes/OutboundAiCalling/callLog/table/cells';
import {
  outcomeColumns,
  aheadRow,
  placingColumns,
} from '../../nodes/OutboundAiCalling/callLog/table/rowColumns';
import { errorMessage } from '../../nodes/OutboundAiCalling/nodeError';
import type { RuledCall, RuleObjection } from '../../nodes/OutboundAiCalling/rules/rule';
import { readRules, type Rules } from '../../nodes/OutboundAiCalling/rules/rules';
import type { DataTablesContext, Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { fc, runs, seed } from '../generators';
import { DueExecution, newCalls, placedRow, scheduleInto } from '../newCalls';
import { MemoryTables } from './memoryTables';

const ACCOUNT = '0123456789abcdef';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** In Kolkata, where the workflows are, a day begins at 18:30 UTC. */
const NOON = Date.parse('2026-11-21T06:30:00Z');

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => void jest.useRealTimers());

let tablesMade = 0;
const tablesOf = (latency?: () => Promise<void>) =>
  new MemoryTables(`table${++tablesMade}x`, latency);

/** A process of n8n with its own copy of the package. */
interface Process {
  CallLog: typeof CallLog;
  LoggedCalls: typeof LoggedCalls;
  readRules: typeof readRules;
}

type Stand = (request?: IHttpRequestOptions) => Promise<void>;

const thisProcess: Process = { CallLog, LoggedCalls, readRules };
const otherProcesses: Process[] = [];
beforeAll(() => {
  for (let count = 0; count < 2; count++) {
    jest.isolateModules(() => {
      otherProcesses.push({
        ...jest.requireActual('../../nodes/OutboundAiCalling/callLog/callLog'),
        ...jest.requireActual('../../nodes/OutboundAiCalling/callLog/placing/loggedCalls'),
        ...jest.requireActual('../../nodes/OutboundAiCalling/rules/rules'),
      });
    });
  }
});

async function openLog(
  tables: MemoryTables,
  process = thisProcess,
  /** Waits as long as the process stands still. */
  stand: Stand = async () => await Promise.resolve(),
): Promise<CallLog> {
  const context: DataTablesContext = {
    ...tables.context,
    helpers: {
      httpRequestWithAuthentication: async (_type, request) => {
        await stand(request);
        const answer = await tables.send(request);
        await stand();
        return answer;
      },
    },
  };
  const locator = { mode: 'id', value: tables.tableId };
  return await process.CallLog.openExisting(context, locator, ACCOUNT);
}

function parametersOf(caps: IDataObject) {
  const rules: IDataObject = { ...caps };
  const valueOf = (path: string) =>
    path === 'callLog' ? 'dataTable' : rules[path.replace('rules.', '')];
  return {
    isManual: false,
    workflowTimezone: 'Asia/Kolkata',
    has: (path: string) => valueOf(path) !== undefined,
    value: (path: string) =>
      path === 'rules.callingHours.hours'
        ? (rules.callingHours as { hours?: IDataObject }).hours
        : valueOf(path),
    text: () => undefined,
    soundText: () => undefined,
    number: (path: string) => Number(valueOf(path)),
    switch: (_path: string, _name: string, usual: boolean) => usual,
    outcomes: () => undefined,
    choice: <Value>(_path: string, _name: string, _values: readonly Value[], usual: Value) => usual,
    refuse: () => {},
  };
}

/** Of whatever process. */
function isObjection(error: unknown): error is RuleObjection {
  return error instanceof Error && error.name === 'RuleObjection';
}

interface Call extends RuledCall {
  rules: Rules;
}

/** What one execution of the node does with its calls, one request after the other or side by side. */
class Execution {
  readonly placed: string[] = [];
  readonly reasons: string[] = [];
  readonly nextAllowedAt: Array<string | undefined> = [];
  /** Something that happens before the calls ask for their places. */
  whenWritten = () => {};

  constructor(
    private readonly tables: MemoryTables,
    private readonly caps: IDataObject,
    private readonly concurrency = 10,
    /** Sends the request; what it throws was not taken. */
    private readonly send: (phone: string) => Promise<void> = async () => await Promise.resolve(),
    private readonly process = thisProcess,
    private readonly stand: Stand = async () => await Promise.resolve(),
  ) {}

  /** @param capsOf the caps of each call, where they are not the same */
  async open(
    phones: string[],
    capsOf: (index: number) => IDataObject = () => this.caps,
  ): Promise<{ log: CallLog; calls: Call[] }> {
    const log = await openLog(this.tables, this.process, this.stand);
    const made = new Map<string, unknown>();
    const shared = <T>(name: string, make: () => T): T => {
      if (!made.has(name)) made.set(name, make());
      return made.get(name) as T;
    };
    const calls = phones.map((customerPhone, index): Call => {
      const call: RuledCall = { request: { scriptId: 7, customerPhone, variables: {} } };
      return Object.assign(call, {
        rules: this.process.readRules(parametersOf(capsOf(index)), call),
      });
    });
    const { concurrency } = this;
    const context = { getWorkflow: () => ({ name: 'Orders' }) } as IExecuteFunctions;
    const execution = { context, log, concurrency, notes: {}, shared };
    for (const { rules } of calls) await rules.open(execution);
    return { log, calls };
  }

  async run(phones: string[]): Promise<this> {
    const { log, calls } = await this.open(phones);
    const requests = calls.map(({ request }) => request);
    const rows = await this.process.LoggedCalls.writeAhead(log, newCalls(requests), {
      concurrency: this.concurrency,
      requestMs: 30_000,
    });
    this.whenWritten();
    const limit = pLimit(this.concurrency);
    await Promise.all(
      calls.map(async (call, index) => {
        const row = rows.calls[index];
        if (row === undefined) throw new Error('no row');
        call.row = row;
        await call.rules.inTurn(async () => await this.place(call, row, limit));
      }),
    );
    return this;
  }

  private async place(
    { rules, request }: Call,
    row: RowToPlace,
    limit: LimitFunction,
  ): Promise<void> {
    try {
      await rules.admit();
      await limit(async () => {
        await rules.ask();
        await row.mark();
        await rules.ask();
        await this.send(request.customerPhone);
      });
    } catch (error) {
      if (isObjection(error)) {
        this.reasons.push(error.message);
        const { nextAllowedAt: at } = error.objection;
        this.nextAllowedAt.push(at === undefined ? undefined : new Date(at).toISOString());
      }
      await rules.giveBack();
      void row.writeNotPlaced({ kind: 'never', reason: errorMessage(error) });
      return;
    }
    this.placed.push(request.customerPhone);
    void row.writePlaced(this.placed.length, Date.now());
  }
}

/** Lets time pass until it is done. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  done.catch(() => {});
  for (let steps = 0; !isDone && steps < 100_000; steps++) {
    await jest.advanceTimersByTimeAsync(10);
  }
  return await done;
}

const phonesOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `+1202555${String(1000 + from + index)}`);

const [PHONE = ''] = phonesOf(1, 500);

/** Rows as the machinery writes them. */
const rowOf = {
  placed: (callId: string, placedAt: number, phone = PHONE) =>
    placedRow(newCall(callId, phone), ACCOUNT, {
      status: 'in_progress',
      orderId: 1,
      placedAt,
      runAt: placedAt + 15_000,
    }),
  notPlaced: (callId: string, status: 'not_placed' | 'maybe_placed', at: number) =>
    placedRow(newCall(callId), ACCOUNT, { status, reason: 'x', at }),
  untried: (callId: string, now: number) =>
    aheadRow(newCall(callId), ACCOUNT, { at: now, batch: 'others' }),
  placing: (callId: string, at: number) => ({
    ...rowOf.untried(callId, at),
    ...placingColumns(at),
    lockedUntil: at + HOUR_MS,
    batch: '',
  }),
  ended: (callId: string, placedAt: number, cost: number | null) => ({
    ...rowOf.placed(callId, placedAt),
    ...outcomeColumns(
      readOutcome({ callStatus: 'completed', callDurationSec: 60, totalCallCost: cost }, 1),
      placedAt + MINUTE_MS,
    ),
    runAt: placedAt + MINUTE_MS,
  }),
};

function newCall(callId: string, customerPhone = PHONE) {
  return { callId, request: { scriptId: 7, customerPhone, variables: {} } };
}

/** How many of ten calls a cap lets through when these rows are in the log. */
async function placedBeside(rows: IDataObject[], caps: IDataObject): Promise<number> {
  const tables = tablesOf();
  tables.insert(rows);
  return (await inTime(new Execution(tables, caps).run(phonesOf(10)))).placed.length;
}

describe('the calls to a person', () => {
  const [phone = ''] = phonesOf(1);

  it.each([
    '+1 202 555-1000',
    '+1 (202) 555.1000',
    '001 202 555 1000',
    '12025551000',
    '(202) 555-1000',
    `${phone}, +12025559999`,
  ])('count where somebody has written %p into the log', async (written) => {
    const rows = [
      rowOf.placed('other-0-1', NOON - HOUR_MS, written),
      { ...rowOf.placing('third-0-1', NOON - MINUTE_MS), customerPhone: '+1 202 555 1001' },
    ];
    expect(await placedBeside(rows, { maxCallsPerPersonPerDay: 1 })).toBe(8);
  });
});

describe('the calls of a day', () => {
  const cap = { maxCallsPerDay: 5 };

  it.each([
    ['in progress', rowOf.placed('other-0-1', NOON - HOUR_MS), 4],
    ['ended', rowOf.ended('other-0-1', NOON - HOUR_MS, 1), 4],
    ['about to be placed when its execution died', rowOf.placing('other-0-1', NOON - HOUR_MS), 4],
    ['maybe placed', rowOf.notPlaced('other-0-1', 'maybe_placed', NOON - HOUR_MS), 4],
    [
      'maybe placed, as its execution died',
      { ...rowOf.placing('o-0-1', NOON - HOUR_MS), status: 'maybe_placed', runAt: null },
      4,
    ],
    [
      'in progress, and its time emptied by a person',
      { ...rowOf.placed('o-0-1', NOON - HOUR_MS), triggeredAt: null },
      4,
    ],
    [
      'ended, and its time emptied by a person',
      { ...rowOf.ended('o-0-1', NOON - HOUR_MS, 1), triggeredAt: null, dueAt: null },
      4,
    ],
    ['not placed', rowOf.notPlaced('other-0-1', 'not_placed', NOON - HOUR_MS), 5],
    ['not tried', rowOf.untried('other-0-1', NOON - HOUR_MS), 5],
    ['scheduled', { ...rowOf.placed('o-0-1', NOON), status: 'scheduled', orderId: null }, 5],
    ['scheduled while it goes on', { ...rowOf.placed('o-0-1', NOON), status: 'scheduled' }, 4],
    ['cancelled', { ...rowOf.placed('o-0-1', NOON), status: 'cancelled', orderId: null }, 5],
    ['cancelled while it goes on', { ...rowOf.placed('o-0-1', NOON), status: 'cancelled' }, 4],
    ['of another account', { ...rowOf.placed('other-0-1', NOON), account: 'other' }, 5],
    ['of yesterday', rowOf.placed('other-0-1', Date.parse('2026-11-20T18:29:59.999Z')), 5],
    ['of the first instant of today', rowOf.placed('o-0-1', Date.parse('2026-11-20T18:30Z')), 4],
    [
      'of yesterday that ended today',
      { ...rowOf.ended('o-0-1', NOON - HOUR_MS, 1), triggeredAt: isoTime(NOON - 24 * HOUR_MS) },
      5,
    ],
  ])('with one %s', async (_label, row, left) => {
    expect(await placedBeside([row], cap)).toBe(left);
  });

  it('do not hold those whose row was cancelled before it was marked', async () => {
    const tables = tablesOf();
    const execution = new Execution(tables, cap);
    execution.whenWritten = () => {
      for (const row of tables.rows.slice(0, 3)) row.status = 'cancelled';
    };
    const { placed } = await inTime(execution.run(phonesOf(10)));
    expect(placed).toHaveLength(5);
  });

  it('count once while rows are replaced', async () => {
    const at = NOON - HOUR_MS;
    const ended = rowOf.ended('o-0-1', at, 1);
    const rows = [rowOf.placing('o-0-1', at), rowOf.placed('o-0-1', at), ended];
    expect(await placedBeside(rows, cap)).toBe(4);
    const replaced = [rowOf.placing('o-0-2', at), rowOf.notPlaced('o-0-2', 'not_placed', at)];
    expect(await placedBeside([...rows, ...replaced], cap)).toBe(4);
    const second = { ...rowOf.placed('o-0-1', at), attempt: 2 };
    expect(await placedBeside([...rows, second], cap)).toBe(3);
  });

  it('begin and end with those of the zone of the calling hours', async () => {
    // In New York it is the day before until 05:00 UTC.
    const row = rowOf.placed('o-0-1', Date.parse('2026-11-21T04:59:00Z'));
    const hours = (timezone: string) => ({
      ...cap,
      callingHours: { hours: { start: '00:00', end: '00:00', days: 'sat', timezone } },
    });
    expect(await placedBeside([row], hours('America/New_York'))).toBe(5);
    expect(await placedBeside([row], hours('Europe/Berlin'))).toBe(4);
  });

  it('are told when there are enough of them, and when the first of them rang of the next day', async () => {
    const tables = tablesOf();
    tables.insert([1, 2, 3].map((n) => rowOf.placed(`o-0-${n}`, NOON - HOUR_MS)));
    const { reasons, nextAllowedAt } = await inTime(
      new Execution(tables, { maxCallsPerDay: 3 }).run(phonesOf(1)),
    );
    // At midnight, when the day begins, no telephone is to ring.
    expect(nextAllowedAt).toEqual([expect.stringMatching(/^2026-11-22T05:30:00/)]);
    expect(reasons).toEqual([
      expect.stringMatching(
        /^Nobody was called: the daily cap of 3 calls is reached; it is allowed again from 2026-11-22T11:00:00\S+$/,
      ),
    ]);
    expect(tables.rows.at(-1)).toMatchObject({ status: 'not_placed', lastError: reasons[0] });
  });

  it.each([
    ['the first call was at night', { maxCallsPerDay: 1 }, 7, '2026-11-22T03:30:00'],
    ['the person was called', { maxCallsPerPersonPerDay: 1 }, 1, '2026-11-22T06:30:00'],
  ])('are allowed again by day when %s', async (_, caps, hoursAgo, expected) => {
    const tables = tablesOf();
    const [phone = ''] = phonesOf(1);
    tables.insert([rowOf.placed('other', NOON - 11 * HOUR_MS, '+12025559999')]);
    tables.insert([rowOf.placed('one', NOON - hoursAgo * HOUR_MS, phone)]);
    const { nextAllowedAt } = await inTime(new Execution(tables, caps).run([phone]));
    expect(nextAllowedAt).toEqual([expect.stringContaining(expected)]);
  });

  it('are counted anew of an attempt that ended the day before, and that a person has scheduled again', async () => {
    const tables = tablesOf();
    const callIds = ['one', 'two', 'three'];
    tables.insert(callIds.map((callId) => rowOf.ended(callId, NOON - 20 * HOUR_MS, 1)));
    const run = async () =>
      await inTime(new Execution(tables, { maxCallsPerDay: 4 }).run(phonesOf(1)));
    // The process has read all calls.
    expect((await run()).placed).toHaveLength(1);
    tables.rows.splice(0, callIds.length);
    tables.insert(
      callIds.map((callId, index) => ({
        ...rowOf.placed(callId, NOON),
        orderId: String(100 + index),
      })),
    );
    expect((await run()).placed).toEqual([]);
  });

  it('begin anew after midnight, also within one execution', async () => {
    const midnight = Date.parse('2026-11-21T18:30:00Z');
    jest.setSystemTime(midnight - 10_000);
    const tables = tablesOf();
    const slow = async () => await new Promise<void>((done) => setTimeout(done, 3_000));
    const execution = new Execution(tables, { maxCallsPerDay: 4 }, 1, slow);
    await inTime(execution.run(phonesOf(12)));
    await jest.advanceTimersByTimeAsync(1_000);
    const placed = tables.rows.flatMap(({ triggeredAt }) =>
      typeof triggeredAt === 'string' ? [Date.parse(triggeredAt)] : [],
    );
    // The fourth was under way at midnight: its row says that it was placed on the new day.
    expect(placed.filter((at) => at < midnight)).toHaveLength(3);
    expect(placed.filter((at) => at >= midnight)).toHaveLength(4);
    const next = await inTime(new Execution(tables, { maxCallsPerDay: 6 }).run(phonesOf(12)));
    expect(next.placed.length).toBe(2);
  });
});

describe('the calls to one person', () => {
  it('count by phone number, also within one list', async () => {
    const tables = tablesOf();
    tables.insert([rowOf.placed('o-0-1', NOON - HOUR_MS, '+12025551003')]);
    const execution = new Execution(tables, { maxCallsPerPersonPerDay: 1 });
    await inTime(execution.run([...phonesOf(4), ...phonesOf(4)]));
    expect(execution.placed.sort()).toEqual(phonesOf(3));
    expect(new Set(execution.reasons)).toEqual(
      new Set([expect.stringContaining('the daily cap of 1 call to one person is reached')]),
    );
  });

  it('count by person, whose number may have two spellings', async () => {
    const tables = tablesOf();
    tables.insert([rowOf.placed('o-0-1', NOON - HOUR_MS, '+541123456789')]);
    const execution = new Execution(tables, { maxCallsPerPersonPerDay: 2 });
    await inTime(execution.run(['+5491123456789', '+541123456789']));
    expect(execution.placed).toHaveLength(1);
  });

  it('give their place back when nothing was sent', async () => {
    const refuse = jest.fn(async () => await Promise.resolve());
    refuse.mockRejectedValueOnce(new Error('not taken'));
    const caps = { maxCallsPerPersonPerDay: 1 };
    const execution = new Execution(tablesOf(), caps, 1, refuse);
    await inTime(execution.run([PHONE, PHONE, PHONE]));
    expect(refuse).toHaveBeenCalledTimes(2);
    expect(execution.placed).toEqual([PHONE]);
  });
});

describe('the cost of a day', () => {
  const ended = (count: number, cost: number | null, at = NOON - HOUR_MS) =>
    Array.from({ length: count }, (_, n) => rowOf.ended(`e${at}-${cost}-${n}`, at, cost));
  const yesterday = NOON - 24 * HOUR_MS;
  const unanswered = (count: number) =>
    ended(count, null).map((row) => ({ ...row, status: 'no_answer', durationSec: 0 }));

  it.each([
    ['ended ones cost what they cost', ended(2, 0.5), 2, 2],
    ['open ones cost the mean', [rowOf.placed('o-0-1', NOON - 1), ...ended(2, 0.5)], 2, 1],
    [
      'maybe placed ones too',
      [rowOf.notPlaced('o-0-1', 'maybe_placed', NOON), ...ended(2, 0.5)],
      2,
      1,
    ],
    ['the mean is of earlier days too', ended(10, 0.1, yesterday), 0.3, 3],
    ['the mean is of the last 100', [...ended(50, 9, yesterday), ...ended(100, 0.1)], 10.3, 3],
    ['calls that ended without a cost cost the mean', [...ended(2, null), ...ended(1, 1)], 5, 2],
    ['a negative cost is none', [...ended(2, -5), ...ended(1, 1)], 5, 2],
    ['when no cost can be read, nobody is called', ended(1, null), 100, 0],
    ['calls without a length have no cost', unanswered(3), 0.01, 10],
    ['while none has ended, calls are expected to cost nothing', [], 0.01, 10],
  ])('%s', async (_label, rows, maxCostPerDay, left) => {
    expect(await placedBeside(rows, { maxCostPerDay })).toBe(left);
  });

  it('counts what calls of the same execution have cost by now', async () => {
    const tables = tablesOf();
    tables.insert(ended(1, 1, yesterday));
    const caps = { maxCostPerDay: 20 };
    const send = async () => {
      for (const row of tables.rows) {
        if (row.status === 'in_progress')
          Object.assign(row, {
            cost: 5,
            status: 'completed',
            finishedAt: isoTime(NOON),
            runAt: Date.now(),
          });
      }
      await new Promise<void>((done) => setTimeout(done, 1_000));
    };
    const { placed } = await inTime(new Execution(tables, caps, 1, send).run(phonesOf(40)));
    // Three have cost 15; a fourth is expected to cost 4, the mean of these and the 1 of yesterday.
    expect(placed.length).toBe(4);
  });
});

describe('reading the log', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      rowOf.ended(`m${Math.floor(n / 100)}-0-${n}`, NOON - HOUR_MS + n, 0.1),
    );

  it('reads a day of many calls once in a process, then only what is new', async () => {
    const tables = tablesOf();
    tables.insert(many(10_000));
    tables.rows.forEach((row, n) => (row.createdAt = isoTime(NOON - HOUR_MS + 300 * n)));
    const caps = { maxCallsPerDay: 10_002, maxCostPerDay: 100_000 };
    await inTime(new Execution(tables, caps).run(phonesOf(1)));
    const first = tables.requests.GET + tables.requests.PATCH;
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    tables.requests.GET = 0;
    const second = await inTime(new Execution(tables, caps).run(phonesOf(1)));
    expect(second.placed).toHaveLength(1);
    // Opens the log, then twice: what is marked, what is new, costs; once: what may have been placed.
    expect(tables.requests.GET).toBeLessThanOrEqual(8);
    expect(first).toBeGreaterThan(12);
    const third = await inTime(new Execution(tables, caps).run(phonesOf(1)));
    expect(third.placed).toHaveLength(0);
  });

  it('asks little for each batch', async () => {
    const wait = async (ms: number) => await new Promise<void>((done) => setTimeout(done, ms));
    const tables = tablesOf(async () => await wait(5));
    const run = async (caps: IDataObject) => {
      const before = tables.requests.GET;
      const execution = new Execution(tables, caps, 50, async () => await wait(100));
      expect((await inTime(execution.run(phonesOf(1_000)))).placed).toHaveLength(1_000);
      return tables.requests.GET - before;
    };
    const without = await run({});
    const caps = { maxCallsPerDay: 5_000, maxCallsPerPersonPerDay: 3, maxCostPerDay: 5_000 };
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    await inTime(new Execution(tables, caps).run(phonesOf(1)));
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    // Calls that come while others are counted are counted together.
    expect(await run(caps)).toBeLessThanOrEqual(without + 150);
  });

  it('keeps nobody from being called for rows that a person has deleted', async () => {
    const tables = tablesOf();
    tables.insert(many(300));
    const caps = { maxCallsPerDay: 300 };
    expect((await inTime(new Execution(tables, caps).run(phonesOf(1)))).placed).toHaveLength(0);
    tables.rows.splice(0, 100);
    await jest.advanceTimersByTimeAsync(2 * MINUTE_MS);
    expect((await inTime(new Execution(tables, caps).run(phonesOf(1)))).placed).toHaveLength(1);
  });

  it('sees calls that become visible after later ones, also when nobody looks meanwhile', async () => {
    const tables = tablesOf();
    tables.insert(many(300));
    const caps = { maxCallsPerDay: 301 };
    const late = tables.rows.splice(100, 1);
    expect((await inTime(new Execution(tables, caps).run(phonesOf(1)))).placed).toHaveLength(1);
    tables.rows.splice(100, 0, ...late);
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect((await inTime(new Execution(tables, caps).run(phonesOf(5)))).placed).toHaveLength(0);
  });

  it('counts a call for which a person has written a year to come on the day of its row', async () => {
    const tables = tablesOf();
    tables.insert([rowOf.placed('typed-0-0', NOON + 300 * 24 * HOUR_MS)]);
    const run = async () =>
      (await inTime(new Execution(tables, { maxCallsPerDay: 1 }).run(phonesOf(1)))).placed;
    expect(await run()).toHaveLength(0);
    jest.setSystemTime(NOON + 48 * HOUR_MS);
    expect(await run()).toHaveLength(1);
  });

  it('sees a call that becomes visible after a later one came in a slow answer', async () => {
    let slowMs = 0;
    const wait = async () => await new Promise<void>((done) => setTimeout(done, slowMs));
    const tables = tablesOf(wait);
    const log = await inTime(openLog(tables));
    const count = async () =>
      (await inTime(readCalls(log, NOON - 2 * HOUR_MS, HOUR_MS))).calls.length;
    tables.insert(many(300));
    await count();
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    const placed = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) =>
        rowOf.placed(`later-0-${from + n}`, NOON - HOUR_MS),
      );
    tables.insert(placed(0, 2));
    const [late] = tables.rows.splice(300, 1);
    slowMs = 20_000;
    await count();
    slowMs = 0;
    await count();
    // So many that the next reading ends its last page with the row that it knows.
    tables.insert(placed(2, 276));
    tables.rows.splice(300, 0, late as Row);
    expect(await count()).toBe(300 + 276);
  });

  it('sees rows that got the ids of deleted ones', async () => {
    const tables = tablesOf();
    tables.insert(many(300));
    const caps = { maxCallsPerDay: 310 };
    expect((await inTime(new Execution(tables, caps).run(phonesOf(5)))).placed).toHaveLength(5);
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    tables.rows.splice(250);
    tables.insert(
      Array.from({ length: 55 }, (_, n) => rowOf.placed(`again-0-${n}`, NOON - HOUR_MS)),
    );
    const next = await inTime(new Execution(tables, caps).run(phonesOf(20)));
    expect(next.placed).toHaveLength(5);
  });
});

describe('a dry run', () => {
  it('tells how many would be called, and writes nothing', async () => {
    const tables = tablesOf();
    tables.insert([rowOf.placed('o-0-1', NOON - HOUR_MS), rowOf.placing('p-0-1', NOON - 1)]);
    const before = JSON.stringify(tables.rows);
    const { calls } = await inTime(new Execution(tables, { maxCallsPerDay: 5 }).open(phonesOf(6)));
    const reasons: Array<string | undefined> = [];
    for (const { rules } of calls) reasons.push((await inTime(rules.wouldObject()))?.reason);
    expect(reasons.filter((reason) => reason === undefined)).toHaveLength(3);
    expect(reasons.slice(3)).toEqual(['dailyCap', 'dailyCap', 'dailyCap']);
    expect(JSON.stringify(tables.rows)).toBe(before);
  });

  it('counts for each call by its own caps and its own day', async () => {
    const tables = tablesOf();
    // In India yesterday, in Los Angeles today.
    tables.insert([rowOf.ended('e-0-1', NOON - 20 * HOUR_MS, 3)]);
    const inAmerica = {
      callingHours: {
        hours: { start: '00:00', end: '00:00', days: 'fri, sat', timezone: 'America/Los_Angeles' },
      },
    };
    const caps: IDataObject[] = [
      { maxCallsPerDay: 5 },
      { maxCallsPerDay: 2, ...inAmerica },
      { maxCostPerDay: 3, ...inAmerica },
    ];
    const execution = new Execution(tables, {});
    const { calls } = await inTime(execution.open(phonesOf(3), (index) => caps[index] ?? {}));
    const reasons: Array<string | undefined> = [];
    for (const { rules } of calls) reasons.push((await inTime(rules.wouldObject()))?.reason);
    expect(reasons).toEqual([undefined, 'dailyCap', 'dailyCap']);
  });
});

describe('executions at once', () => {
  const executionOf = fc.record({
    calls: fc.integer({ min: 1, max: 30 }),
    concurrency: fc.integer({ min: 1, max: 10 }),
    startsAfter: fc.integer({ min: 0, max: 400 }),
    sendsIn: fc.integer({ min: 0, max: 1500 }),
    process: fc.integer({ min: 0, max: 2 }),
  });
  const few = fc.array(executionOf, { minLength: 2, maxLength: 4 });
  /** As when a shop has many orders at once: each is an execution with few calls. */
  const many = fc.array(
    fc
      .tuple(executionOf, fc.integer({ min: 1, max: 6 }))
      .map(([one, calls]) => ({ ...one, calls })),
    { minLength: 5, maxLength: 14 },
  );
  const capsDrawn = fc.record({
    maxCallsPerDay: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
    maxCallsPerPersonPerDay: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    maxCostPerDay: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
  });
  const surroundings = fc.record({
    before: fc.integer({ min: 0, max: 8 }),
    people: fc.integer({ min: 3, max: 40 }),
    latencySeed: fc.integer({ min: 1, max: 1 << 30 }),
    latency: fc.oneof(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 600, max: 8_000 })),
    /** When the last process is killed, after its start. */
    killedAfter: fc.option(fc.integer({ min: 0, max: 5_000 })),
    /** When the second process stands still, and how long. */
    standsFrom: fc.integer({ min: 0, max: 5_000 }),
    standsFor: fc.constantFrom(0, 0, 0, 45_000),
  });

  const wait = async (ms: number) => await new Promise<void>((done) => setTimeout(done, ms));

  /** Waits as a loaded n8n does, mostly little and sometimes long, by a generator that repeats. */
  function latencyOf(seed: number, most: number) {
    let state = seed;
    return async () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      const draw = state >> 8;
      const longest = draw % 5 === 0 ? most : most / 20;
      await wait(((draw >> 3) % 1000) * (longest / 1000));
    };
  }

  it(`never pass a cap, and leave no place free (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(few, many),
        capsDrawn,
        surroundings,
        async (executions, caps, { before, people, latencySeed, latency, ...faults }) => {
          const { killedAfter, standsFrom, standsFor } = faults;
          const tables = tablesOf(latencyOf(latencySeed, latency));
          const startedAt = Date.now();
          // Every call costs 1.
          tables.insert(
            Array.from({ length: before }, (_, n) => rowOf.ended(`b-0-${n}`, startedAt - 1, 1)),
          );
          const set = Object.fromEntries(
            Object.entries(caps).filter(([, cap]) => cap !== undefined),
          ) as IDataObject;
          const standOf = [
            async () => await Promise.resolve(),
            async () => {
              const for_ = Date.now() - startedAt - standsFrom;
              if (for_ >= 0 && for_ < standsFor) await wait(standsFor - for_);
            },
            async () => {
              const isKilled = killedAfter !== null && Date.now() >= startedAt + killedAfter;
              if (isKilled) await new Promise(() => {});
            },
          ];
          const all = executions.map(({ calls, process, ...rest }, index) => ({
            ...rest,
            process,
            phones: phonesOf(calls).map((_, n) => phonesOf(1, (index * 7 + n) % people)[0] ?? ''),
          }));
          const sent: string[] = [];
          const living: Array<Promise<unknown>> = [];
          for (const { process, concurrency, sendsIn, ...rest } of all) {
            const stand = standOf[process];
            const send = async (phone: string) => {
              await stand?.();
              sent.push(phone);
              await wait(sendsIn);
              await stand?.();
            };
            const modules = [thisProcess, ...otherProcesses][process] ?? thisProcess;
            const execution = new Execution(tables, set, concurrency, send, modules, stand);
            const run = wait(rest.startsAfter).then(async () => await execution.run(rest.phones));
            if (process !== 2 || killedAfter === null) living.push(run);
            // Requests of a process that stands still fail at their deadline.
            if (process === 2 || standsFor > 0) run.catch(() => {});
          }
          await inTime(Promise.allSettled(living));
          const { maxCallsPerDay = Infinity, maxCallsPerPersonPerDay = Infinity } = caps;
          // While no call has ended, calls are expected to cost nothing.
          const maxCost = before === 0 ? Infinity : (caps.maxCostPerDay ?? Infinity);
          const most = Math.max(0, Math.min(maxCallsPerDay, maxCost) - before);
          const times = (phones: string[], phone: string) =>
            phones.filter((other) => other === phone).length;
          for (const phone of sent) {
            expect(times(sent, phone)).toBeLessThanOrEqual(maxCallsPerPersonPerDay);
          }
          expect(sent.length).toBeLessThanOrEqual(most);
          // Nobody knows whether those were sent that a killed process was about to send.
          const isCounted = ({ status }: Row) => status === 'placing' || status === 'in_progress';
          const counted = new Set(tables.rows.filter(isCounted).map(({ callId }) => callId));
          const wanted = all.flatMap(({ process, phones }) =>
            process === 2 && killedAfter !== null ? [] : phones,
          );
          if (standsFor > 0) return;
          await Promise.all(living);
          const isOneCap = maxCallsPerPersonPerDay === Infinity || most === Infinity;
          if (killedAfter === null) {
            const possible = [...new Set(wanted)].reduce(
              (sum, phone) => sum + Math.min(times(wanted, phone), maxCallsPerPersonPerDay),
              0,
            );
            expect(counted.size).toBe(sent.length);
            if (isOneCap) expect(sent.length).toBe(Math.min(possible, most));
            else if (most > 0) expect(sent.length).toBeGreaterThan(0);
          } else if (maxCallsPerPersonPerDay === Infinity && wanted.length >= most) {
            expect(counted.size).toBe(most);
          }
        },
      ),
      { numRuns: runs(15, 150) },
    );
  });

  it('do not both call when one stands still after it has counted', async () => {
    const tables = tablesOf();
    const caps = { maxCallsPerDay: 1 };
    let standsUntil: number | undefined;
    const stand: Stand = async (request) => {
      const isMark = JSON.stringify(request?.body ?? '').includes('"status":"placing"');
      if (isMark) standsUntil ??= Date.now() + 45_000;
      await wait(Math.max(0, (standsUntil ?? 0) - Date.now()));
    };
    const sent: string[] = [];
    const send = async (phone: string) => void (await Promise.resolve(sent.push(phone)));
    const slow = new Execution(tables, caps, 1, send, otherProcesses[0], stand).run(phonesOf(1));
    await jest.advanceTimersByTimeAsync(1_000);
    const quick = new Execution(tables, caps, 1, send).run(phonesOf(1, 10));
    const both = await inTime(Promise.all([slow, quick]));
    expect(sent).toHaveLength(1);
    expect(both.map(({ reasons }) => reasons.length)).toEqual([1, 0]);
    // What became of the calls is written beside.
    await inTime(wait(2_000));
    const statuses = tables.rows.map(({ status }) => String(status));
    expect(statuses.sort()).toEqual(['in_progress', 'not_placed']);
  });

  it('do not both give way from the last place', async () => {
    for (let round = 0; round < 20; round++) {
      const tables = tablesOf(latencyOf(round * 977 + 1, 60));
      const caps = { maxCallsPerDay: 1 };
      const both = await inTime(
        Promise.all([0, 1].map(async (n) => await new Execution(tables, caps).run(phonesOf(1, n)))),
      );
      expect(both.flatMap(({ placed }) => placed)).toHaveLength(1);
    }
  });
});

describe('daily caps and scheduled calls', () => {
  const scheduled = async (tables: MemoryTables, phones: string[]) => {
    const log = await openLog(tables);
    const requests = phones.map((customerPhone) => ({ scriptId: 7, customerPhone, variables: {} }));
    await scheduleInto(log, requests, NOON - MINUTE_MS);
  };
  const take = async (tables: MemoryTables, count: number) =>
    await new DueExecution(await openLog(tables), 1_000).read(count);

  it('count what is about to be placed, and not what only waits', async () => {
    const tables = tablesOf();
    await scheduled(tables, phonesOf(3));
    const cap = { maxCallsPerDay: 2 };
    const [taken] = await take(tables, 1);
    await inTime(taken?.mark() ?? Promise.reject(new Error('nothing is due')));
    const other = await inTime(new Execution(tables, cap).run(phonesOf(2, 10)));
    expect(other.placed).toHaveLength(1);
  });

  it('count calls that were scheduled together and placed by executions before', async () => {
    const tables = tablesOf();
    await scheduled(tables, phonesOf(3));
    const placeNext = async () => {
      const execution = new Execution(tables, { maxCallsPerDay: 2 });
      const [row] = await take(tables, 1);
      const { calls } = await execution.open([String(row?.row.customerPhone)]);
      const [call] = calls;
      if (row === undefined || call === undefined) throw new Error('nothing is due');
      call.row = row;
      await call.rules.admit();
      await row.mark();
      await row.writePlaced(4001, Date.now());
    };
    await inTime(placeNext());
    await inTime(placeNext());
    await expect(inTime(placeNext())).rejects.toThrow('daily cap of 2 calls');
  });
});

describe('calls of killed executions', () => {
  it('count as calls, also when they are closed while others are placed', async () => {
    const tables = tablesOf();
    // They count as killed an hour after they were marked.
    const killedAt = NOON - HOUR_MS + 2_000;
    tables.insert([rowOf.placing('killed-0-1', killedAt), rowOf.placing('killed-0-2', killedAt)]);
    tables.insert([rowOf.ended('before-0-1', killedAt, 1)]);
    const slow = async () => await new Promise<void>((done) => setTimeout(done, 1_000));
    const execution = new Execution(tables, { maxCallsPerDay: 17 }, 1, slow);
    const run = execution.run(phonesOf(30));
    await jest.advanceTimersByTimeAsync(5_000);
    await inTime(endAbandoned(await inTime(openLog(tables)), Date.now()));
    await inTime(run);
    expect(tables.rows.filter(({ status }) => status === 'maybe_placed')).toHaveLength(2);
    expect(execution.placed).toHaveLength(14);
  });
});

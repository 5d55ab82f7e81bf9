import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { fc, runs, seed } from '../generators';
import { startCallingService, type CallingService } from '../service';
import type { DataTablesFault } from '../dataTables/dataTablesServer';
import { addFaults, drawnFaults, type DrawnFault } from './drawnFaults';
import { execute, type Execution } from './engine';
import { phoneOf } from './orderItems';
import { startQuietN8n, type QuietN8n } from './quietN8n';

let n8n: QuietN8n;
beforeAll(async () => {
  n8n = await startQuietN8n();
});
afterAll(async () => await n8n.close());

const SCENARIOS = runs(4, 15);
const MOST_ATTEMPTS = 3;
/** So many executions see every list to its end. */
const MOST_ROUNDS = 40;

interface Scenario {
  /** For each order, with what its attempts end. */
  orders: Array<Array<'no_answer' | 'Confirmed'>>;
  maxInProgress: number;
  concurrency: number;
  keepsOn: boolean;
  preventDuplicates: boolean;
  faults: DrawnFault[];
  /** What befalls requests to n8n's data tables, in which execution. */
  logFaults: Array<DataTablesFault & { nth: number }>;
  /** Orders that are cancelled, and after which round. */
  cancels: Array<{ order: number; round: number }>;
  /** Rounds in which two executions run at once. */
  doubled: number[];
  /** Rounds whose execution is cancelled when so many requests have arrived. */
  cancelled: Array<{ round: number; at: number }>;
}

const scenario = fc.record<Scenario>({
  orders: fc.array(
    fc.array(fc.constantFrom<'no_answer' | 'Confirmed'>('no_answer', 'no_answer', 'Confirmed'), {
      minLength: MOST_ATTEMPTS,
      maxLength: MOST_ATTEMPTS,
    }),
    { minLength: 1, maxLength: 8 },
  ),
  maxInProgress: fc.constantFrom(1, 3, 20),
  concurrency: fc.constantFrom(1, 10),
  keepsOn: fc.boolean(),
  preventDuplicates: fc.boolean(),
  faults: drawnFaults(['trigger', 'trigger', 'outcome'], 12, 3),
  logFaults: fc.array(
    fc.record({
      kind: fc.constantFrom('reset' as const, 'status' as const),
      when: fc.constantFrom('before' as const, 'after' as const),
      nth: fc.integer({ min: 0, max: 150 }),
    }),
    { maxLength: 4 },
  ),
  cancels: fc.array(
    fc.record({ order: fc.integer({ min: 0, max: 7 }), round: fc.integer({ min: 0, max: 4 }) }),
    { maxLength: 2 },
  ),
  doubled: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 2 }),
  cancelled: fc.array(
    fc.record({ round: fc.integer({ min: 0, max: 3 }), at: fc.integer({ min: 1, max: 6 }) }),
    { maxLength: 1 },
  ),
});

const numberOf = (index: number) => `A-${index}`;
const rows = () => n8n.tables.rowsOf('Calls');
const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/** One list, from the first row to the last call. */
class List {
  private readonly attempts = new Map<string, number>();
  /** So many calls rang at once at most, as the log counted them. */
  most = 0;
  service!: CallingService;

  constructor(private readonly scenario: Scenario) {}

  async run(): Promise<void> {
    const { orders, faults, logFaults, cancels, doubled, cancelled } = this.scenario;
    n8n.tables.reset();
    n8n.keys.clear();
    this.service = await startCallingService({
      speed: 1000,
      channelPool: 1000,
      outcomeFor: ({ orderNumber = '' }) => {
        const before = this.attempts.get(orderNumber) ?? 0;
        this.attempts.set(orderNumber, before + 1);
        const label = orders[Number(orderNumber.slice(2))]?.[before] ?? 'Confirmed';
        return { status: 'completed', label };
      },
    });
    await this.schedule();
    addFaults(this.service, faults);
    const left = logFaults.map((fault) => ({ fault, left: fault.nth }));
    n8n.tables.faultOf = () => left.find((drawn) => drawn.left-- === 0)?.fault;
    const watching = setInterval(() => this.watch(), 3);
    for (let round = 0; round < MOST_ROUNDS; round++) {
      // What is drawn befalls the first rounds; the last ones see everything to its end.
      if (round === 5) {
        n8n.tables.faultOf = () => undefined;
        this.service.faults.clear();
        this.makeDue();
      }
      const cancelAt = cancelled.find((one) => one.round === round)?.at;
      const arrived = this.service.seen.requests.trigger;
      const cancelWhen =
        cancelAt === undefined
          ? {}
          : { cancelWhen: () => this.service.seen.requests.trigger >= arrived + cancelAt };
      await Promise.all([
        this.place(cancelWhen),
        ...(doubled.includes(round) ? [this.place({})] : []),
        ...cancels
          .filter((one) => one.round === round)
          .map(async (one) => await this.cancel(one.order)),
      ]);
      await this.settled();
      await pause(100); // calls go on for 60 ms at most
      this.makeDue();
      if (this.isDone()) break;
    }
    clearInterval(watching);
    await this.service.close();
  }

  private async execute(parameters: IDataObject, more: IDataObject = {}): Promise<Execution> {
    return await execute({
      parameters: {
        resource: 'call',
        callLogTable: { mode: 'name', value: 'Calls' },
        ...parameters,
      },
      credential: {
        baseUrl: this.service.baseUrl,
        apiKey: 'test-key',
        n8nApiKey: 'n8n-key',
        n8nApiUrl: `${n8n.tables.baseUrl}/api/v1`,
      },
      ...more,
    });
  }

  private async schedule(): Promise<void> {
    const items: INodeExecutionData[] = this.scenario.orders.map((_, index) => ({
      json: { phone: phoneOf(index), number: numberOf(index) },
    }));
    const { error } = await this.execute(
      {
        operation: 'schedule',
        scriptId: 7,
        customerPhone: '={{ $json.phone }}',
        additionalFields: { orderNumber: '={{ $json.number }}' },
        rules: { preventDuplicates: this.scenario.preventDuplicates },
        options: {
          retry: { plan: { outcomes: 'no_answer', afterMinutes: [0.0001, 0.0002] } },
        },
      },
      { items },
    );
    if (error !== undefined) throw error;
  }

  private async place(more: IDataObject): Promise<void> {
    const { maxInProgress, concurrency, keepsOn } = this.scenario;
    const keepOnSeconds = keepsOn ? 1 : 0;
    const options = { concurrency, maxInProgress, firstCheckAfterSeconds: 0, keepOnSeconds };
    await this.execute({ operation: 'placeScheduled', options }, more);
  }

  private async cancel(order: number): Promise<void> {
    const cancelValue = numberOf(order);
    await this.execute({ operation: 'cancelScheduled', cancelBy: 'orderNumber', cancelValue });
  }

  /** An execution that was cancelled goes on for a moment. */
  private async settled(): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      const isBusy = rows().some(({ status }) => status === 'placing');
      if (!isBusy && this.service.seen.inFlight.trigger === 0) return;
      await pause(20);
    }
  }

  /** Time goes by: what waits for minutes is due, and rights of executions that died have ended. */
  private makeDue(): void {
    const now = Date.now();
    for (const row of rows()) {
      const isWaiting = row.status === 'scheduled' || row.status === 'in_progress';
      if (isWaiting && row.finishedAt === null) {
        const runAt = Math.min(now, Number(row.runAt));
        Object.assign(row, { runAt, dueAt: new Date(runAt).toISOString(), lockedUntil: 0 });
      }
      if (row.status === 'placing') row.lockedUntil = now - 1;
    }
    for (const row of n8n.tables.rowsOf(`Triggers of Calls (${n8n.tables.idOf('Calls')})`))
      row.lockedUntil = 0;
  }

  private isDone(): boolean {
    const open = new Set(['scheduled', 'in_progress', 'placing']);
    return !rows().some(({ status }) => open.has(String(status)));
  }

  /** Calls that are counted twice, in the row that replaces another, count once. */
  private watch(): void {
    const going = rows().filter(({ status }) => status === 'placing' || status === 'in_progress');
    const keysOf = going.map(({ callId, attempt }) => `${callId}#${attempt}`);
    const ended = new Set(
      rows()
        .filter(({ finishedAt }) => finishedAt !== null)
        .map(({ callId, attempt }) => `${callId}#${attempt}`),
    );
    this.most = Math.max(this.most, new Set(keysOf.filter((key) => !ended.has(key))).size);
  }
}

/** The attempts at an order that the script of its outcomes leads to. */
function expectedAttempts(outcomes: string[]): number {
  const answered = outcomes.indexOf('Confirmed');
  return answered < 0 ? MOST_ATTEMPTS : answered + 1;
}

/**
 * Rows without those that n8n has inserted again because its answer was lost, or that two executions have written
 * at once: all say the same, and readers count one of them.
 */
function onceEach<R extends { id: number }>(all: R[]): R[] {
  const contents = all.map((row) => [
    JSON.stringify({ ...row, id: 0, createdAt: '', updatedAt: '', finishedAt: '' }),
    row,
  ]);
  return [...new Map(contents as Array<[string, R]>).values()];
}

async function check(drawn: Scenario): Promise<void> {
  const list = new List(drawn);
  await list.run();
  const { orders, maxInProgress, cancels } = drawn;
  const rang = list.service.seen.callsByPhone;
  const told = onceEach(rows());
  expect(list.most).toBeLessThanOrEqual(maxInProgress);
  orders.forEach((outcomes, index) => {
    const own = told.filter(({ orderNumber }) => orderNumber === numberOf(index));
    const attempts = own.map(({ attempt }) => Number(attempt));
    const calls = rang.get(phoneOf(index)) ?? 0;
    // Each attempt has one row that says what became of it.
    expect(attempts).toEqual([...new Set(attempts)]);
    const isMaybe = own.some(({ status }) => status === 'maybe_placed');
    const isOff = isMaybe || own.some(({ status }) => status === 'not_placed');
    const isCancelled = cancels.some(({ order }) => order === index);
    const expected = expectedAttempts(outcomes);
    expect(calls).toBeLessThanOrEqual(expected);
    if (!isOff && !isCancelled) expect(calls).toBe(expected);
    // Every call of the service is told by a row of its own.
    const mayHaveRung = own.filter(
      ({ status }) => !['not_placed', 'cancelled'].includes(String(status)),
    );
    expect(calls).toBeLessThanOrEqual(mayHaveRung.length);
    const open = own.filter(({ status }) =>
      ['scheduled', 'placing', 'in_progress'].includes(String(status)),
    );
    expect(open).toEqual([]);
  });
}

describe('lists of scheduled calls', () => {
  it(`ring each attempt once, leave none out, and keep to the channels (seed ${seed})`, async () => {
    await fc.assert(fc.asyncProperty(scenario, check), {
      numRuns: SCENARIOS,
      endOnFailure: true, // lists take seconds each
    });
  });
});

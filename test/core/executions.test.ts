import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { fc, runs, seed } from '../generators';
import type { CallingService } from '../service';
import type { DataTablesFault } from '../dataTables/dataTablesServer';
import { drawnFaults, serviceWith, until, type DrawnFault } from './drawnFaults';
import { AgentTool, execute, isRetriable, type Execution, type ExecutionRequest } from './engine';
import { startQuietN8n, type QuietN8n } from './quietN8n';

let n8n: QuietN8n;
beforeAll(async () => {
  n8n = await startQuietN8n();
});
afterAll(async () => await n8n.close());

const SCENARIOS = runs(40, 120);

interface Order {
  phone: string;
  order: string;
}

interface Try {
  isReversed: boolean;
  scriptId: number;
  fewer: number;
  /** Whether it is another retry of the first execution, not of the last one. */
  ofFirst: boolean;
  /** What keeps the try from coming to its items. */
  broken: 'nothing' | 'a mistake' | 'the credential';
}

const FIRST_TRY: Try = {
  isReversed: false,
  scriptId: 7,
  fewer: 0,
  ofFirst: false,
  broken: 'nothing',
};

interface Scenario {
  /** Some people are called about several orders, and some items stand twice in the list. */
  orders: Order[];
  operation: 'trigger' | 'triggerAndWait';
  faults: DrawnFault[];
  hasLog: boolean;
  /** What befalls requests to n8n's data tables. */
  logFaults: Array<DataTablesFault & { nth: number }>;
  concurrency: number;
  preventDuplicates: boolean;
  isClosed: boolean;
  goesOn: boolean;
  retriesOnFail: boolean;
  /** Tries by hand: with the order of the items turned round, fewer of them, and other parameters. */
  retries: Try[];
  /** The execution is cancelled when so many requests have arrived. */
  cancelAt: number | undefined;
  rounds: number | undefined;
}

const order = fc.record<Order>({
  phone: fc.integer({ min: 0, max: 9 }).map((index) => `+1202555${1000 + index}`),
  order: fc.constantFrom('A-1', 'A-2', 'A-3', ''),
});
const scenario = fc.record<Scenario>({
  orders: fc.array(order, { minLength: 1, maxLength: 25 }),
  operation: fc.constantFrom('trigger', 'trigger', 'triggerAndWait'),
  faults: drawnFaults(['trigger', 'trigger', 'trigger', 'outcome']),
  hasLog: fc.constantFrom(false, false, true),
  logFaults: fc.array(
    fc.record({
      kind: fc.constantFrom('reset', 'status'),
      when: fc.constantFrom('before', 'after'),
      nth: fc.integer({ min: 0, max: 12 }),
    }),
    { maxLength: 2 },
  ),
  concurrency: fc.constantFrom(1, 3, 10),
  preventDuplicates: fc.boolean(),
  isClosed: fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 0),
  goesOn: fc.boolean(),
  retriesOnFail: fc.boolean(),
  retries: fc.array(
    fc.record({
      isReversed: fc.boolean(),
      scriptId: fc.constantFrom(7, 8),
      fewer: fc.integer({ min: 0, max: 2 }),
      ofFirst: fc.boolean(),
      broken: fc.constantFrom('nothing', 'nothing', 'nothing', 'a mistake', 'the credential'),
    }),
    { maxLength: 2 },
  ),
  cancelAt: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined, freq: 3 }),
  rounds: fc.option(fc.constantFrom(2, 3), { nil: undefined, freq: 3 }),
});

const identityOf = ({ phone, order: number }: Order) => JSON.stringify([phone, number]);

/** How often each person is in a list about the same order. */
function counted(orders: Order[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of orders) counts.set(identityOf(one), (counts.get(identityOf(one)) ?? 0) + 1);
  return counts;
}

/** Whom the service has called about what. */
function calledBy(service: CallingService): Array<Order & { orderId: number }> {
  return service.seen.calls.map(({ orderId, phone, orderNumber }) => ({
    orderId,
    phone,
    order: orderNumber ?? '',
  }));
}

/** Every order id and every maybe that anybody was told of. */
class Told {
  readonly orderIds = new Set<unknown>();
  readonly maybe = new Set<string>();

  addItems({ items }: Execution, orders: Order[]): void {
    items.forEach(({ json, pairedItem }, index) => {
      if (json.orderId !== undefined) this.orderIds.add(json.orderId);
      const item = (pairedItem as { item: number } | undefined)?.item ?? index;
      const one = orders[item];
      if (/may have been/.test(String(json.error)) && one) this.maybe.add(identityOf(one));
    });
  }

  addError({ error }: Execution, orders: Order[]): void {
    const data = (error?.context?.data ?? {}) as {
      placedOrderIds?: number[];
      maybePlacedItems?: number[];
    };
    for (const id of data.placedOrderIds ?? []) this.orderIds.add(id);
    const maybe = [...(data.maybePlacedItems ?? [])];
    if (/may have been/.test(error?.message ?? '')) maybe.push(Number(error?.context?.itemIndex));
    this.addMaybe(maybe, orders);
  }

  addLog(orders: Order[]): void {
    for (const [, details] of n8n.warn.mock.calls as Array<[string, IDataObject | undefined]>) {
      for (const id of (details?.placedOrderIds ?? []) as number[]) this.orderIds.add(id);
      this.addMaybe((details?.maybePlacedItems ?? []) as number[], orders);
    }
    n8n.warn.mockClear();
  }

  private addMaybe(items: number[], orders: Order[]): void {
    for (const item of items) {
      const one = orders[item];
      if (one !== undefined) this.maybe.add(identityOf(one));
    }
  }
}

/** What an item says became of its call. */
function sayingOf({
  json,
}: INodeExecutionData): 'called' | 'skipped' | 'maybe' | 'nobody' | 'earlier' | '?' {
  if (typeof json.orderId === 'number') return 'called';
  if (json.skipped === true) return 'skipped';
  if (/^Somebody may have been called\. /.test(String(json.error))) return 'maybe';
  if (/^Nobody was called\. /.test(String(json.error))) return 'nobody';
  return FIRST_WORDS.test(String(json.error)) ? 'earlier' : '?';
}

const EARLIER = '( by an earlier try| earlier in this execution)?';
/** What the error of a try may say first. */
const FIRST_WORDS = new RegExp(
  `^((Nobody was called|Somebody may have been called${EARLIER}|(1 person was|\\d+ people were) called${EARLIER}(, and \\d+ more may have been)?(: call IDs at the service [\\d, ]+( and \\d+ more)?)?)\\. ){1,2}`,
);

/** How many rows of the log stand for a person and an order, and may be of a call. */
function rowsByIdentity(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of n8n.tables.rowsOf('Calls')) {
    if (row.status === 'not_placed') continue;
    const identity = identityOf({
      phone: String(row.customerPhone),
      order: String(row.orderNumber ?? ''),
    });
    counts.set(identity, (counts.get(identity) ?? 0) + 1);
  }
  return counts;
}

/** Holds what the log tells against what the service has seen. */
function checkLog(called: Array<Order & { orderId: number }>, { logFaults }: Scenario): void {
  const rows = n8n.tables.rowsOf('Calls');
  const ids = new Set(called.map(({ orderId }) => String(orderId)));
  expect(rows.filter(({ orderId }) => orderId !== null && !ids.has(String(orderId)))).toEqual([]);
  const logged = rowsByIdentity();
  const unlogged = [...counted(called)].filter(([who, count]) => count > (logged.get(who) ?? 0));
  expect(unlogged).toEqual([]);
  if (logFaults.length > 0) return;
  const calls = rows.map(({ callId }) => callId);
  expect(calls).toHaveLength(new Set(calls).size);
  expect(rows.filter(({ status }) => status === 'placing')).toEqual([]);
}

/** Runs a scenario and all its tries, and holds what was told against what the service has seen. */
async function check(one: Scenario): Promise<void> {
  const { orders, operation, rounds = 1 } = one;
  n8n.keys.clear();
  n8n.warn.mockClear();
  n8n.tables.reset();
  const faults = one.logFaults.map(({ nth, ...fault }) => ({ left: nth, fault }));
  n8n.tables.faultOf = () => faults.find((drawn) => drawn.left-- === 0)?.fault;
  const service = await serviceWith(one.faults);
  try {
    const inAnHour = (hours: number) =>
      new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
    const days = 'sun,mon,tue,wed,thu,fri,sat';
    const closed = { start: inAnHour(2), end: inAnHour(4), days, timezone: 'UTC' };
    const log = {
      callLog: 'dataTable',
      callLogTable: { __rl: true, mode: 'name', value: 'Calls' },
    };
    const requestFor = (some: Order[], { scriptId, broken }: Try): ExecutionRequest => ({
      parameters: {
        resource: 'call',
        operation,
        scriptId: broken === 'a mistake' ? 'none' : scriptId,
        customerPhone: '={{ $json.phone }}',
        additionalFields: { orderNumber: '={{ $json.order }}' },
        ...(one.hasLog ? log : {}),
        options: {
          concurrency: one.concurrency,
          requestTimeoutSeconds: 5,
          ...(operation === 'triggerAndWait' ? { maxWaitMinutes: 0.001 } : {}),
        },
        rules: {
          preventDuplicates: one.preventDuplicates,
          ...(one.isClosed ? { callingHours: { hours: closed } } : {}),
        },
      },
      items: some.map((json) => ({ json: { ...json } })),
      credential: {
        baseUrl: broken === 'the credential' ? 'nowhere' : service.baseUrl,
        apiKey: 'test-key',
        n8nApiKey: 'n8n-key',
        n8nApiUrl: `${n8n.tables.baseUrl}/api/v1`,
      },
      settings: {
        ...(one.goesOn ? { onError: 'continueRegularOutput' } : {}),
        ...(one.retriesOnFail ? { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } : {}),
      },
      ...(one.rounds === undefined ? {} : { rounds: one.rounds }),
    });
    const told = new Told();
    const { cancelAt } = one;
    let first: Execution | undefined;
    let last: Execution | undefined;
    for (const [number, attempt] of [FIRST_TRY, ...one.retries].entries()) {
      const retryOf = attempt.ofFirst ? first : last;
      // n8n retries what failed or was cancelled, not what went well.
      if (retryOf !== undefined && !isRetriable(retryOf)) break;
      // A loop gives its next round the items that it had.
      const { fewer, isReversed } = one.rounds === undefined ? attempt : FIRST_TRY;
      const kept = orders.slice(0, Math.max(1, orders.length - fewer));
      const some = isReversed ? kept.reverse() : kept;
      const isCancelled = number === 0 && cancelAt !== undefined;
      const execution = await execute({
        ...requestFor(some, attempt),
        ...(isCancelled ? { cancelWhen: () => service.seen.requests.trigger >= cancelAt } : {}),
        ...(retryOf === undefined ? {} : { retryOf }),
      });
      await until(() => service.seen.inFlight.all === 0);
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (one.hasLog && isCancelled) {
        // n8n does not wait for a node that was cancelled.
        await until(() => !n8n.tables.rowsOf('Calls').some(({ status }) => status === 'placing'));
      }
      const toldByItems = new Set(told.orderIds);
      told.addItems(execution, some);
      for (const { json } of execution.items) toldByItems.add(json.orderId);
      told.addError(execution, some);
      told.addLog(some);
      const { error, run } = execution;
      if (error === undefined && run.status === 'success') {
        expect(execution.items.length % some.length).toBe(0);
        if (last === undefined) expect(execution.items).toHaveLength(some.length * rounds);
        for (const item of execution.items) expect(sayingOf(item)).not.toBe('?');
      } else if (error !== undefined && run.status !== 'canceled') {
        expect(error.message).toMatch(FIRST_WORDS);
        if (error.message.startsWith('Nobody was called')) {
          // By no try and in no round of a loop: whoever believes it executes all of it again. With
          // "continue on error" an item speaks of itself alone.
          const known = one.goesOn ? toldByItems : new Set<unknown>();
          const unknown = calledBy(service).filter(({ orderId }) => !known.has(orderId));
          expect(unknown).toEqual([]);
        }
      }
      first ??= execution;
      last = execution;
    }

    const called = calledBy(service);
    if (one.isClosed) expect(called).toEqual([]);
    const allowed = counted(orders);
    const isTwice = ([identity, count]: [string, number]) =>
      !allowed.has(identity) || count > (one.preventDuplicates ? 1 : rounds);
    expect([...counted(called)].filter(isTwice)).toEqual([]);
    const untold = called.filter(
      (call) => !told.orderIds.has(call.orderId) && !told.maybe.has(identityOf(call)),
    );
    expect(untold).toEqual([]);
    // Nobody is said to have been called who was not.
    const ids = new Set<unknown>(called.map(({ orderId }) => orderId));
    expect([...told.orderIds].filter((id) => !ids.has(id))).toEqual([]);
    // Only calls that were placed, or may have been, keep their keys.
    const reached = new Set([...called.map(identityOf), ...told.maybe]);
    if (one.preventDuplicates) expect(n8n.keys.size).toBeLessThanOrEqual(reached.size);
    else expect(n8n.keys.size).toBe(0);
    if (one.hasLog) checkLog(called, one);
  } finally {
    await service.close();
  }
}

describe(`executions (seed ${seed})`, () => {
  it('call nobody twice, forget nobody and tell everything', async () => {
    await fc.assert(fc.asyncProperty(scenario, check), { numRuns: SCENARIOS });
  });

  const request = fc.record({
    order,
    isTogether: fc.boolean(),
    isPrepared: fc.boolean(),
  });

  it('of an AI agent call nobody twice, and answer each request for its own customer', async () => {
    const drawn = fc.record({
      requests: fc.array(request, { minLength: 1, maxLength: 8 }),
      faults: scenario.map(({ faults }) => faults),
      retriesOnFail: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ requests, faults, retriesOnFail }) => {
        const service = await serviceWith(faults);
        const agent = new AgentTool({
          parameters: {
            resource: 'call',
            operation: 'trigger',
            scriptId: 7,
            customerPhone: '={{ $fromAI("phone") }}',
            additionalFields: { orderNumber: '={{ $fromAI("order") }}' },
          },
          credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
          settings: retriesOnFail ? { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } : {},
        });
        try {
          const told = new Set<unknown>();
          const maybe = new Set<string>();
          const early = requests.map(({ isPrepared }) =>
            isPrepared ? agent.prepare() : undefined,
          );
          let under: Array<Promise<void>> = [];
          for (const [index, { order: wanted, isTogether }] of requests.entries()) {
            const invoke = early[index] ?? agent.prepare();
            const answer = invoke({ ...wanted }).then(
              (text) => {
                const [json] = JSON.parse(text) as IDataObject[];
                expect(json?.customerPhone).toBe(wanted.phone);
                told.add(json?.orderId);
              },
              (error: Error) => {
                expect(error.message).toMatch(/^(Nobody was|Somebody may have been) called\. /);
                if (error.message.startsWith('Somebody')) maybe.add(identityOf(wanted));
              },
            );
            under.push(answer);
            if (isTogether) continue;
            await Promise.all(under);
            under = [];
          }
          await Promise.all(under);
          const called = calledBy(service);
          expect([...counted(called)].filter(([, count]) => count > 1)).toEqual([]);
          expect(
            called.filter((one) => !told.has(one.orderId) && !maybe.has(identityOf(one))),
          ).toEqual([]);
        } finally {
          await service.close();
        }
      }),
      { numRuns: SCENARIOS },
    );
  });
});

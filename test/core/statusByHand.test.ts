import type { IDataObject } from 'n8n-workflow';
import { rulesAndOptions } from '../rulesAndOptions';
import { execute, jsonOf, type Execution } from './engine';
import { hintsOf } from './hints';
import { itemsOf, loggedCall } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';
import { publicationOfLog } from './triggerEngine';

const world = useServiceAndTables({
  speed: 1,
  outcomeFor: () => ({ status: 'completed', label: 'No answer' }),
});
const callLogTable = { __rl: true, mode: 'name', value: 'Calls' };
const run = async (parameters: IDataObject): Promise<Execution> =>
  await execute({
    parameters: { ...loggedCall, callLogTable, ...parameters },
    credential: world.credential(),
    items: itemsOf(1),
  });
const schedule = async (count: number) =>
  jsonOf(
    await execute({
      parameters: { ...loggedCall, callLogTable, operation: 'schedule' },
      credential: world.credential(),
      items: itemsOf(count),
    }),
  );
const call = async (settings: IDataObject) => await run(rulesAndOptions(settings));
const retry = { plan: { outcomes: 'no_answer', afterMinutes: '30' } };
const rows = () => world.tables.rowsOf('Calls');
const publication = () => publicationOfLog(world.credential(), callLogTable);
const untilItHasEnded = async () => await new Promise((resolve) => setTimeout(resolve, 400_000));

describe.each([
  ...['cancelled', 'Canceled ', 'not_placed', 'maybe_placed', 'placing', 'scheduled'],
  ...['completed', 'Called', ''],
])('a row into which a person writes %s while the phone rings', (status) => {
  it('gets its outcome all the same, and the trigger tells no other end', async () => {
    const trigger = publication();
    await trigger.poll();
    await call({});
    Object.assign(rows()[0] ?? {}, { status });
    await trigger.poll();
    expect(trigger.fired).toEqual([]);
    expect(rows()).toMatchObject([{ status: 'in_progress', finishedAt: null }]);
    await untilItHasEnded();
    await trigger.poll();
    expect(trigger.fired).toMatchObject([
      { event: 'outcomeAvailable', outcomeKey: 'no_answer', attempt: 1 },
    ]);
    expect(rows()).toMatchObject([{ status: 'completed', outcomeKey: 'no_answer' }]);
  });

  it('counts for other workflows and for caps', async () => {
    await call({});
    Object.assign(rows()[0] ?? {}, { status });
    world.keys.clear();
    expect(jsonOf(await call({ preventDuplicates: true }))).toMatchObject([
      { skipped: true, reason: 'duplicate' },
    ]);
    expect(jsonOf(await call({ maxCallsPerPersonPerDay: 1 }))).toMatchObject([
      { skipped: true, reason: 'dailyCap' },
    ]);
    expect(world.service.seen.calls).toHaveLength(1);
  });
});

describe.each(['cancelled', 'Canceled', 'not_placed', 'maybe_placed', 'placing', '', null])(
  'a row into which a person writes %j when the call has ended',
  (status) => {
    it('still has its call, for other workflows, caps, the report and triggers', async () => {
      const trigger = publication();
      await trigger.poll();
      await run({ operation: 'triggerAndWait' });
      Object.assign(rows()[0] ?? {}, { status });
      world.keys.clear();
      for (const rules of [{ preventDuplicates: true }, { maxCallsPerPersonPerDay: 1 }]) {
        expect(jsonOf(await call(rules))).toMatchObject([{ skipped: true }]);
      }
      expect(world.service.seen.calls).toHaveLength(1);
      const report = jsonOf(await run({ resource: 'callLog', operation: 'report' }));
      expect(report).toMatchObject([{ totals: { calls: 1, reached: 0 } }]);
      await trigger.poll();
      expect(trigger.fired.filter(({ event }) => event === 'outcomeAvailable')).toMatchObject([
        { callStatus: status || 'completed', outcomeKey: 'no_answer' },
      ]);
    });
  },
);

describe('a call that has ended, which a person schedules again', () => {
  const place = async () =>
    await run({ operation: 'placeScheduled', options: { keepOnSeconds: 0 } });
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

  it.each(['not_placed', 'cancelled'])(
    'and withdraws by %s, is told once, and nothing more follows from it',
    async (status) => {
      const trigger = publication();
      await trigger.poll();
      await schedule(1);
      await place();
      await untilItHasEnded();
      await trigger.poll();
      const again = { status: 'scheduled', finishedAt: null, dueAt: inAnHour() };
      const plan = {
        request: JSON.stringify({ ...JSON.parse(String(rows()[0]?.request)), retry }),
      };
      Object.assign(rows()[0] ?? {}, again, plan);
      await place();
      Object.assign(rows()[0] ?? {}, { status });
      await trigger.poll();
      await untilItHasEnded();
      await place();
      expect(trigger.fired).toMatchObject([{ event: 'outcomeAvailable' }]);
      expect(rows()).toMatchObject([
        { status, outcome: 'No answer', finishedAt: expect.any(String), nextAttemptAt: null },
      ]);
      expect(world.service.seen.calls).toHaveLength(1);
    },
  );

  it('and withdraws after a rule has put it back, has its end again, and no new one', async () => {
    await schedule(1);
    await place();
    await untilItHasEnded();
    await publication().poll();
    const [{ id } = {}] = rows();
    const putBack = { runAt: Date.now() + 3_600_000, dueAt: inAnHour(), triggeredAt: null };
    Object.assign(rows()[0] ?? {}, { ...putBack, status: 'not_placed', finishedAt: null });
    await untilItHasEnded();
    await publication().poll();
    expect(rows()).toMatchObject([{ id, status: 'not_placed', outcome: 'No answer' }]);
    expect(rows()[0]).toMatchObject({ finishedAt: expect.any(String) });
  });

  it.each([
    ['is called, with the outcome of the call before in its row', {}, 2],
    // Nobody can tell then whose outcome it is.
    ['is not called, where the outcome is left without its order id', { orderId: null }, 1],
  ])('%s', async (_, edit, calls) => {
    await schedule(1);
    await place();
    await untilItHasEnded();
    await publication().poll();
    Object.assign(rows()[0] ?? {}, { status: 'scheduled', finishedAt: null, ...edit });
    await place();
    expect(world.service.seen.calls).toHaveLength(calls);
  });
});

describe('the call of a row that a person has cancelled while the phone rang', () => {
  it.each([
    ['cancelled', null],
    ['CANCELED', null],
    ['not_placed', expect.any(String)],
  ])('%s: is followed by no other only then', async (status, nextAttemptAt) => {
    const trigger = publication();
    await trigger.poll();
    await call({ retry });
    Object.assign(rows()[0] ?? {}, { status });
    await trigger.poll();
    await untilItHasEnded();
    await trigger.poll();
    expect(trigger.fired[0]).toMatchObject({ outcomeKey: 'no_answer', nextAttemptAt });
    const isLast = nextAttemptAt === null;
    expect(rows().some((row) => row.status === 'scheduled')).toBe(!isLast);
  });
});

it('a scheduled call into whose row a person writes cancelled ends; the others ring, however late', async () => {
  const trigger = publication();
  await trigger.poll();
  await schedule(3);
  Object.assign(rows()[0] ?? {}, { status: 'cancelled' });
  // The workflow that places them was not published meanwhile.
  await untilItHasEnded();
  await run({ operation: 'placeScheduled', options: { keepOnSeconds: 0 } });
  await trigger.poll();
  const message = 'The status of its row is "cancelled"; lastError gives no reason';
  expect(trigger.fired).toMatchObject([{ endReason: 'cancelled', orderNumber: 'A-0', message }]);
  const statuses = rows().map(({ orderNumber, status }) => [orderNumber, status]);
  expect(new Map(statuses as Array<[string, string]>)).toEqual(
    new Map([
      ['A-0', 'cancelled'],
      ['A-1', 'in_progress'],
      ['A-2', 'in_progress'],
    ]),
  );
});

describe.each(['scheduled', ' Scheduled', 'cancelled', 'not_placed', 'given_up'])(
  'a row into which a person writes %s while its request is under way',
  (status) => {
    const ANSWERS_AFTER_MS = 15_000;
    const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
    /** Places scheduled calls, and writes over the mark before the service has answered. */
    const placeAndWriteOver = async (placing: Promise<unknown>) => {
      await pause(5_000);
      expect(rows()).toMatchObject([{ status: 'placing' }]);
      Object.assign(rows()[0] ?? {}, { status });
      const trigger = publication();
      await trigger.poll();
      await placeScheduled({ keepOnSeconds: 0 });
      await placing;
      await untilItHasEnded();
      await trigger.poll();
      await placeScheduled({ keepOnSeconds: 0 });
      await trigger.poll();
      return trigger;
    };
    const placeScheduled = async (options: IDataObject) =>
      await run({ operation: 'placeScheduled', options });
    const answerLate = () =>
      world.service.faults.add({ kind: 'latency', ms: ANSWERS_AFTER_MS, route: 'trigger' });

    it('leaves no row of its own beside that of its call', async () => {
      answerLate();
      const calling = call({});
      await pause(5_000);
      Object.assign(rows()[0] ?? {}, { status });
      await calling;
      expect(rows()).toMatchObject([{ status: 'in_progress', orderId: expect.any(String) }]);
    });

    it('keeps its call, which is placed once and fires once', async () => {
      await schedule(1);
      answerLate();
      const trigger = await placeAndWriteOver(placeScheduled({ keepOnSeconds: 50 }));
      expect(world.service.seen.calls).toHaveLength(1);
      expect(trigger.fired).toMatchObject([{ outcomeKey: 'no_answer', attempt: 1 }]);
      expect(rows()).toMatchObject([{ status: 'completed', outcomeKey: 'no_answer' }]);
    });

    it('has no second attempt after it when it says cancelled', async () => {
      answerLate();
      const trigger = await placeAndWriteOver(call({ retry }));
      const isCancelled = status === 'cancelled';
      expect(trigger.fired).toMatchObject([
        { outcomeKey: 'no_answer', nextAttemptAt: isCancelled ? null : expect.any(String) },
      ]);
      expect(world.service.seen.calls).toHaveLength(1);
    });
  },
);

describe('scheduled in the row of a call that Call Customer made', () => {
  it('calls nobody, says why, and leaves the call as it was', async () => {
    const trigger = publication();
    await trigger.poll();
    await call({});
    await untilItHasEnded();
    await trigger.poll();
    const { orderId, outcome, cost }: IDataObject = { ...rows()[0] };
    Object.assign(rows()[0] ?? {}, { status: 'scheduled', finishedAt: null });
    const placed = await run({ operation: 'placeScheduled', options: { keepOnSeconds: 0 } });
    expect(jsonOf(placed)).toEqual([]);
    expect(hintsOf(placed).join()).toContain('Schedule Call did not write this row');
    await trigger.poll();
    expect(trigger.fired).toMatchObject([{ outcomeKey: 'no_answer' }]);
    expect(rows()).toMatchObject([{ orderId, outcome, cost, finishedAt: expect.any(String) }]);
    world.keys.clear();
    expect(jsonOf(await call({ preventDuplicates: true }))).toMatchObject([
      { skipped: true, reason: 'duplicate' },
    ]);
  });
});

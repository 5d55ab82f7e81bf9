import type { IDataObject } from 'n8n-workflow';
import { resetClock } from './clock';
import { execute, jsonOf, type ExecutionRequest } from './engine';
import { hintsOf } from './hints';
import { itemsOfOrders, loggedCall } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const PHONE = '+12025550101';
const OTHER = '+12025550102';

const world = useServiceAndTables({ speed: 1000 });

const TWICE = itemsOfOrders(
  [PHONE, 'A-1'],
  [OTHER, 'A-1'],
  ['+1 202 555 0101', ' A-1 '],
  [PHONE, 'A-2'],
);
const run = async (more: IDataObject = {}, request: Partial<ExecutionRequest> = {}) =>
  await execute({
    parameters: { ...loggedCall, callLog: 'none', ...more },
    items: TWICE,
    credential: world.credential(),
    ...request,
  });
const called = () => world.service.seen.calls.map(({ phone }) => phone).sort();
const isDuplicate = ({ reason }: IDataObject) => reason === 'duplicate';

it('a retry in which only a doubt is left says how to go on, in a loop too', async () => {
  world.service.faults.add({ kind: 'reset', when: 'after', route: 'trigger' });
  const request = { items: itemsOfOrders([PHONE, 'A-1'], [OTHER, 'A-2']), rounds: 2 };
  const first = await run({ options: { concurrency: 1 } }, request);
  expect(first.error?.description).toContain('retry this execution');
  const retry = await run({}, { ...request, retryOf: first });
  expect(retry.error?.message).toContain('1 person was called, and 1 more may have been');
  expect(retry.error?.description).toMatch(
    /^Every retry of this execution fails so: .* "Continue"/,
  );
  const settings = { onError: 'continueRegularOutput' as const };
  const goingOn = await run({}, { ...request, retryOf: retry, settings });
  expect(goingOn.run.status).toBe('success');
  expect(called().filter((phone) => phone === PHONE)).toHaveLength(1);
});

describe('a retry of a workflow that a person has changed', () => {
  const items = itemsOfOrders([PHONE, 'A-1'], [OTHER, 'A-2']);

  it.each(['none', 'dataTable'])(
    'calls nobody twice, though the node stands in a loop now (call log: %s)',
    async (callLog) => {
      const busy = { success: false, message: 'Concurrency / pool exhausted' };
      const isOther = ({ body }: { body: unknown }) => JSON.stringify(body).includes(OTHER);
      world.service.faults.add({ kind: 'status', status: 400, body: busy, match: isOther });
      const byItem = {
        customerPhone: `={{ ['${PHONE}', '${OTHER}'][$itemIndex] }}`,
        additionalFields: { orderNumber: "={{ ['A-1', 'A-2'][$itemIndex] }}" },
      };
      const more = { callLog, options: { concurrency: 1 }, ...byItem };
      const first = await run(more, { items });
      expect(first.error?.message).toContain('All channels');
      const request = { items, mode: 'retry', rounds: 2, retryOf: first } as const;
      const retry = await run(more, request);
      expect(retry.run.data.resultData.runData['Outbound AI Calling']).toHaveLength(3);
      expect(called()).toEqual([PHONE, OTHER]);
    },
  );
});

it('a retry goes on with its round, though another node leads to the loop now', async () => {
  let asked = 0;
  const isOther = ({ body }: { body: unknown }) =>
    JSON.stringify(body).includes(OTHER) && ++asked === 2;
  world.service.faults.add({ kind: 'status', status: 400, match: isOther });
  const items = itemsOfOrders([PHONE, 'A-1'], [OTHER, 'A-2']);
  const parameters = {
    options: { concurrency: 1 },
    customerPhone: `={{ ['${PHONE}', '${OTHER}'][$itemIndex] }}`,
    additionalFields: { orderNumber: "={{ ['A-1', 'A-2'][$itemIndex] }}" },
  };
  const first = await run(parameters, { items, rounds: 2 });
  expect(called()).toEqual([PHONE, PHONE, OTHER]);
  await run(parameters, { items, rounds: 2, branches: 1, mode: 'retry', retryOf: first });
  expect(called()).toEqual([PHONE, PHONE, OTHER, OTHER]);
});

describe('a list in which the same person and order stand twice', () => {
  it.each(['none', 'dataTable'])(
    'is called once for each, without a rule (call log: %s)',
    async (callLog) => {
      const execution = await run({ callLog });
      expect(jsonOf(execution).map(isDuplicate)).toEqual([false, false, true, false]);
      expect(called()).toEqual([PHONE, PHONE, OTHER]);
      expect(hintsOf(execution)).toContain('1 of 4 not called: 1 called or scheduled before');
    },
  );

  it('is called once when the number has two spellings in E.164', async () => {
    const items = itemsOfOrders(['+54 11 2345-6789', 'A-1'], ['+54 9 11 2345-6789', 'A-1']);
    expect(jsonOf(await run({}, { items })).map(isDuplicate)).toEqual([false, true]);
    expect(called()).toEqual(['+541123456789']);
  });

  it('is called once for each person without an order number', async () => {
    const items = itemsOfOrders([PHONE], [OTHER], [PHONE]);
    const output = jsonOf(await run({}, { items }));
    expect(output.map(isDuplicate)).toEqual([false, false, true]);
    expect(called()).toEqual([PHONE, OTHER]);
  });

  it('is called for the second when nobody was called for the first', async () => {
    world.service.faults.add({ kind: 'status', status: 400 });
    const settings = { onError: 'continueRegularOutput' as const };
    const items = itemsOfOrders([PHONE, 'A-1'], [PHONE, 'A-1'], [PHONE, 'A-1']);
    const { items: output } = await run({ options: { concurrency: 1 } }, { settings, items });
    expect(output.map(({ json }) => Object.keys(json)[0])).toEqual(['error', 'orderId', 'skipped']);
    expect(called()).toEqual([PHONE]);
  });

  it('is not called again by a retry that has the other items', async () => {
    world.service.faults.add({ kind: 'status', status: 400, phone: OTHER } as never);
    const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
    const items = itemsOfOrders([PHONE, 'A-1'], [PHONE, 'A-1'], [OTHER, 'A-1']);
    jsonOf(await run({ options: { concurrency: 1 } }, { settings, items }));
    expect(called()).toEqual([PHONE, OTHER]);
  });

  it('is called for each key that the person has given', async () => {
    const items = itemsOfOrders([PHONE, 'A-1'], [PHONE, 'A-1']);
    const rules = { duplicateKey: '={{ $json.phone }} {{ $itemIndex }}' };
    jsonOf(await run({ rules }, { items }));
    expect(called()).toEqual([PHONE, PHONE]);
  });

  describe('with a Duplicate Key that has the date in it', () => {
    const duplicateKey = '={{ $json.number }} {{ $now.toFormat("yyyy-MM-dd") }}';
    const items = itemsOfOrders([PHONE, 'A-1'], [PHONE, 'A-1'], [OTHER, 'A-1'], [OTHER, 'A-2']);
    const later = () => jest.setSystemTime(Date.now() + 24 * 3_600_000);
    const losesAnswer = () =>
      world.service.faults.add({ kind: 'reset', when: 'after', route: 'trigger' });
    afterEach(resetClock);

    it.each(['none', 'dataTable'])(
      'is called once, also by a retry on another day (call log: %s)',
      async (callLog) => {
        losesAnswer();
        const more = { callLog, rules: { duplicateKey }, options: { concurrency: 1 } };
        const first = await run(more, { items });
        expect([first.error?.message, called()]).toEqual([
          expect.stringContaining('Somebody may have been called'),
          [PHONE],
        ]);
        later();
        const settings = { onError: 'continueRegularOutput' as const };
        const retry = await run(more, { items, retryOf: first, settings });
        // The key names the order alone, which two people have.
        expect(retry.items.map(({ json }) => json.reason)).toEqual([
          ...[undefined, 'duplicate', 'duplicate', undefined],
        ]);
        expect(called()).toEqual([PHONE, OTHER]);
      },
    );

    it('is called once when n8n tries again after midnight', async () => {
      jest.setSystemTime(new Date('2027-03-10T18:29:58Z'));
      losesAnswer();
      const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 5_000 };
      await run({ rules: { duplicateKey } }, { items: items.slice(0, 2), settings });
      expect(called()).toEqual([PHONE]);
    });
  });

  it('is scheduled once for each', async () => {
    const output = jsonOf(await run({ operation: 'schedule' }));
    expect(output.map(isDuplicate)).toEqual([false, false, true, false]);
    expect(world.tables.rowsOf('Calls')).toHaveLength(3);
  });

  it('is told once for each in a dry run', async () => {
    const rules = { manualExecutions: 'dryRun' };
    for (const operation of ['trigger', 'schedule']) {
      const output = jsonOf(await run({ rules, operation }, { mode: 'manual' }));
      expect(output.map(({ wouldCall }) => wouldCall)).toEqual([true, true, false, true]);
    }
  });

  it('is called in every round of a loop', async () => {
    jsonOf(await run({}, { rounds: 2 }));
    expect(called()).toHaveLength(6);
  });
});

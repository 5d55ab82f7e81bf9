import type { IDataObject } from 'n8n-workflow';
import { execute, jsonOf, type ExecutionRequest } from './engine';
import { itemsOfOrders, loggedCall } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const PHONE = '+12025550101';
const OTHER = '+12025550102';

const world = useServiceAndTables({ speed: 1000 });

const run = async (request: Partial<ExecutionRequest>, more: IDataObject = {}) =>
  await execute({
    parameters: { ...loggedCall, callLog: 'none', ...more },
    items: itemsOfOrders([PHONE, 'A-1'], [OTHER, 'A-2']),
    credential: world.credential(),
    ...request,
  });
const called = () => world.service.seen.calls.map(({ phone }) => phone).sort();
const rows = () => world.tables.rowsOf('Calls');

describe('several branches that lead to the node', () => {
  it.each(['none', 'dataTable'])(
    'call each person once about an order (call log: %s)',
    async (callLog) => {
      const items = jsonOf(await run({ branches: 2 }, { callLog }));
      expect(called()).toEqual([PHONE, OTHER]);
      expect(items).toHaveLength(4);
      expect(items.slice(2)).toMatchObject([
        { skipped: true, reason: 'earlierTry', orderId: items[0]?.orderId },
        { skipped: true, reason: 'earlierTry', orderId: items[1]?.orderId },
      ]);
    },
  );

  it('call the same person once without an order number', async () => {
    jsonOf(await run({ branches: 2, items: itemsOfOrders([PHONE]) }));
    expect(called()).toEqual([PHONE]);
  });

  it('schedule each call once', async () => {
    jsonOf(await run({ branches: 2 }, { operation: 'schedule', callAt: '' }));
    expect(rows().map(({ orderNumber }) => orderNumber)).toEqual(['A-1', 'A-2']);
  });

  // n8n follows one branch to its end before the next, unless a workflow is old.
  const orders = [{}, { executionOrder: 'v1' as const }];

  it.each(orders)('call each person once behind a loop that has ended (%j)', async (settings) => {
    const loop = { rounds: 2, branches: 2, isBehindLoop: true, workflowSettings: settings };
    const items = jsonOf(await run(loop));
    expect(called()).toEqual([PHONE, OTHER]);
    expect(items.slice(2)).toMatchObject([{ reason: 'earlierTry' }, { reason: 'earlierTry' }]);
  });

  it.each(orders)('call each person once in each round of a loop (%j)', async (settings) => {
    for (const rounds of [1, 2]) {
      world.service.reset();
      jsonOf(await run({ rounds, branches: 2, workflowSettings: settings }));
      expect(called()).toEqual(
        [PHONE, OTHER].flatMap((phone) => Array.from({ length: rounds }, () => phone)),
      );
    }
  });

  it('call each person once in a retry by hand too', async () => {
    const customerPhone = '={{ $runIndex === 1 ? "" : $json.phone }}';
    const request = { rounds: 1, branches: 2 };
    const first = await run(request, { customerPhone });
    expect(first.error?.message).toContain('2 people were called earlier in this execution');
    const items = jsonOf(await run({ ...request, retryOf: first, mode: 'retry' }));
    expect(items).toMatchObject([{ reason: 'earlierTry' }, { reason: 'earlierTry' }]);
    expect(called()).toEqual([PHONE, OTHER]);
  });

  it('call about the same order again when their Duplicate Keys say so', async () => {
    const rules = { preventDuplicates: true, duplicateKey: '={{ $json.number }} {{ $runIndex }}' };
    jsonOf(await run({ branches: 2 }, { rules }));
    expect(called()).toEqual([PHONE, PHONE, OTHER, OTHER]);
  });
});

describe('a loop', () => {
  it('calls again in each round whom it has called', async () => {
    jsonOf(await run({ rounds: 2 }));
    expect(called()).toEqual([PHONE, PHONE, OTHER, OTHER]);
  });

  it('calls again in each round, also when it goes on beside the node', async () => {
    jsonOf(await run({ rounds: 2, branches: 1 }));
    expect(called()).toEqual([PHONE, PHONE, OTHER, OTHER]);
  });

  it.each([{}, { branches: 1 }])('calls again in a retry by hand of a round (%j)', async (more) => {
    const customerPhone = '={{ $runIndex === 1 ? "" : $json.phone }}';
    const request = { rounds: 2, ...more };
    const retryOf = await run(request, { customerPhone });
    jsonOf(await run({ ...request, retryOf, mode: 'retry' }));
    expect(called()).toEqual([PHONE, PHONE, OTHER, OTHER]);
  });

  it.each(['none', 'dataTable'])(
    'calls nobody again who may have been called (call log: %s)',
    async (callLog) => {
      world.service.faults.add({ kind: 'reset', when: 'after', route: 'trigger' });
      const settings = { onError: 'continueRegularOutput' as const };
      const options = { concurrency: 1 };
      const execution = await run({ rounds: 2, settings }, { callLog, options });
      expect(called()).toEqual([PHONE, OTHER, OTHER]);
      expect(jsonOf(execution)[2]).toMatchObject({ skipped: true, reason: 'earlierTry' });
    },
  );
});

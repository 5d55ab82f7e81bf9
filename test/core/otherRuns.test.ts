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

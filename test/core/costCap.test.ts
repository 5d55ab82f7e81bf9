import type { IDataObject } from 'n8n-workflow';
import { rulesAndOptions } from '../rulesAndOptions';
import { execute, jsonOf } from './engine';
import { itemsOf, loggedCall } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 1000 });
const run = async (parameters: IDataObject, items: INodeItems = [{ json: {} }]) =>
  await execute({ parameters, credential: world.credential(), items });
type INodeItems = ReturnType<typeof itemsOf>;

const look = async () =>
  await run({
    ...{ resource: 'call', operation: 'placeScheduled', callLogTable: loggedCall.callLogTable },
    options: { keepOnSeconds: 0, firstCheckAfterSeconds: 0 },
  });

describe('Max Cost per Day', () => {
  it('holds when conversations end with neither a length nor a cost that can be read', async () => {
    const call = { ...loggedCall, ...rulesAndOptions({ maxCostPerDay: 0.5 }) };
    let called = 0;
    for (const item of itemsOf(6)) {
      const [{ orderId } = {}] = jsonOf(await run(call, [item]));
      if (orderId === undefined) continue;
      called++;
      const ended = { success: true, orderId, callStatus: 'completed', callOutcome: 'Confirmed' };
      const body = { ...ended, totalCallCost: '$0.30', summary: 'Spoke for a minute' };
      world.service.faults.add({ kind: 'json', body, route: 'outcome' });
      for (const row of world.tables.rowsOf('Calls')) if (row.runAt !== null) row.runAt = 1;
      await look();
    }
    expect(called).toBe(1);
  });
});

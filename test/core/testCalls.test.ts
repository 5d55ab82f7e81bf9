import type { IDataObject } from 'n8n-workflow';
import { rulesAndOptions } from '../rulesAndOptions';
import { execute, jsonOf, type ExecutionRequest } from './engine';
import { itemsOf, loggedCall } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 1000 });
const rows = () => world.tables.rowsOf('Calls');
const run = async (parameters: IDataObject, more: Partial<ExecutionRequest> = {}) =>
  jsonOf(
    await execute({
      parameters: { ...loggedCall, ...parameters },
      credential: world.credential(),
      items: itemsOf(1),
      ...more,
    }),
  );
const settings = (more: IDataObject = {}) => rulesAndOptions({ maxCostPerDay: 1, ...more });
const place = async () => {
  for (const row of rows()) if (row.status === 'in_progress') row.runAt = 1;
  return await run({ operation: 'placeScheduled', options: { keepOnSeconds: 0 } });
};

describe('a test call', () => {
  beforeEach(async () => {
    const body = { success: true, callStatus: 'completed', callOutcome: 'Confirmed' };
    const long = { ...body, callDurationSec: 400, totalCallCost: 1.2 };
    world.service.faults.add({ kind: 'json', route: 'outcome', body: long });
    const test = { manualExecutions: 'testPhone', testPhone: '+12025559999' };
    await run(settings(test), { mode: 'manual' });
    await place();
    expect(rows()).toMatchObject([{ status: 'completed', cost: 1.2 }]);
  });

  it('says nothing of what a call to a customer costs', async () => {
    expect(await run(settings())).toMatchObject([{ callStatus: 'in_progress' }]);
  });

  it('is no call of its order for Cancel', async () => {
    const cancel = { cancelBy: 'orderNumber', cancelValue: '={{ $json.number }}' };
    const said = await run({ operation: 'cancelScheduled', ...cancel });
    expect(said).toEqual([{ cancelled: 0, message: 'No such call was found' }]);
  });
});

import type { IDataObject } from 'n8n-workflow';
import { rulesAndOptions } from '../rulesAndOptions';
import { execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { loggedCall } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 1000 });
const { callLogTable } = loggedCall;
const call: IDataObject = { ...loggedCall, ...rulesAndOptions({ concurrency: 1 }) };
const run = async (
  parameters: IDataObject,
  more: Partial<ExecutionRequest> = {},
): Promise<Execution> => await execute({ parameters, credential: world.credential(), ...more });
const cancel = async (orderNumber: string) =>
  jsonOf(
    await run({
      ...{ resource: 'call', operation: 'cancelScheduled', callLogTable },
      ...{ cancelBy: 'orderNumber', cancelValue: orderNumber },
    }),
  )[0];
const ordersCalled = () => world.service.seen.calls.map(({ orderNumber }) => orderNumber);
const items = [{ json: { phone: '+12025551000', number: '#A-1' } }];

describe('Cancel with another spelling of the order number', () => {
  it('keeps a retry of a failed execution from calling', async () => {
    const body = { success: false, message: 'Invalid API key' };
    world.service.faults.add({ kind: 'status', status: 401, body, route: 'trigger' });
    const first = await run(call, { items });
    expect(first.error).toBeDefined();
    const said = await cancel('a-1');
    await run(call, { retryOf: first });
    expect({ said, called: ordersCalled() }).toMatchObject({ called: [] });
  });

  it('tells of a call that may have been placed', async () => {
    world.service.faults.add({ kind: 'reset', when: 'after', route: 'trigger' });
    const first = await run(call, { items });
    expect(first.error).toBeDefined();
    expect(await cancel('#A-1')).toMatchObject({ message: '1 call may have been placed' });
    expect(await cancel('a-1')).toMatchObject({ message: '1 call may have been placed' });
  });

  it('by phone, keeps a retry from calling in Argentina, where one person has two spellings', async () => {
    const body = { success: false, message: 'Invalid API key' };
    world.service.faults.add({ kind: 'status', status: 401, body, route: 'trigger' });
    const inArgentina = [{ json: { phone: '+541123456789', number: 'A-1' } }];
    const first = await run(call, { items: inArgentina });
    expect(first.error).toBeDefined();
    const said = jsonOf(
      await run({
        ...{ resource: 'call', operation: 'cancelScheduled', callLogTable },
        ...{ cancelBy: 'phone', cancelValue: '+54 9 11 2345 6789' },
      }),
    )[0];
    await run(call, { retryOf: first });
    expect({ said, called: ordersCalled() }).toMatchObject({ called: [] });
  });

  it('tells of a call that has ended', async () => {
    jsonOf(await run(call, { items }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const row of world.tables.rowsOf('Calls')) row.runAt = 1;
    await run({
      ...{ resource: 'call', operation: 'placeScheduled', callLogTable },
      options: { keepOnSeconds: 0, firstCheckAfterSeconds: 0 },
    });
    expect(world.tables.rowsOf('Calls')[0]).toMatchObject({ finishedAt: expect.any(String) });
    expect(await cancel('#A-1')).toMatchObject({ message: '1 call had ended before' });
    expect(await cancel('a-1')).toMatchObject({ message: '1 call had ended before' });
  });
});

import type { IDataObject } from 'n8n-workflow';
import { rulesAndOptions } from '../rulesAndOptions';
import { execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { itemsOf, loggedCall } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 1000 });
const { callLogTable } = loggedCall;
const call: IDataObject = { ...loggedCall, ...rulesAndOptions({ concurrency: 1 }) };
const run = async (
  parameters: IDataObject,
  more: Partial<ExecutionRequest> = {},
): Promise<Execution> => await execute({ parameters, credential: world.credential(), ...more });
const cancel = async (orderNumber: string, credential = world.credential()) =>
  jsonOf(
    await run(
      {
        ...{ resource: 'call', operation: 'cancelScheduled', callLogTable },
        ...{ cancelBy: 'orderNumber', cancelValue: orderNumber },
      },
      { credential },
    ),
  )[0];
const ordersCalled = () => world.service.seen.calls.map(({ orderNumber }) => orderNumber);

/** An execution whose first call the service refuses because of the key. */
async function failed(): Promise<Execution> {
  const body = { success: false, message: 'Invalid API key' };
  world.service.faults.add({ kind: 'status', status: 401, body, route: 'trigger' });
  const first = await run(call, { items: itemsOf(2) });
  expect(first.error).toBeDefined();
  return first;
}

describe('an order that was cancelled after its execution has failed', () => {
  it.each(['A-0', 'A-1'])('is not called by a retry: %s', async (orderNumber) => {
    const first = await failed();
    await cancel(orderNumber);
    const output = jsonOf(await run(call, { retryOf: first }));
    expect(output).toContainEqual(expect.objectContaining({ reason: 'cancelled', orderNumber }));
    expect(ordersCalled()).toEqual(['A-0', 'A-1'].filter((other) => other !== orderNumber));
  });

  it('is not called by a retry when its row says that the execution did not come to it', async () => {
    const first = await failed();
    for (const row of world.tables.rowsOf('Calls')) {
      Object.assign(row, { batch: '', finishedAt: new Date().toISOString() });
    }
    expect(await cancel('A-1')).toMatchObject({
      message: '1 call was not placed and will not be',
    });
    await run(call, { retryOf: first });
    expect(ordersCalled()).toEqual(['A-0']);
  });

  it('is told as out of reach when the key was replaced before', async () => {
    await failed();
    expect(await cancel('A-1', world.credential('key-two'))).toMatchObject({
      cancelled: 0,
      message: expect.stringContaining('1 row written with another API key'),
    });
  });
});

describe('Cancel with another spelling of the order number', () => {
  const items = [{ json: { phone: '+12025551000', number: '#A-1' } }];

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
    expect(await cancel('Order #A-1')).toMatchObject({ message: '1 call may have been placed' });
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

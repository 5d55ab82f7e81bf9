import type { IDataObject } from 'n8n-workflow';
import { execute, jsonOf } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables();
const run = async (parameters: IDataObject, orderNumber = 'A-1') =>
  await execute({
    parameters: {
      resource: 'call',
      scriptId: 7,
      customerPhone: '+12025550101',
      additionalFields: { orderNumber },
      callLog: 'dataTable',
      callLogTable: { mode: 'name', value: 'Calls' },
      ...parameters,
    },
    credential: world.credential(),
  });

describe('a scheduled call that the service has wait', () => {
  it('waits on while another call to the same person, placed meanwhile, goes on', async () => {
    await run({ operation: 'schedule', callAt: '' });
    const { service } = world;
    service.faults.add({ kind: 'rateLimit', retryAfter: 30, route: 'trigger', times: 1 });
    const placing = run({ operation: 'placeScheduled', options: { keepOnSeconds: 0 } });
    while (service.seen.received.length === 0) await new Promise((done) => setImmediate(done));
    await run({ operation: 'trigger' }, 'B-2');
    expect(jsonOf(await placing)).toEqual([]);
    expect(service.seen.calls).toMatchObject([{ orderNumber: 'B-2' }]);
    const [row] = world.tables.rowsOf('Calls');
    expect(row).toMatchObject({ orderNumber: 'A-1', status: 'scheduled', lockedBy: '' });
  });
});

it.each([
  ['the phone was corrected', { customerPhone: '+12025550177' }],
  ['the time was emptied', { triggeredAt: null }],
])('waits while its person rings, also when %s in the row of that call', async (_, edit) => {
  const place = async () =>
    await run({ operation: 'placeScheduled', options: { keepOnSeconds: 0 } });
  await run({ operation: 'schedule', callAt: '' });
  await place();
  const [ringing] = world.tables.rowsOf('Calls');
  Object.assign(ringing ?? {}, edit);
  await run({ operation: 'schedule', callAt: '' }, 'B-2');
  await place();
  expect(world.service.seen.calls).toMatchObject([{ orderNumber: 'A-1' }]);
});

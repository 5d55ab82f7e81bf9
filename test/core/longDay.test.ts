import type { IDataObject } from 'n8n-workflow';
import { listOf } from '../dataTables/doNotCallTable';
import { rulesAndOptions } from '../rulesAndOptions';
import { resetClock } from './clock';
import { execute, jsonOf } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables();
afterEach(resetClock);
const run = async (parameters: IDataObject, orderNumber = 'A-1') =>
  jsonOf(
    await execute({
      parameters: {
        resource: 'call',
        operation: 'trigger',
        scriptId: 7,
        customerPhone: '+12025550123',
        additionalFields: { orderNumber },
        callLog: 'dataTable',
        callLogTable: { mode: 'name', value: 'Calls' },
        ...parameters,
      },
      credential: world.credential(),
      workflowSettings: { timezone: 'America/New_York' },
    }),
  );

describe('a day on which clocks are set back', () => {
  it('lasts to its end for an entry of the do-not-call list', async () => {
    const until = '2026-11-01T04:00:00.000Z';
    const table = listOf([{ phone: '+12025550123', until }]);
    world.tables.tables.push(table);
    jest.setSystemTime(new Date('2026-11-01T23:30:00-05:00'));
    const rules = rulesAndOptions({
      doNotCallTable: { __rl: true, mode: 'name', value: table.name },
    });
    expect(await run(rules)).toMatchObject([{ skipped: true, reason: 'doNotCall' }]);
  });

  it('lasts to its end for a cap, also when the log is pruned', async () => {
    const call = rulesAndOptions({ maxCallsPerPersonPerDay: 1 });
    jest.setSystemTime(new Date('2026-11-01T00:10:00-04:00'));
    await run(call);
    jest.setSystemTime(new Date('2026-11-01T10:00:00-05:00'));
    await run({ operation: 'placeScheduled', options: { keepOnSeconds: 0 } });
    jest.setSystemTime(new Date('2026-11-01T23:30:00-05:00'));
    const old = { resource: 'callLog', operation: 'prune', pruneBy: 'age', olderThanDays: 1 };
    expect(await run(old)).toMatchObject([{ deleted: 0 }]);
    expect(await run(call, 'A-2')).toMatchObject([{ skipped: true, reason: 'dailyCap' }]);
  });
});

import type { IDataObject } from 'n8n-workflow';
import { listOf } from '../dataTables/doNotCallTable';
import { rulesAndOptions } from '../rulesAndOptions';
import { resetClock } from './clock';
import { execute, jsonOf, type Execution } from './engine';
import { hintsOf } from './hints';
import { useServiceAndTables } from './serviceAndTables';

/** One call goes on for long: as long as it does, an execution keeps on. */
const world = useServiceAndTables({ callSeconds: { min: 3_000, max: 3_100 } });
afterEach(resetClock);

const GOES_ON = '+12025559999';
const callLogTable = { mode: 'name', value: 'Calls' };
const run = async (parameters: IDataObject, phones: string[] = ['']): Promise<Execution> =>
  await execute({
    parameters: {
      ...{ resource: 'call', scriptId: 7, customerPhone: '={{ $json.phone }}', callLogTable },
      additionalFields: { orderNumber: '=A-{{ $json.phone }}' },
      ...parameters,
    },
    items: phones.map((phone) => ({ json: { phone } })),
    credential: world.credential(),
  });
const schedule = async (rules: IDataObject, phones: string[]) =>
  jsonOf(await run({ operation: 'schedule', ...rulesAndOptions(rules) }, phones));
const place = async (keepOnSeconds: number) =>
  await run({ operation: 'placeScheduled', options: { keepOnSeconds, maxInProgress: 10 } });

it('counts a call once that waits for a list, however often its rules are asked', async () => {
  const list = listOf([]);
  world.tables.tables.push(list);
  const doNotCallTable = { mode: 'name', value: list.name };
  await schedule({ doNotCallTable }, ['+12025550001', '+12025550002']);
  await schedule({}, [GOES_ON]);
  world.tables.rename(list.name, 'Renamed');
  const { error } = await place(1_200);
  expect(error?.description).toContain('2 scheduled calls wait until this is solved');
});

it('does not say "outside calling hours" of a call that the service refused when they had begun', async () => {
  jest.setSystemTime(new Date('2026-12-01T08:59:30Z'));
  await schedule({}, [GOES_ON]);
  const hours = { start: '09:00', end: '18:00', days: ['tue'], timezone: 'UTC' };
  await schedule({ callingHours: { hours } }, ['+12025550001']);
  world.service.faults.add({
    ...{ kind: 'status', status: 400, route: 'trigger', times: 1 },
    body: { success: false, message: 'Invalid phone number' },
    match: ({ body }) => (body as IDataObject).customerPhone !== GOES_ON,
  });
  const hints = hintsOf(await place(50)).join();
  expect(hints).toContain('1 call was refused');
  expect(hints).not.toContain('outside calling hours');
});

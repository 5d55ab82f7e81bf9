import type { IDataObject } from 'n8n-workflow';
import { execute, jsonOf } from './engine';
import { hintsOf } from './hints';
import { useServiceAndTables } from './serviceAndTables';
import { publishWatch } from './watchedLog';

const HOUR_MS = 3_600_000;
const world = useServiceAndTables({
  speed: 100_000,
  outcomeFor: () => ({ status: 'completed', label: 'no_answer' }),
});
const table = 'Calls';
const run = async (
  parameters: IDataObject,
  orders: number[] = [1],
  mode: 'trigger' | 'manual' = 'trigger',
) =>
  await execute({
    mode,
    parameters: {
      resource: 'call',
      callLogTable: { mode: 'name', value: table },
      scriptId: 7,
      ...parameters,
    },
    credential: world.credential(),
    items: orders.map((order) => ({
      json: { phone: `+1202555010${order}`, number: `A-${order}` },
    })),
  });
const schedule = async (more: IDataObject = {}, orders?: number[]) =>
  await run(
    {
      ...{ operation: 'schedule', customerPhone: '={{ $json.phone }}', callAt: '' },
      ...{ additionalFields: { orderNumber: '={{ $json.number }}' } },
      ...more,
    },
    orders,
  );
const place = async (more: IDataObject = {}, mode: 'trigger' | 'manual' = 'trigger') =>
  await run({ operation: 'placeScheduled', options: { keepOnSeconds: 0 }, ...more }, [1], mode);
const published = (options: IDataObject, workflowId: string) => {
  const { service, tables } = world;
  return publishWatch({ service, tables, table }, options, { workflowId });
};
const write = (attempt: number, status: string) => {
  const row = world.tables.rowsOf(table).find((one) => one.attempt === attempt);
  if (row === undefined) throw new Error(`There is no attempt ${attempt}`);
  row.status = status;
};

describe('a status that a person writes into a row that waits', () => {
  beforeEach(() => void jest.setSystemTime(new Date('2026-11-30T14:00:00Z')));

  it.each(['cancelled', 'Cancelled', 'canceled', ' CANCELED '])(
    'ends the call: %j',
    async (status) => {
      const events = ['outcomeAvailable', 'outcomeUnavailable'];
      const trigger = published({ events }, `ends by ${status}`);
      await trigger.poll();
      await schedule();
      write(1, status);
      await trigger.poll();
      await place();
      await trigger.poll();
      expect(world.service.seen.calls).toEqual([]);
      expect(trigger.fired).toMatchObject([{ orderNumber: 'A-1', endReason: 'cancelled' }]);
      expect(world.tables.rowsOf(table)).toMatchObject([{ status: 'cancelled' }]);
    },
  );

  it.each(['cancelled', 'Cancelled', 'canceled'])(
    'makes the attempt before the last one: %j',
    async (status) => {
      const trigger = published({ options: { finalOnly: true } }, `last before ${status}`);
      await trigger.poll();
      const retry = { plan: { outcomes: 'no_answer', afterMinutes: '30' } };
      await schedule({ options: { retry } });
      for (const passedMs of [60_000, 0]) {
        await place();
        await trigger.poll();
        jest.setSystemTime(Date.now() + passedMs);
      }
      write(2, status);
      for (let time = 0; time < 3; time++) {
        jest.setSystemTime(Date.now() + HOUR_MS);
        await place();
        await trigger.poll();
      }
      expect(trigger.fired).toMatchObject([{ orderNumber: 'A-1', outcomeKey: 'no_answer' }]);
    },
  );

  it.each(['Scheduled', 'scheduled ', 'SCHEDULED'])('has it placed: %j', async (status) => {
    await schedule();
    write(1, status);
    expect(jsonOf(await schedule())).toMatchObject([{ skipped: true, reason: 'duplicate' }]);
    const dry = await place({ rules: { manualExecutions: 'dryRun' } }, 'manual');
    expect(jsonOf(dry)).toMatchObject([{ wouldCall: true, orderNumber: 'A-1' }]);
    expect(jsonOf(await place())).toMatchObject([{ orderNumber: 'A-1' }]);
  });

  it('is cancelled by the operation', async () => {
    await schedule();
    write(1, 'Scheduled');
    const by = { cancelBy: 'orderNumber', cancelValue: 'A-1' };
    const said = jsonOf(await run({ operation: 'cancelScheduled', ...by }));
    expect(said).toMatchObject([{ cancelled: 1 }]);
    await place();
    expect(world.service.seen.calls).toEqual([]);
  });

  it('is told when it means nothing, also by an execution that places other calls', async () => {
    await schedule({}, [1, 2]);
    write(1, 'cancel it');
    const placing = await place();
    expect(jsonOf(placing)).toMatchObject([{ orderNumber: 'A-2' }]);
    expect(hintsOf(placing).join()).toContain('1 row with an unknown status is out of reach');
  });
});

it.each(['scheduled', 'Scheduled', ' SCHEDULED '])(
  'is told when it says %j beside the time of the end, and nobody is called',
  async (status) => {
    await schedule();
    await place();
    await new Promise((resolve) => setTimeout(resolve, HOUR_MS));
    await place();
    write(1, status);
    const placed = await place();
    expect(jsonOf(placed)).toEqual([]);
    expect(hintsOf(placed).join()).toContain(
      '1 row with the status scheduled and a time in finishedAt',
    );
  },
);

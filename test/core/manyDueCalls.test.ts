import type { IDataObject } from 'n8n-workflow';
import { resetClock } from './clock';
import { execute, jsonOf, type Execution } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({
  channelPool: 1_000,
  outcomeFor: () => ({ status: 'completed', lastsSec: 3_600, label: 'Confirmed' }),
});
afterEach(resetClock);

const MINUTE_MS = 60_000;
/** More than n8n gives on a page. */
const MANY = 260;

interface Order {
  phone: string;
  number: string;
}

async function run(parameters: IDataObject, orders?: Order[]): Promise<Execution> {
  return await execute({
    parameters: {
      resource: 'call',
      scriptId: 7,
      callLog: 'dataTable',
      callLogTable: { __rl: true, mode: 'name', value: 'Calls' },
      customerPhone: '={{ $json.phone }}',
      additionalFields: { orderNumber: '={{ $json.number }}' },
      ...parameters,
    },
    items: (orders ?? [{}]).map((json) => ({ json: { ...json } })),
    credential: world.credential(),
    ...(orders === undefined ? { mode: 'manual' as const } : {}),
  });
}

/** Schedules calls, and waits until they are due. */
async function schedule(orders: Order[], rules: IDataObject = {}): Promise<void> {
  jsonOf(await run({ operation: 'schedule', rules }, orders));
  jest.setSystemTime(Date.now() + 5 * MINUTE_MS);
}

const place = async (more: IDataObject = {}, manualExecutions = 'call') =>
  jsonOf(
    await run({
      operation: 'placeScheduled',
      options: { keepOnSeconds: 0, ...more },
      rules: { manualExecutions },
    }),
  );

const ordersOf = (phoneOf: (index: number) => string, count = MANY): Order[] =>
  Array.from({ length: count }, (_, index) => ({ phone: phoneOf(index), number: `A-${index}` }));
const inIndia = (index: number) => `+9198123${45_000 + index}`;
const numbersOf = (items: IDataObject[]) => items.map(({ orderNumber }) => orderNumber);

describe('a trial of due calls under a cap', () => {
  it.each(['dryRun', 'simulate'])(
    'gives no place to a call that waits for another: %s',
    async (how) => {
      const [phone, other] = [0, 1].map(inIndia) as [string, string];
      const orders = [
        { phone, number: 'A' },
        { phone, number: 'B' },
        { phone: other, number: 'C' },
      ];
      await schedule(orders, { maxCallsPerDay: 2 });
      const would = (await place({}, how)).filter(({ wouldCall }) => wouldCall !== false);
      expect(numbersOf(would)).toEqual(['A', 'C']);
      expect(numbersOf(await place())).toEqual(['A', 'C']);
    },
  );
});

describe('a cap among calls without caps', () => {
  const firstOrders = ordersOf(inIndia, 4);
  const capped = ordersOf((index) => inIndia(index + 10), 4).map(({ phone }, index) => ({
    phone,
    number: `C-${index}`,
  }));
  const CAP = { maxCallsPerDay: 3 };

  it.each([
    ['comes after them', firstOrders, capped, ['A-0', 'A-1', 'A-2', 'A-3']],
    ['comes before them', capped, firstOrders, ['C-0', 'C-1', 'C-2', 'A-0', 'A-1', 'A-2', 'A-3']],
  ])('counts those that are placed in the same step: %s', async (_, first, then, placed) => {
    for (const orders of [first, then]) await schedule(orders, orders === capped ? CAP : {});
    const would = (await place({}, 'dryRun')).filter(({ wouldCall }) => wouldCall === true);
    expect(numbersOf(would)).toEqual(placed);
    expect(numbersOf(await place()).sort()).toEqual([...placed].sort());
  });
});

describe('a dry run of many due calls', () => {
  it('says the same of all of them as the run that places them', async () => {
    const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
    const hours = { start: '09:00', end: '18:00', days, customersTimezone: true };
    // In India it is evening by then.
    const others = [1, 2, 3].map((one) => ({
      phone: `+4915123456${700 + one}`,
      number: `B-${one}`,
    }));
    jest.setSystemTime(new Date('2026-06-01T13:55:00Z'));
    await schedule([...ordersOf(inIndia), ...others], { callingHours: { hours } });
    const dry = await place({}, 'dryRun');
    const would = numbersOf(dry.filter(({ wouldCall }) => wouldCall === true));
    expect(dry).toHaveLength(MANY + others.length);
    expect(numbersOf(await place({}, 'simulate'))).toEqual(would);
    expect(would).toEqual(['B-1', 'B-2', 'B-3']);
    expect(numbersOf(await place())).toEqual(would);
  });

  it('goes on until the channels are used up', async () => {
    await schedule(ordersOf(inIndia, MANY + 20));
    const channels = { maxInProgress: MANY + 10, concurrency: MANY };
    expect(await place(channels, 'dryRun')).toHaveLength(MANY + 10);
    expect(await place(channels)).toHaveLength(MANY + 10);
  });
});

it.each(['+12025550123', '+5491123456789', '+972599123456'])(
  'many due calls to %s hold up nobody else',
  async (busy) => {
    await schedule([...ordersOf(() => busy), { phone: '+12025550199', number: 'B-0' }]);
    for (let runs = 0; runs < 3; runs++) await place();
    expect(numbersOf(world.service.seen.calls as unknown as IDataObject[])).toEqual(['A-0', 'B-0']);
  },
);

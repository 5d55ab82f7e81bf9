import type { IDataObject } from 'n8n-workflow';
import { rulesAndOptions } from '../rulesAndOptions';
import { execute, jsonOf, type ExecutionRequest } from './engine';
import { itemsOf, phoneOf } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

/** A script without variables, and one whose variable no call has: the service refuses them. */
const NEEDS_NOTHING = 7;
const NEEDS_VALUE = 30;
const world = useServiceAndTables({
  speed: 1,
  scripts: { [NEEDS_NOTHING]: [], [NEEDS_VALUE]: ['foo'] },
});
afterEach(() => {
  world.tables.beforeRows = () => undefined;
});

const run = async (parameters: IDataObject, more: Partial<ExecutionRequest> = {}) =>
  await execute({
    parameters: {
      resource: 'call',
      scriptId: NEEDS_NOTHING,
      customerPhone: '={{ $json.phone }}',
      additionalFields: { orderNumber: '={{ $json.number }}' },
      callLogTable: { mode: 'name', value: 'Calls' },
      ...parameters,
    },
    credential: world.credential(),
    ...more,
  });
const rows = () => world.tables.rowsOf('Calls');

describe('calls that are admitted under caps', () => {
  it.each<[string, IDataObject, number, IDataObject]>([
    ['corrected', { maxCallsPerPersonPerDay: 1 }, 1, { customerName: 'Ada Lovelace' }],
    ['cancelled', { maxCallsPerDay: 1 }, 2, { status: 'cancelled', runAt: null }],
  ])('take no place when their row is %s before it is marked', async (_, rules, count, cells) => {
    await run({ operation: 'schedule', ...rulesAndOptions(rules) }, { items: itemsOf(count) });
    let isEdited = false;
    world.tables.beforeRows = () => {
      if (isEdited || !(world.tables.writes.at(-1) ?? '').includes('"status":"placing"')) return;
      isEdited = true;
      Object.assign(rows()[0] ?? {}, cells);
    };
    await new Promise((resolve) => setTimeout(resolve, 50));
    await run({ operation: 'placeScheduled', options: { keepOnSeconds: 3, maxInProgress: 1 } });
    expect(isEdited).toBe(true);
    expect(world.service.seen.calls).toHaveLength(1);
  });

  it('count for the person who was called, also when the phone in the row was corrected since', async () => {
    const rules = rulesAndOptions({ maxCallsPerPersonPerDay: 1 });
    const call = async (customerPhone: string, orderNumber: string) => {
      const asked = { customerPhone, additionalFields: { orderNumber }, ...rules };
      return await run({ operation: 'trigger', callLog: 'dataTable', ...asked });
    };
    await run({ operation: 'trigger', callLog: 'dataTable' }, { items: itemsOf(1) });
    Object.assign(rows()[0] ?? {}, { customerPhone: phoneOf(1) });
    expect(jsonOf(await call(phoneOf(0), 'B'))).toMatchObject([{ reason: 'dailyCap' }]);
    expect(jsonOf(await call(phoneOf(1), 'C'))).toMatchObject([{ message: 'Call started' }]);
  });

  it.each([{}, { maxCallsPerDay: 100 }, { maxCallsPerPersonPerDay: 1, preventDuplicates: true }])(
    'are marked only when their request may leave soon: %j',
    async (rules) => {
      const release = world.service.faults.hold({ route: 'trigger', times: Infinity });
      const settings = rulesAndOptions({ ...rules, concurrency: 3 });
      const asked = { operation: 'trigger', callLog: 'dataTable', ...settings };
      const calling = run(asked, { items: itemsOf(40) });
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      const marked = rows().filter(({ status }) => status === 'placing').length;
      release();
      await calling;
      expect(marked).toBeGreaterThan(0);
      expect(marked).toBeLessThan(3 * 3);
      expect(world.service.seen.calls).toHaveLength(40);
    },
  );

  it('take a place that was given back while another row was being marked', async () => {
    const call = async (index: number, scriptId: number) => {
      const rules = rulesAndOptions({ maxCallsPerDay: 2 });
      const asked = { operation: 'trigger', callLog: 'dataTable', scriptId, ...rules };
      return await run(asked, { items: itemsOf(index + 1).slice(index) });
    };
    await call(5, NEEDS_VALUE);
    const release = world.service.faults.hold({ route: 'trigger' });
    const refused = call(0, NEEDS_VALUE);
    const isHeld = () =>
      rows().some((row) => row.orderNumber === 'A-0' && row.status === 'placing');
    while (!isHeld()) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const change = `${world.tables.idOf('Calls')}/rows/update`;
    let isAway = false;
    world.tables.faultOf = ({ url }) => {
      const isCounted = (world.tables.writes.at(-1) ?? '').includes('daily caps');
      const isMarking = rows().some(({ orderNumber }) => orderNumber === 'A-1') && isCounted;
      if (isAway || !isMarking || !url.includes(change)) return undefined;
      isAway = true;
      release();
      return { when: 'before', kind: 'status' };
    };
    await call(1, NEEDS_NOTHING);
    await refused;
    expect(isAway).toBe(true);
    expect(jsonOf(await call(2, NEEDS_NOTHING))[0]?.orderId).toBeDefined();
  });

  it('are not refused for their cost because calls without a cap on costs were counted before', async () => {
    const call = async (from: number, to: number, rules: IDataObject) =>
      await run(
        { operation: 'trigger', callLog: 'dataTable', ...rulesAndOptions(rules) },
        { items: itemsOf(to).slice(from) },
      );
    await call(0, 2, {});
    const finishedAt = new Date().toISOString();
    rows().forEach((row, index) =>
      Object.assign(row, {
        ...{ status: 'completed', outcome: 'Confirmed', outcomeKey: 'confirmed', runAt: null },
        ...{ durationSec: 30, cost: index === 0 ? 0.5 : null, finishedAt },
      }),
    );
    await call(2, 3, { maxCallsPerDay: 100 });
    const [item] = jsonOf(await call(3, 4, { maxCostPerDay: 50 }));
    expect(item?.reason).toBeUndefined();
    expect(item?.orderId).toBeDefined();
  });
});

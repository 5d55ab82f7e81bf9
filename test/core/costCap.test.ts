import type { IDataObject } from 'n8n-workflow';
import { rulesAndOptions } from '../rulesAndOptions';
import { execute, jsonOf } from './engine';
import { hintsOf } from './hints';
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

const outcomeOf = (orderId: unknown) => ({
  ...{ success: true, orderId, callStatus: 'completed', callOutcome: 'Confirmed' },
  summary: 'Spoke for a minute',
});

describe('Max Cost per Day', () => {
  it('holds when conversations end with neither a length nor a cost that can be read', async () => {
    const call = { ...loggedCall, ...rulesAndOptions({ maxCostPerDay: 0.5 }) };
    let called = 0;
    for (const item of itemsOf(6)) {
      const [{ orderId } = {}] = jsonOf(await run(call, [item]));
      if (orderId === undefined) continue;
      called++;
      const body = { ...outcomeOf(orderId), totalCallCost: '$0.30' };
      world.service.faults.add({ kind: 'json', body, route: 'outcome' });
      for (const row of world.tables.rowsOf('Calls')) if (row.runAt !== null) row.runAt = 1;
      await look();
    }
    expect(called).toBe(1);
  });

  it('says when it is lower than what one call costs, so that it is never kept', async () => {
    const [first, second] = itemsOf(2);
    jsonOf(await run(loggedCall, first && [first]));
    const body = { ...outcomeOf(4001), totalCallCost: 0.3 };
    world.service.faults.add({ kind: 'json', body, route: 'outcome' });
    for (const row of world.tables.rowsOf('Calls')) row.runAt = 1;
    await look();
    for (const row of world.tables.rowsOf('Calls')) {
      row.triggeredAt = row.finishedAt = '2026-01-05T10:00:00.000Z';
    }
    const call = { ...loggedCall, ...rulesAndOptions({ maxCostPerDay: 0.2 }) };
    const execution = await run(call, second && [second]);
    const [item = {}] = jsonOf(execution);
    expect(item).toMatchObject({ reason: 'dailyCap' });
    const why =
      'the daily cap of a cost of 0.2 is lower than what one call costs, about 0.3: raise it';
    // A Wait node until then would wait for ever.
    expect(item).not.toHaveProperty('nextAllowedAt');
    expect(item.message).toBe(`Nobody was called: ${why}`);
    expect(hintsOf(execution)).toContain(`1 of 1 not called: 1 over a daily cap (${why})`);
    expect(world.tables.rowsOf('Calls').at(-1)?.lastError).toContain(
      'a cost of 0.2 is lower than what one call costs, about 0.3',
    );
  });
});

import type { IDataObject } from 'n8n-workflow';
import { AgentTool, execute, jsonOf, type ExecutionRequest } from './engine';
import { itemsOf, loggedCall, phoneOf } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';
import type { Publication } from './triggerEngine';
import { publishWatch } from './watchedLog';

const world = useServiceAndTables({ speed: 100_000, channelPool: 50 });

const retries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const run = async (
  parameters: IDataObject,
  more: Partial<ExecutionRequest> = {},
): Promise<ReturnType<typeof execute>> =>
  await execute({ parameters, credential: world.credential(), ...more });
const cancel = async (orderNumber: string) => {
  const { callLogTable } = loggedCall;
  const by = { cancelBy: 'orderNumber', cancelValue: orderNumber };
  const parameters = { resource: 'call', operation: 'cancelScheduled', callLogTable, ...by };
  return jsonOf(await run(parameters))[0];
};
const called = () => world.service.seen.calls.map(({ phone }) => phone).sort();
const rows = () => world.tables.rowsOf('Calls');

/** The service surely places none of the next calls. */
function refuse(times: number, phone?: string): void {
  const body = { success: false, message: 'Concurrency / pool exhausted' };
  const match = ({ body: asked }: { body?: unknown }) =>
    phone === undefined || JSON.stringify(asked ?? '').includes(phone);
  world.service.faults.add({ kind: 'status', status: 400, body, route: 'trigger', times, match });
}

async function watchLog(finalOnly = false): Promise<Publication> {
  const trigger = publishWatch(
    { service: world.service, tables: world.tables, table: 'Calls' },
    {
      events: ['outcomeAvailable', 'outcomeUnavailable'],
      options: { fastChecks: false, finalOnly },
    },
    { credential: world.credential() },
  );
  await trigger.poll();
  return trigger;
}

const endsIn = ({ fired }: Publication) =>
  fired.map(({ orderNumber, endReason }) => [orderNumber, endReason]);

describe('a trigger, when n8n tries an execution again', () => {
  it.each([false, true])(
    'says of nobody that the call was not placed whose phone rings (Last Attempts Only: %s)',
    async (finalOnly) => {
      const trigger = await watchLog(finalOnly);
      refuse(1);
      jsonOf(await run(loggedCall, { items: itemsOf(1), settings: retries }));
      expect(called()).toEqual([phoneOf(0)]);
      await trigger.poll();
      expect(endsIn(trigger)).toEqual([]);
      expect(rows()).toMatchObject([{ status: 'in_progress' }]);
    },
  );

  it.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
    'says so of nobody in a list (On Error: %s)',
    async (onError) => {
      const trigger = await watchLog(true);
      refuse(3);
      const settings = { ...retries, maxTries: 5, onError };
      jsonOf(await run(loggedCall, { items: itemsOf(20), settings }));
      expect(called()).toHaveLength(20);
      await trigger.poll();
      expect(endsIn(trigger)).toEqual([]);
      expect(rows()).toHaveLength(20);
    },
  );

  it('says so at once, and once, when no try has placed the call', async () => {
    const trigger = await watchLog(true);
    refuse(3);
    const { error } = await run(loggedCall, { items: itemsOf(1), settings: retries });
    expect(error?.message).toContain('Nobody was called');
    await trigger.poll();
    expect(endsIn(trigger)).toEqual([['A-0', 'notPlaced']]);
  });

  it('says so at once without Retry On Fail', async () => {
    const trigger = await watchLog(true);
    refuse(1);
    expect((await run(loggedCall, { items: itemsOf(1) })).error).toBeDefined();
    await trigger.poll();
    expect(endsIn(trigger)).toEqual([['A-0', 'notPlaced']]);
  });

  it.each<[string, IDataObject, number]>([
    ['is not the first', {}, 1],
    ['goes to the second output', { options: { notCalledOutput: true } }, 0],
  ])(
    'says so at once of an item for which n8n does not try again: it %s',
    async (_, more, item) => {
      const trigger = await watchLog(true);
      refuse(9, phoneOf(item));
      const settings = { ...retries, onError: 'continueRegularOutput' as const };
      await run({ ...loggedCall, ...more }, { items: itemsOf(2), settings });
      expect(called()).toEqual([phoneOf(1 - item)]);
      await trigger.poll();
      expect(endsIn(trigger)).toEqual([[`A-${item}`, 'notPlaced']]);
    },
  );

  it('says nothing of a list while n8n tries again because a raw answer has an empty error', async () => {
    const trigger = await watchLog(true);
    const body = { success: true, order_id: 9001, error: '' };
    world.service.faults.add({ kind: 'json', route: 'trigger', body });
    refuse(1, phoneOf(1));
    const settings = { ...retries, onError: 'continueRegularOutput' as const };
    const raw = { ...loggedCall, simplify: false, options: { concurrency: 1 } };
    await run(raw, { items: itemsOf(2), settings });
    expect(called()).toEqual([phoneOf(1)]);
    await trigger.poll();
    expect(endsIn(trigger).filter(([order]) => order === 'A-1')).toEqual([]);
  });

  it('says once that a rule forbids a call which each try asks for', async () => {
    const trigger = await watchLog(true);
    refuse(1, phoneOf(1));
    const rules = { maxCallsPerPersonPerDay: 1 };
    const [first, second] = itemsOf(2);
    const again = { json: { ...first?.json, number: 'A-9' } };
    const items = [first, again, second].flatMap((item) => item ?? []);
    const options = { concurrency: 1 };
    jsonOf(await run({ ...loggedCall, rules, options }, { items, settings: retries }));
    expect(called()).toEqual([phoneOf(0), phoneOf(1)]);
    await trigger.poll();
    expect(endsIn(trigger)).toEqual([['A-9', 'notPlaced']]);
  });

  it('says of nobody that a call was cancelled that could not be stopped', async () => {
    const trigger = await watchLog();
    refuse(1);
    jsonOf(await run(loggedCall, { items: itemsOf(1), settings: retries }));
    expect(await cancel('A-0')).toMatchObject({
      message: '1 call goes on and could not be stopped',
    });
    await trigger.poll();
    expect(endsIn(trigger)).toEqual([]);
  });

  it('takes no more requests to n8n for a call that is placed at once', async () => {
    const requestsWith = async (settings: Partial<typeof retries>) => {
      jsonOf(await run(loggedCall, { items: itemsOf(1), settings }));
      world.tables.reset();
      jsonOf(await run(loggedCall, { items: itemsOf(1), settings }));
      return world.tables.requests.length;
    };
    expect(await requestsWith(retries)).toBe(await requestsWith({}));
  });
});

describe('an agent that asks again for a call that was not placed', () => {
  const asked = { phone: phoneOf(0), order: 'A-0' };
  const agentWith = () =>
    new AgentTool({
      credential: world.credential(),
      parameters: {
        ...loggedCall,
        customerPhone: "={{ $fromAI('phone') }}",
        additionalFields: {
          orderNumber: "={{ $fromAI('order') }}",
          customerName: "={{ $fromAI('name', '', 'string', '') }}",
        },
      },
    });
  /** As if the agent had not asked again for long. */
  const letTimePass = () => {
    for (const row of rows()) if (Number(row.lockedUntil) > 0) row.lockedUntil = 1;
  };

  it.each([{}, { name: 'Ann' }])(
    'has one call, of which no trigger says that it was not placed (%j)',
    async (more) => {
      const trigger = await watchLog(true);
      refuse(2);
      const agent = agentWith();
      await agent
        .prepare()(asked)
        .catch(() => {});
      await trigger.poll();
      await agent
        .prepare()(asked)
        .catch(() => {});
      await agent.prepare()({ ...asked, ...more });
      expect(called()).toEqual([phoneOf(0)]);
      letTimePass();
      await trigger.poll();
      expect(endsIn(trigger)).toEqual([]);
      expect(rows()).toMatchObject([{ status: 'in_progress' }]);
    },
  );

  it('hears that it was cancelled in between', async () => {
    const trigger = await watchLog(true);
    refuse(1);
    const agent = agentWith();
    await agent
      .prepare()(asked)
      .catch(() => {});
    expect(await cancel('A-0')).toMatchObject({
      cancelled: 1,
      message: '1 call is not placed any more',
    });
    expect(await agent.prepare()(asked)).toContain('cancelled');
    expect(called()).toEqual([]);
    letTimePass();
    await trigger.poll();
    expect(endsIn(trigger)).toEqual([['A-0', 'cancelled']]);
  });

  it('has one end when no request has placed it, after the agent does not ask again', async () => {
    const trigger = await watchLog(true);
    refuse(2);
    const agent = agentWith();
    for (let time = 0; time < 2; time++)
      await agent
        .prepare()(asked)
        .catch(() => {});
    await trigger.poll();
    expect(endsIn(trigger)).toEqual([]);
    letTimePass();
    await trigger.poll();
    expect(endsIn(trigger)).toEqual([['A-0', 'notPlaced']]);
  });
});

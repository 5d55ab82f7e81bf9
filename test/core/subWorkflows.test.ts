import type { IDataObject } from 'n8n-workflow';
import { execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables();
const REFUSED = { success: false, message: 'Concurrency pool exhausted' };
const WHY = 'All channels of the account are in use: Concurrency pool exhausted';
const ADVICE = 'retry this execution (that of the sub-workflow, not the one that started it)';

const ORDERS = ['A-1', 'A-2', 'A-3'];
let parents = 0;

/** What n8n stores of a sub-workflow: the execution that started it. */
const startedBy = (executionId: string): ExecutionRequest['origin'] => ({
  parentExecution: { executionId, workflowId: 'parent' },
});

async function call(orders: string[], more: Partial<ExecutionRequest> = {}): Promise<Execution> {
  return await execute({
    parameters: {
      ...{ resource: 'call', operation: 'trigger', scriptId: 7 },
      customerPhone: '={{ $json.phone }}',
      additionalFields: { orderNumber: '={{ $json.order }}' },
      options: { concurrency: 1 },
    },
    credential: world.credential(),
    mode: 'integrated',
    items: orders.map((order) => ({ json: { order, phone: `+1202555010${order.at(-1)}` } })),
    ...more,
  });
}

/** The service refuses the call about an order. */
const refuse = (order: string) =>
  world.service.faults.add({
    ...{ kind: 'status', status: 400, body: REFUSED, route: 'trigger' },
    match: ({ body }) => (body as IDataObject).orderNumber === order,
  });

describe('a sub-workflow that fails', () => {
  it('says whom others of the same execution have called', async () => {
    const origin = startedBy(`parent ${++parents}`);
    refuse('A-3');
    for (const order of ORDERS.slice(0, 2)) {
      expect((await call([order], { origin })).error).toBeUndefined();
    }
    const { error } = await call(['A-3'], { origin });
    const ids = world.service.seen.calls.map(({ orderId }) => orderId).join(', ');
    expect(error?.message).toBe(
      `2 people were called earlier, by this workflow or the one that started it: call IDs at the service ${ids}. ${WHY}`,
    );
    expect(error?.context?.data).toMatchObject({
      placedOrderIds: [expect.any(Number), expect.any(Number)],
    });
  });

  it('speaks of its node alone when it knows of no calls: another process of n8n may have placed some', async () => {
    refuse('A-3');
    await call(['A-1'], { origin: startedBy(`parent ${++parents}`) });
    const { error } = await call(['A-3'], { origin: startedBy(`parent ${++parents}`) });
    expect(error?.message).toBe(`Nobody was called by this node. ${WHY}`);
    expect(error?.description).toContain(ADVICE);
  });

  it('names the execution whose retry calls nobody twice', async () => {
    refuse('A-3');
    const failed = await call(ORDERS, { origin: startedBy(`parent ${++parents}`) });
    expect(failed.error?.description).toContain(ADVICE);
    await call(ORDERS, { origin: startedBy(`parent ${parents}`), retryOf: failed });
    expect(world.service.seen.calls.map(({ body }) => body.orderNumber)).toEqual(ORDERS);
  });

  it('counts a call once when its execution is retried by itself', async () => {
    const origin = startedBy(`parent ${++parents}`);
    refuse('A-2');
    const failed = await call(ORDERS.slice(0, 2), { origin });
    refuse('A-2');
    const { error } = await call(ORDERS.slice(0, 2), { origin, retryOf: failed });
    expect(error?.message).toMatch(/^1 person was called/);
    expect(error?.message).not.toContain('started it');
  });
});

describe('a sub-workflow that is executed once more for a call in doubt', () => {
  const lose = (order: string) =>
    world.service.faults.add({
      ...{ kind: 'status', status: 503, route: 'trigger', when: 'after' },
      match: ({ body }) => (body as IDataObject).orderNumber === order,
    });

  it('does not place it again, as within one workflow', async () => {
    const origin = startedBy(`parent ${++parents}`);
    lose('A-1');
    expect((await call(['A-1'], { origin })).error?.message).toContain('may have been placed');
    const again = await call(['A-1', 'A-2'], { origin });
    expect(jsonOf(again)).toMatchObject([
      { orderNumber: 'A-1', skipped: true, reason: 'earlierTry' },
      { orderNumber: 'A-2' },
    ]);
    expect(world.service.seen.calls.map(({ body }) => body.orderNumber)).toEqual(['A-1', 'A-2']);
  });

  it('places it in another execution, which a person has started', async () => {
    lose('A-1');
    await call(['A-1'], { origin: startedBy(`parent ${++parents}`) });
    await call(['A-1'], { origin: startedBy(`parent ${++parents}`) });
    expect(world.service.seen.calls).toHaveLength(2);
  });
});

describe('a workflow behind its sub-workflow', () => {
  it('says in its errors whom the sub-workflow has called', async () => {
    const executionId = `parent ${++parents}`;
    await call(['A-1', 'A-2'], { origin: startedBy(executionId) });
    refuse('A-3');
    const { error } = await call(['A-3'], { mode: 'trigger', executionId });
    expect(error?.message).toMatch(/^2 people were called earlier in this execution: /);
    expect(error?.description).not.toContain(ADVICE);
  });
});

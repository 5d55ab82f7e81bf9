import type { IDataObject } from 'n8n-workflow';
import { LONGEST_TEXTS } from '../../nodes/OutboundAiCalling/actions/call/callRequest';
import { LARGEST_PAGE } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { LARGEST_ANSWER_BYTES } from '../../nodes/OutboundAiCalling/http/exchange';
import { execute, jsonOf } from './engine';
import { loggedCall, phoneOf } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';
import { Publication } from './triggerEngine';

const world = useServiceAndTables({ speed: 100_000 });

const callLogTable = { __rl: true, mode: 'name', value: 'Calls' };

async function call(orders: IDataObject[], parameters: IDataObject = {}) {
  return await execute({
    parameters: {
      ...loggedCall,
      additionalFields: { orderNumber: '={{ $json.number }}', orderNotes: '={{ $json.notes }}' },
      ...parameters,
    },
    items: orders.map((json, index) => ({ json: { phone: phoneOf(index), ...json } })),
    credential: world.credential(),
    settings: { onError: 'continueRegularOutput' },
  });
}

/** What a trigger gives, an hour later. */
async function outcomes() {
  const trigger = new Publication({
    credential: world.credential(),
    parameters: { watch: 'callLog', callLogTable, options: { fastChecks: false } },
  });
  await trigger.poll();
  return {
    trigger,
    async heard(): Promise<unknown[]> {
      await new Promise((resolve) => setTimeout(resolve, 3_600_000));
      await trigger.poll();
      return trigger.fired.map(({ orderNumber }) => orderNumber);
    },
  };
}

describe('an order with a very long text', () => {
  it('is refused, by the name of the field, and the others are called', async () => {
    const { heard } = await outcomes();
    const orders = [
      { number: 'A-0', notes: 'Please ring twice. '.repeat(570_000) },
      { number: 'A-1', notes: 'Please ring twice.' },
    ];
    const [refused] = jsonOf(await call(orders));
    expect(refused).toMatchObject({
      error: expect.stringContaining('Order Notes is too long: the texts of a call may have 10000'),
    });
    expect(await heard()).toEqual(['A-1']);
  });

  it.each(['schedule', 'triggerAndWait'])(
    'is refused by its sum of texts (%s)',
    async (operation) => {
      const notes = 'x'.repeat(LONGEST_TEXTS / 2);
      const scriptVariables = { mappingMode: 'defineBelow', value: { product: `${notes}x` } };
      const [refused] = jsonOf(
        await call([{ number: 'A-0', notes }], { operation, scriptVariables }),
      );
      expect(refused).toMatchObject({
        error: expect.stringContaining('Script Variables, "product", is too long'),
      });
      expect(world.service.seen.calls).toEqual([]);
    },
  );
});

it.each([
  ['Order Number', { additionalFields: { orderNumber: '={{ $json.notes }}' } }],
  ['Customer Name', { additionalFields: { customerName: '={{ $json.notes }}' } }],
  ['Duplicate Key', { rules: { duplicateKey: '={{ $json.notes }}' } }],
])('A text is refused as %s', async (name, parameters) => {
  const [refused] = jsonOf(await call([{ notes: 'Please ring. '.repeat(20) }], parameters));
  expect(refused).toMatchObject({ error: expect.stringContaining(`${name} has 2`) });
  expect(world.service.seen.calls).toEqual([]);
});

it('A page of the longest rows fits into an answer, in any script', () => {
  // Order number, name and key of 200 characters, a reason, and JSON around them.
  const others = 8_000;
  expect(LARGEST_PAGE * (3 * LONGEST_TEXTS + others)).toBeLessThan(LARGEST_ANSWER_BYTES);
});

describe('a list whose rows together are more than a proxy before n8n lets pass', () => {
  // In a script of which each character has three bytes.
  const ORDERS = Array.from({ length: 120 }, (_, index) => ({
    number: `A-${index}`,
    notes: 'बजे'.repeat(3_000),
  }));
  const numbers = ORDERS.map(({ number }) => number);

  it('is scheduled as a whole, in its order', async () => {
    jsonOf(await call(ORDERS, { operation: 'schedule', callLogTable }));
    const rows = world.tables.rowsOf('Calls');
    expect(rows.map(({ orderNumber }) => orderNumber)).toEqual(numbers);
    expect(new Set(rows.map(({ status, batch }) => `${status} ${batch}`))).toEqual(
      new Set(['scheduled ']),
    );
  });

  it('is called, and its outcomes come', async () => {
    const { heard } = await outcomes();
    jsonOf(await call(ORDERS));
    expect(new Set(await heard())).toEqual(new Set(numbers));
  });
});

it('A service that tells very much of one call keeps no other outcome from coming', async () => {
  const { heard, trigger } = await outcomes();
  const long = 'L'.repeat(4_600_000);
  const body = { success: true, callStatus: 'completed', callOutcome: long, summary: long };
  jsonOf(await call([{ number: 'A-0' }]));
  world.service.faults.add({ kind: 'json', route: 'outcome', body, times: 1 });
  expect(await heard()).toEqual(['A-0']);
  const [first] = trigger.fired;
  expect(first?.callOutcome).toBe(`${'L'.repeat(200)}…`);
  expect(String(first?.summary)).toHaveLength(10_001);
  jsonOf(await call([{ number: 'B-0' }]));
  expect(await heard()).toEqual(['A-0', 'B-0']);
});

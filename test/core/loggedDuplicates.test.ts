import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { rulesAndOptions } from '../rulesAndOptions';
import { execute, jsonOf, type Execution, type ExecutionRequest } from './engine';
import { hintsOf } from './hints';
import { loggedCall } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const PHONE = '+12025550101';
const duplicate = (orderNumber: string) => ({
  skipped: true,
  reason: 'duplicate',
  customerPhone: PHONE,
  orderNumber,
});

const world = useServiceAndTables();

const order = (number: string, phone = PHONE): INodeExecutionData => ({ json: { phone, number } });
const callOf = (settings: IDataObject = {}, more: IDataObject = {}): IDataObject => ({
  ...loggedCall,
  ...rulesAndOptions(settings),
  ...more,
});
const scheduleOf = (settings: IDataObject = {}) => callOf(settings, { operation: 'schedule' });
const once = { preventDuplicates: true };
/** Another node each time: n8n's own store knows nothing of the others. */
let nodes = 0;
const runElsewhere = async (
  parameters: IDataObject,
  items = [order('A-1')],
  more: Partial<ExecutionRequest> = {},
): Promise<Execution> =>
  await execute({
    parameters,
    items,
    credential: world.credential(),
    settings: { id: `node ${nodes++}` },
    ...more,
  });
const rows = () => world.tables.rowsOf('Calls');
const statuses = () => rows().map(({ status }) => status);
const phonesCalled = () => world.service.seen.calls.map(({ phone }) => phone);

describe('Prevent Duplicates with a call log', () => {
  it('knows the calls of a copy of the node, and of another workflow on the same log', async () => {
    jsonOf(await runElsewhere(callOf(once)));
    expect(jsonOf(await runElsewhere(callOf(once)))).toEqual([duplicate('A-1')]);
    expect(phonesCalled()).toEqual([PHONE]);
    expect(rows()).toHaveLength(1);
    expect(rows()[0]?.duplicateKey).toBe(`["a-1","${PHONE}"]`);
  });

  it('knows calls by a key of their own, whatever phone they ring', async () => {
    const own = { duplicateKey: '={{ $json.number }}' };
    jsonOf(await runElsewhere(callOf(own)));
    const [item] = jsonOf(await runElsewhere(callOf(own), [order('A-1', '+12025550102')]));
    expect(item).toMatchObject({ reason: 'duplicate', customerPhone: '+12025550102' });
    expect(rows()[0]?.duplicateKey).toBe('A-1');
  });

  it.each(['trigger', 'schedule'])(
    'says in the item and in a hint that a key belongs to a call to another number: %s',
    async (operation) => {
      const own = callOf({ duplicateKey: '={{ $json.number }}' }, { operation });
      const same = 'its Duplicate Key belongs to a call to another phone number';
      jsonOf(await runElsewhere(own));
      const other = await runElsewhere(own, [order('A-1', '+12025550102')]);
      expect(jsonOf(other)).toMatchObject([{ message: `Nobody was called: ${same}` }]);
      expect(hintsOf(other)).toContain(`1 of 1 not called: 1 called or scheduled before (${same})`);
      const again = await runElsewhere(own, [order('A-1'), order('A-1', '+12025550103')]);
      expect(hintsOf(again)).toContain(
        `2 of 2 not called: 1 called or scheduled before, 1 called or scheduled before (${same})`,
      );
    },
  );

  it('hints at an order whose call to another number has not ended: its phone may have been corrected', async () => {
    const hint =
      'The order number "A-1" has calls to several phone numbers. If a number was corrected, cancel the call to the old one.';
    jsonOf(await runElsewhere(scheduleOf(once)));
    const corrected = [order('A-1', '+12025550102'), order('A-2')];
    const other = await runElsewhere(scheduleOf(once), corrected);
    expect(jsonOf(other)).toMatchObject([{ status: 'scheduled' }, { status: 'scheduled' }]);
    expect(hintsOf(other).filter((text) => text.includes('several phone'))).toEqual([hint]);

    for (const row of rows()) row.status = 'cancelled';
    const free = await runElsewhere(scheduleOf(once), [order('A-1', '+12025550103')]);
    expect(hintsOf(free).filter((text) => text.includes('several phone'))).toEqual([]);
    const list = [order('#B-1'), order('b-1', '+12025550104')];
    expect(hintsOf(await runElsewhere(scheduleOf(once), list))).toContain(
      hint.replace('A-1', 'b-1'),
    );
  });

  it('knows an order by a key that is its number, however both are written', async () => {
    const own = callOf({ duplicateKey: '={{ $json.number }}' });
    jsonOf(await runElsewhere(own, [order('#1001')]));
    const spelled = ['1001', "'1001", '1001.0', '000001001', 'Order #1001'].map((one) =>
      order(one),
    );
    const reasons = jsonOf(await runElsewhere(own, spelled)).map(({ reason }) => reason);
    expect(reasons).toEqual(spelled.map(() => 'duplicate'));
  });

  it('hints at several people with one key, which an expression may have given by mistake', async () => {
    const shared = { duplicateKey: '={{ "order-" + ($json.no ?? "") }}' };
    const items = [order('A-1'), order('A-2', '+12025550102'), order('A-3', '+12025550103')];
    const execution = await runElsewhere(callOf(shared), items);
    expect(hintsOf(execution).filter((one) => one.includes('"order-"'))).toEqual([
      expect.stringMatching(/^Several phone numbers have the Duplicate Key "order-", so only one/),
    ]);
    const own = await runElsewhere(callOf({ duplicateKey: '={{ $json.number }}' }), items);
    expect(hintsOf(own).join()).not.toContain('Several phone numbers');
  });

  it('knows calls that were placed without the rule, or with another key', async () => {
    jsonOf(await runElsewhere(callOf()));
    jsonOf(await runElsewhere(callOf({ duplicateKey: '={{ $json.key ?? "B" }}' }), [order('A-2')]));
    const output = jsonOf(await runElsewhere(callOf(once), [order('A-1'), order('A-2')]));
    expect(output).toEqual([duplicate('A-1'), duplicate('A-2')]);
  });

  it('calls again about an order that has another key, or none: only the key counts', async () => {
    jsonOf(await runElsewhere(callOf(once)));
    for (const ending of ['b', 'c']) {
      const other = callOf({ duplicateKey: `={{ $json.number }}${ending}` });
      expect(jsonOf(await runElsewhere(other))).toMatchObject([{ callStatus: 'in_progress' }]);
    }
    // With the usual key, their order number counts again.
    expect(jsonOf(await runElsewhere(callOf(once)))).toEqual([duplicate('A-1')]);
    expect(phonesCalled()).toEqual([PHONE, PHONE, PHONE]);
  });

  it('knows an order whose number is written in other capitals', async () => {
    jsonOf(await runElsewhere(callOf(once)));
    const output = jsonOf(
      await runElsewhere(callOf(once), [order(' a-1'), order('A-2'), order('a-2')]),
    );
    expect(output.map(({ reason }) => reason)).toEqual(['duplicate', undefined, 'duplicate']);
  });

  it('knows an order whose number is written without its #', async () => {
    jsonOf(await runElsewhere(callOf(once), [order('#1042')]));
    const output = jsonOf(await runElsewhere(callOf(once), [order('1042'), order('1043')]));
    expect(output.map(({ reason }) => reason)).toEqual(['duplicate', undefined]);
  });

  it.each([...['1001', '1001.0', '"1001"', 'Order 1001', '\u0661\u0660\u0660\u0661']])(
    'knows an order whose phone a person has corrected in its row: %s',
    async (number) => {
      const corrected = '+12025550102';
      jsonOf(await runElsewhere(scheduleOf(once), [order('#1001')]));
      Object.assign(rows()[0] ?? {}, { customerPhone: corrected });
      const [item] = jsonOf(await runElsewhere(callOf(once), [order(number, corrected)]));
      expect(item).toMatchObject({ skipped: true, reason: 'duplicate' });
      expect(phonesCalled()).toEqual([]);
    },
  );

  describe.each(['B-9', 'B-1009'])(
    'with order number %s, which a person has corrected',
    (number) => {
      const wide = (text: string) => text.replace('B', '\uff22').replace('9', '\uff19');
      it.each([
        ...[number, number.toLowerCase(), `${number} `, ` ${number}`, `#${number}`, `"${number}"`],
        ...[number.replace('-', '\u2013'), `Order ${number}`, wide(number)],
      ])('knows it as %j in a row that waits, or has ended', async (typed) => {
        jsonOf(await runElsewhere(scheduleOf(once), [order('A-0')]));
        Object.assign(rows()[0] ?? {}, { orderNumber: typed });
        expect(jsonOf(await runElsewhere(callOf(once), [order(number)]))).toEqual([
          duplicate(number),
        ]);
        Object.assign(rows()[0] ?? {}, {
          status: 'completed',
          finishedAt: new Date().toISOString(),
        });
        expect(jsonOf(await runElsewhere(callOf(once), [order(number)]))).toEqual([
          duplicate(number),
        ]);
        expect(phonesCalled()).toEqual([]);
      });

      it('calls the order that stood in the row before', async () => {
        jsonOf(await runElsewhere(scheduleOf(once), [order('A-0')]));
        Object.assign(rows()[0] ?? {}, { orderNumber: number });
        const [item] = jsonOf(await runElsewhere(callOf(once), [order('A-0')]));
        expect(item).toMatchObject({ orderId: expect.any(Number) });
      });
    },
  );

  it('knows an order whose number a person has emptied in its row', async () => {
    jsonOf(await runElsewhere(scheduleOf(once), [order('A-0')]));
    Object.assign(rows()[0] ?? {}, { orderNumber: null });
    expect(jsonOf(await runElsewhere(callOf(once), [order('A-0')]))).toEqual([duplicate('A-0')]);
  });

  it('knows a person without an order number whose phone somebody has emptied in the row', async () => {
    const unnumbered = (parameters: IDataObject) => ({ ...parameters, additionalFields: {} });
    jsonOf(await runElsewhere(unnumbered(scheduleOf(once)), [order('A-0')]));
    Object.assign(rows()[0] ?? {}, { customerPhone: null });
    const again = await runElsewhere(unnumbered(callOf(once)), [order('A-0')]);
    expect(jsonOf(again)).toMatchObject([{ skipped: true, reason: 'duplicate' }]);
  });

  it.each(['B-10', 'B-10002'])(
    'knows orders whose numbers run, and corrected ones, in a long list: %s12 and others',
    async (start) => {
      const orders = Array.from({ length: 40 }, (_, n) => order(`${start}${10 + n}`));
      const before = ['A-0', 'A-1', `${start}40`, `${start}4`, `${start}400`, `${start}41`];
      jsonOf(
        await runElsewhere(
          scheduleOf(once),
          before.map((number) => order(number)),
        ),
      );
      const corrected = start.replace('-', '\u2013').toLowerCase();
      Object.assign(rows()[0] ?? {}, { orderNumber: `#${corrected}17 ` });
      const phone = { customerPhone: '(202) 555-0101' };
      Object.assign(rows()[1] ?? {}, { orderNumber: `"${start}18"`, ...phone });
      Object.assign(rows()[5] ?? {}, { orderNumber: null });
      const output = jsonOf(await runElsewhere(callOf(once), orders));
      const known = output.filter(({ reason }) => reason === 'duplicate');
      expect(known.map(({ orderNumber }) => orderNumber)).toEqual(
        ['17', '18', '40', '41'].map((end) => `${start}${end}`),
      );
    },
  );

  it('calls somebody whose number stood by mistake in a row without an order', async () => {
    const person = (phone: string) => ({ json: { phone } });
    jsonOf(await runElsewhere(scheduleOf(once), [person('+12025550102')]));
    Object.assign(rows()[0] ?? {}, { customerPhone: PHONE });
    const people = [person('+12025550102'), person(PHONE)];
    const output = jsonOf(await runElsewhere(callOf(once), people));
    expect(output.map(({ reason }) => reason)).toEqual([undefined, 'duplicate']);
    expect(phonesCalled()).toEqual(['+12025550102']);
  });

  it.each([
    ['without an order', { json: { phone: PHONE } }],
    ['with one', order('A-1')],
  ])('knows a person %s whose phone somebody has corrected after the call', async (_, first) => {
    const person = { json: { phone: PHONE } };
    jsonOf(await runElsewhere(callOf(once), [first]));
    Object.assign(rows()[0] ?? {}, { customerPhone: '+12025550102' });
    for (const node of [scheduleOf(once), callOf(once)]) {
      expect(jsonOf(await runElsewhere(node, [person]))).toMatchObject([{ reason: 'duplicate' }]);
    }
    expect(phonesCalled()).toEqual([PHONE]);
  });

  it('knows an order that the shop sends again with the phone that a person has corrected', async () => {
    jsonOf(await runElsewhere(scheduleOf(once)));
    Object.assign(rows()[0] ?? {}, { customerPhone: '+12025550102' });
    expect(jsonOf(await runElsewhere(callOf(once)))).toEqual([duplicate('A-1')]);
  });

  it('knows an order in other capitals also when its call had a key of its own', async () => {
    jsonOf(await runElsewhere(callOf({ duplicateKey: '={{ $json.key ?? "B" }}' })));
    expect(jsonOf(await runElsewhere(callOf(once), [order('a-1')]))).toEqual([duplicate('a-1')]);
    expect(jsonOf(await runElsewhere(scheduleOf(once), [order('a-1')]))).toEqual([
      duplicate('a-1'),
    ]);
  });

  it('knows scheduled calls, and those whose phone a person wrote in another form', async () => {
    jsonOf(await runElsewhere(scheduleOf(once)));
    Object.assign(rows()[0] as object, { customerPhone: '+1 (202) 555-0102', duplicateKey: null });
    const output = jsonOf(await runElsewhere(callOf(once), [order('A-1', '+12025550102')]));
    expect(output).toMatchObject([{ reason: 'duplicate' }]);
    expect(phonesCalled()).toEqual([]);
  });

  it.each([
    '+1\u00a0202\u00a0555\u00a00102',
    '+1\u2011202\u2011555\u20110102',
    '\u202a+12025550102\u202c',
  ])('knows a phone that a person has pasted into a row: %j', async (customerPhone) => {
    jsonOf(await runElsewhere(scheduleOf(once)));
    Object.assign(rows()[0] as object, { customerPhone, orderNumber: null, duplicateKey: null });
    const phone = { json: { phone: '+12025550102' } };
    const output = jsonOf(await runElsewhere(callOf(once), [phone]));
    expect(output).toMatchObject([{ reason: 'duplicate' }]);
  });

  it('knows orders with long numbers in other scripts', async () => {
    const orders = Array.from({ length: 60 }, (_, n) => order(`${'Заказ'.repeat(12)}-${n}`));
    const output = jsonOf(await runElsewhere(callOf(once), orders));
    expect(output.map(({ reason }) => reason)).toEqual(orders.map(() => undefined));
  });

  it.each(['not_placed', 'cancelled'])('calls whose row says %s', async (status) => {
    jsonOf(await runElsewhere(callOf(once)));
    const finishedAt = new Date().toISOString();
    Object.assign(rows()[0] as object, { status, orderId: null, triggeredAt: null, finishedAt });
    const [item] = jsonOf(await runElsewhere(callOf(once)));
    expect(item).toMatchObject({ orderId: expect.any(Number) });
  });

  it.each(['placing', 'maybe_placed', 'given_up', 'completed', 'a word of a person'])(
    'calls nobody whose row says %s',
    async (status) => {
      jsonOf(await runElsewhere(callOf(once)));
      Object.assign(rows()[0] as object, { status });
      expect(jsonOf(await runElsewhere(callOf(once)))).toEqual([duplicate('A-1')]);
    },
  );

  it('knows calls of another account, also those that are scheduled there', async () => {
    jsonOf(await runElsewhere(callOf(once)));
    jsonOf(await runElsewhere(scheduleOf(once), [order('A-2')]));
    for (const row of rows()) row.account = 'another';
    const output = jsonOf(await runElsewhere(callOf(once), [order('A-1'), order('A-2')]));
    expect(output).toMatchObject([{ reason: 'duplicate' }, { reason: 'duplicate' }]);
  });

  it('places one of two calls that are placed at the same moment in two processes', async () => {
    const both = await Promise.all([runElsewhere(callOf(once)), runElsewhere(callOf(once))]);
    expect(phonesCalled()).toEqual([PHONE]);
    const reasons = both.map((execution) => jsonOf(execution)[0]?.reason ?? 'called');
    expect(reasons.sort()).toEqual(['called', 'duplicate']);
  });

  it('lets orders that were called without the log take no place that a new one needs', async () => {
    const known = Array.from({ length: 10 }, (_, index) => order(`B-${index}`));
    const settings = { id: 'got a log later' };
    jsonOf(await runElsewhere(callOf(once, { callLog: 'none' }), known, { settings }));
    const capped = callOf({ ...once, maxCallsPerDay: 2 });
    const output = jsonOf(await runElsewhere(capped, [...known, order('A-1')], { settings }));
    expect(output.map(({ reason }) => reason)).toEqual([
      ...known.map(() => 'duplicate'),
      undefined,
    ]);
  });

  it('says duplicate of another person with the same key also when the cap is reached', async () => {
    const capped = callOf({ duplicateKey: '={{ $json.number }}', maxCallsPerDay: 1 });
    const output = await runElsewhere(capped, [order('A-1'), order('A-1', '+12025550102')]);
    expect(jsonOf(output).map(({ reason }) => reason)).toEqual([undefined, 'duplicate']);
  });

  it('asks n8n once more for a lone order than without the rule', async () => {
    jsonOf(await runElsewhere(callOf(), [order('A-0')]));
    const asked = async (settings: IDataObject) => {
      const before = world.tables.requests.length;
      jsonOf(await runElsewhere(callOf(settings), [order(`B-${nodes}`)]));
      return world.tables.requests.length - before;
    };
    const [without, withRule] = [await asked({}), await asked(once)];
    expect(withRule - without).toBeLessThanOrEqual(1);
  });

  it('asks about many orders in few requests', async () => {
    jsonOf(await runElsewhere(callOf(), [order('A-0')]));
    const many = Array.from({ length: 120 }, (_, index) => order(`M-${index}`));
    const before = world.tables.requests.length;
    const output = jsonOf(await runElsewhere(callOf(once, {}), [...many, order('A-0')]));
    expect(output.at(-1)).toMatchObject({ reason: 'duplicate' });
    expect(phonesCalled()).toHaveLength(121);
    expect(world.tables.requests.length - before).toBeLessThan(60);
  });

  it('counts in a hint how many the log knows where the rule is missing', async () => {
    jsonOf(await runElsewhere(callOf(), [order('A-1'), order('A-2')]));
    const again = await runElsewhere(
      callOf(),
      ['A-1', 'A-2', 'A-3', 'A-4'].map((one) => order(one)),
    );
    expect(phonesCalled()).toHaveLength(6);
    expect(hintsOf(again)).toContain(
      '2 of these 4 orders are in this log already: add "Prevent Duplicates"',
    );
  });
});

describe('Schedule Call', () => {
  it('leaves out an order and phone that wait or ring already', async () => {
    jsonOf(await runElsewhere(scheduleOf()));
    jsonOf(await runElsewhere(callOf(), [order('A-2')]));
    const output = jsonOf(
      await runElsewhere(
        scheduleOf(),
        ['A-1', 'A-2', 'A-3'].map((one) => order(one)),
      ),
    );
    expect(output).toMatchObject([duplicate('A-1'), duplicate('A-2'), { status: 'scheduled' }]);
    expect(statuses()).toEqual(['scheduled', 'in_progress', 'scheduled']);
  });

  it('schedules again whose call has ended, or was cancelled', async () => {
    jsonOf(await runElsewhere(scheduleOf()));
    for (const status of ['completed', 'cancelled']) {
      const last = rows().at(-1) as object;
      Object.assign(last, { status, finishedAt: new Date().toISOString() });
      expect(jsonOf(await runElsewhere(scheduleOf()))).toMatchObject([{ status: 'scheduled' }]);
    }
  });

  it('schedules again while one waits when that is wanted', async () => {
    jsonOf(await runElsewhere(scheduleOf()));
    const output = jsonOf(await runElsewhere(scheduleOf({ scheduleAgain: true })));
    expect(output).toMatchObject([{ status: 'scheduled' }]);
    expect(statuses()).toEqual(['scheduled', 'scheduled']);
  });

  it('schedules one of two orders that arrive at the same moment', async () => {
    const both = await Promise.all([runElsewhere(scheduleOf()), runElsewhere(scheduleOf())]);
    expect(both.flatMap(jsonOf).filter(({ status }) => status === 'scheduled')).toHaveLength(1);
    expect(statuses()).toEqual(['scheduled']);
  });

  it('leaves out an order that waits for its turn in an execution without the rule', async () => {
    const release = world.service.faults.hold({ route: 'trigger' });
    const orders = Array.from({ length: 15 }, (_, index) => order(`A-${index}`));
    const list = runElsewhere(callOf({ concurrency: 1 }), orders);
    while (world.service.seen.received.length === 0) await new Promise((go) => setTimeout(go, 10));
    expect(jsonOf(await runElsewhere(scheduleOf(), [order('A-14')]))).toEqual([duplicate('A-14')]);
    expect(jsonOf(await runElsewhere(callOf(once), [order('A-14')]))).toEqual([duplicate('A-14')]);
    release();
    expect(jsonOf(await list)).toHaveLength(15);
    expect(phonesCalled()).toHaveLength(15);
  });

  it('tells in a dry run what it would leave out', async () => {
    jsonOf(await runElsewhere(scheduleOf()));
    const dry = scheduleOf({ manualExecutions: 'dryRun' });
    const [item] = jsonOf(await runElsewhere(dry, [order('A-1')], { mode: 'manual' }));
    expect(item).toMatchObject({ dryRun: true, wouldCall: false, reason: 'duplicate' });
    expect(rows()).toHaveLength(1);
  });
});

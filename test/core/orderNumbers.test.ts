import type { IDataObject } from 'n8n-workflow';
import { execute, jsonOf } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables();
const PHONE = '+12025550101';
const callLogTable = { mode: 'name', value: 'Calls' };
const run = async (parameters: IDataObject) =>
  await execute({
    parameters: { resource: 'call', callLogTable, scriptId: 7, ...parameters },
    credential: world.credential(),
  });

/** A field with this text: n8n takes a field that begins with = for an expression. */
const field = (text: string) => `={{ ${JSON.stringify(text)} }}`;

/** What spreadsheets and exports put around digits, so that zeros stay, and what programs do to capitals. */
const PAIRS = [
  ['1001', "'1001"],
  ['1001', '="1001"'],
  ['1001', '\u20181001'],
  ['SİP-1001', 'sip-1001'],
  ['SI-17', 'sı-17'],
  ['STRASSE-1', 'straße-1'],
] as const;

describe.each(PAIRS)('order %s, also written as %s', (usual, orderNumber) => {
  const phone = orderNumber.includes(usual) ? orderNumber.replace(usual, PHONE) : PHONE;

  it('gets one call of a campaign', async () => {
    const contactsJson = JSON.stringify([
      { phone: PHONE, orderNumber: usual },
      { phone, orderNumber },
    ]);
    const source = { contactsSource: 'json', contactsJson };
    const execution = await run({ resource: 'campaign', operation: 'create', ...source });
    expect(jsonOf(execution)).toMatchObject([{ contactCount: 1 }]);
  });

  it('gets one call of several executions, and the service the number as it is', async () => {
    const call = { operation: 'trigger', rules: { preventDuplicates: true }, callLog: 'dataTable' };
    const additionalFields = { orderNumber: field(orderNumber) };
    await run({ ...call, customerPhone: field(phone), additionalFields });
    await run({ ...call, customerPhone: PHONE, additionalFields: { orderNumber: usual } });
    expect([...world.service.seen.callsByPhone]).toEqual([[PHONE, 1]]);
    expect(world.service.seen.received).toMatchObject([{ body: { orderNumber } }]);
  });

  it.each([
    [orderNumber, usual],
    [usual, orderNumber],
  ])('gets no call when it was scheduled as %s and cancelled as %s', async (one, other) => {
    const additionalFields = { orderNumber: field(one) };
    const call = { customerPhone: PHONE, callAt: '', additionalFields };
    await run({ operation: 'schedule', ...call });
    const by = { cancelBy: 'orderNumber', cancelValue: field(other) };
    const paid = { operation: 'cancelScheduled', ...by };
    expect(jsonOf(await run(paid))).toMatchObject([{ cancelled: 1 }]);
    await run({ operation: 'placeScheduled', options: { keepOnSeconds: 0 } });
    expect(world.service.seen.callsByPhone.size).toBe(0);
  });
});

describe('Cancel Scheduled Calls', () => {
  const schedule = async (orderNumber: string) =>
    await run({
      ...{ operation: 'schedule', customerPhone: PHONE, callAt: '' },
      additionalFields: { orderNumber: field(orderNumber) },
      rules: { duplicateKey: `={{ $json.key ?? ${JSON.stringify(`${orderNumber}b`)} }}` },
    });
  const cancel = async (text: string, cancelBy = 'orderNumber') =>
    await run({ operation: 'cancelScheduled', cancelBy, cancelValue: field(text) });

  it.each(['\u0661\u0660\u0660\u0661', '\uff11\uff10\uff10\uff11', '10\u200b01', '#1001'])(
    'finds an order that has a Duplicate Key of its own: %s',
    async (orderNumber) => {
      await schedule(orderNumber);
      expect(jsonOf(await cancel('1001'))).toMatchObject([{ cancelled: 1 }]);
    },
  );

  it.each([
    ['1001, 1002', 'orderNumber'],
    ['["1001"]', 'orderNumber'],
    ['call-1;call-2', 'callId'],
  ])('says when a text that no call has may be a list: %s', async (text, by) => {
    await schedule('1001');
    const message = `No such call was found. "${text}" may be a list: cancel one for each item`;
    expect(jsonOf(await cancel(text, by))).toEqual([{ cancelled: 0, message }]);
  });

  it('cancels an order whose number has a comma', async () => {
    await schedule('10,01');
    expect(jsonOf(await cancel('10,01'))).toMatchObject([{ cancelled: 1 }]);
  });
});

import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { callsLike } from '../../nodes/OutboundAiCalling/callLog/reading/callsLike';
import { scheduleInto } from '../newCalls';
import { MemoryTables } from './memoryTables';

const SOON = Date.parse('2026-11-21T12:00:00Z');
const asked = (customerPhone: string, orderNumber?: string) => ({
  ...{ callId: undefined, key: customerPhone, isUsualKey: true },
  ...{ orderNumber, customerPhone },
});

let made = 0;
/** A log in which a call waits, about no order if none is given; a person has written another phone into its row. */
async function correctedTo(phone: string, orderNumber?: string) {
  const tables = new MemoryTables(`like${++made}x`);
  const locator = { mode: 'id', value: tables.tableId };
  const log = await CallLog.openExisting(tables.context, locator, 'one');
  const order = orderNumber === undefined ? {} : { orderNumber };
  const request = { scriptId: 7, customerPhone: '+12025551001', variables: {}, ...order };
  await scheduleInto(log, [request], SOON);
  Object.assign(tables.rows[0] ?? {}, { customerPhone: phone });
  return { tables, log };
}

describe('a call without an order number', () => {
  it.each([
    ...['+1 (202) 555-1002', '+1-202-555-1002', '+1.202.555.1002', '12025551002'],
    ...['0012025551002', 'tel:+12025551002', '+12025551002'],
  ])('is like one whose phone a person has corrected to %s', async (spelling) => {
    const { log } = await correctedTo(spelling);
    const [like] = await callsLike(log, [asked('+12025551002')]);
    expect(like).toMatchObject({ isClaimed: true, isPending: true });
  });

  it('is like one to the same person about an order: the number may have been lost', async () => {
    const { log } = await correctedTo('+1 (202) 555-1002', 'A-1');
    const [like] = await callsLike(log, [asked('+12025551002')]);
    expect(like).toMatchObject({ isClaimed: true, isPending: true });
  });

  it('is like no call to somebody else', async () => {
    const { log } = await correctedTo('+1 (202) 555-1003');
    const [like] = await callsLike(log, [asked('+12025551002')]);
    expect(like).toMatchObject({ isClaimed: false, isPending: false });
  });

  it('is looked for by one request, in every spelling', async () => {
    const { tables, log } = await correctedTo('+1 (202) 555-1002');
    const before = tables.requests.GET;
    await callsLike(log, [asked('+12025551002')]);
    expect(tables.requests.GET - before).toBe(1);
  });
});

describe('a call with an order number', () => {
  it('is like none about no order', async () => {
    const { log } = await correctedTo('+1 (202) 555-1002');
    const [like] = await callsLike(log, [asked('+12025551002', 'A-1')]);
    expect(like).toMatchObject({ isClaimed: false });
  });

  it.each(['B-1009', '#1009', '2026-11-000077', '12-345', '3f2504e0-4f89-0305e82c3009'])(
    'is found in few requests: %s',
    async (number) => {
      const { tables, log } = await correctedTo('+12025551001', ` ${number}`);
      const many = Array.from({ length: 999 }, (_, n) =>
        asked(`+1202556${1000 + n}`, `C-${2000 + n}`),
      );
      const asking = async (calls: ReturnType<typeof asked>[]) => {
        const before = { ...tables.requests };
        const found = await callsLike(log, calls);
        const { GET, POST, PATCH } = tables.requests;
        return { found, requests: GET + POST + PATCH - before.GET - before.POST - before.PATCH };
      };
      Object.assign(tables.rows[0] ?? {}, { duplicateKey: '["a-0","+12025551001"]' });
      const call = asked('+12025551001', number);
      expect(await asking([call])).toMatchObject({ found: [{ isClaimed: true }], requests: 1 });
      const { found, requests } = await asking([...many, call]);
      expect(found.filter(({ isClaimed }) => isClaimed)).toEqual([found.at(-1)]);
      expect(requests).toBe(8);
    },
  );

  it('is found in a long list as it was given, in another script and with a key of its own', async () => {
    const number = '\u0627-\u0661\u0660\u0660\u0669';
    const { tables, log } = await correctedTo('+12025551001', number);
    Object.assign(tables.rows[0] ?? {}, { duplicateKey: 'own' });
    const many = Array.from({ length: 30 }, (_, n) =>
      asked(`+1202556${1000 + n}`, `C-${2000 + n}`),
    );
    const found = await callsLike(log, [...many, asked('+12025551001', number)]);
    expect(found.at(-1)).toMatchObject({ isClaimed: true });
  });
});

import type { IDataObject } from 'n8n-workflow';
import {
  MOST_UNLISTED,
  OrderIdsWatch,
  readOrderIds,
} from '../../nodes/OutboundAiCalling/trigger/watch/orderIdsWatch';
import {
  givenUp,
  type EndedCall,
  type OpenCall,
} from '../../nodes/OutboundAiCalling/trigger/watch/watch';
import { fc } from '../generators';

const NOW = Date.UTC(2030, 0, 1);

beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(NOW));
afterEach(() => void jest.restoreAllMocks());

const idsOf = (calls: Array<{ orderId: number }>) => calls.map(({ orderId }) => orderId);
const ended = (call: OpenCall): EndedCall => ({ call, end: givenUp('') });

describe('the text of order ids', () => {
  it.each([
    ['4821, 4822\n4823  4824;4825', [4821, 4822, 4823, 4824, 4825]],
    [
      [4821, '4822'],
      [4821, 4822],
    ],
    ['7,7 7', [7]],
    [4821, [4821]],
  ])('%j is read as %j', (value, orderIds) => {
    expect(readOrderIds(value)).toEqual({ orderIds, nonsense: [] });
  });

  it('names what is no order id', () => {
    expect(readOrderIds('4821, abc, -5, 1.5, 0').nonsense).toEqual(['abc', '-5', '1.5', '0']);
  });

  it.each(['4,821', ' 4 821', '4\u00a0821', '12,004,821'])(
    'takes %j, which may be one number, for none',
    (text) => expect(readOrderIds(text)).toEqual({ orderIds: [], nonsense: [text.trim()] }),
  );

  it.each([
    '4,821, 4,822',
    '4,821\n4,822',
    '4,821;4,822',
    '4 821, 4 822',
    '4,821\r\n4,822',
    '4,821 4,822',
  ])('does not read several that may be numbers of thousands: %j', (text) => {
    const { orderIds, nonsense } = readOrderIds(text);
    expect(orderIds).toEqual([]);
    expect(nonsense.map((one) => one.replace(/\D/g, ''))).toEqual(['4821', '4822']);
  });

  it.each([
    ['4, 821', [4, 821]],
    ['101,102', [101, 102]],
  ])('takes %j for two', (text, orderIds) => {
    expect(readOrderIds(text)).toEqual({ orderIds, nonsense: [] });
  });

  it('gives every id again, however they are separated', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1000, max: 2 ** 31 }));
    const separator = fc.constantFrom(',', ' ', '\n', ', ', ';', '\t');
    fc.assert(
      fc.property(ids, separator, (orderIds, between) => {
        expect(readOrderIds(orderIds.join(between))).toEqual({ orderIds, nonsense: [] });
      }),
    );
  });
});

describe('a list of order ids', () => {
  const watch = (
    trigger: string,
    orderIds: number[],
    staticData: IDataObject = {},
    account = 'account',
  ) => new OrderIdsWatch({ trigger, account, orderIds, staticData });
  const restored = (saved: object) => JSON.parse(JSON.stringify(saved)) as IDataObject;

  it('is looked at at once, and each id is done with after its hand-over', async () => {
    const saved = {};
    const list = watch('o1', [1, 2], saved);
    const taken = await list.lockDue(NOW, 10);
    expect(idsOf(taken)).toEqual([1, 2]);
    list.handingOver(taken.map(ended));
    expect(saved).toMatchObject({ done: { 1: true, 2: true } });
    await list.handedOver(taken.map(ended));
    expect(await watch('o1', [1, 2], saved).lockDue(NOW, 10)).toEqual([]);
  });

  it('gives the ends that were recorded once', async () => {
    const list = watch('ends', [1]);
    const ends = (await list.lockDue(NOW, 10)).map(ended);
    await list.recordEnds(ends);
    expect(await list.nextEnds()).toEqual(ends);
    expect(await list.nextEnds()).toEqual([]);
  });

  it('offers an id again that n8n did not take, also when that is known late', async () => {
    const saved = {};
    const list = watch('o2', [1], saved);
    const ends = (await list.lockDue(NOW, 10)).map(ended);
    list.handingOver(ends);
    await list.handedOver(ends);
    await list.notHandedOver(ends);
    expect(saved).toMatchObject({ done: {} });
    expect(idsOf(await watch('o2', [1], saved).lockDue(NOW, 10))).toEqual([1]);
  });

  it('remembers through a restart what is done, by what n8n has saved', async () => {
    const saved = {};
    const list = watch('o3', [1, 2], saved);
    list.handingOver((await list.lockDue(NOW, 1)).map(ended));
    const after = watch('o3 after a restart', [1, 2], restored(saved));
    expect(idsOf(await after.lockDue(NOW, 10))).toEqual([2]);
  });

  it.each(['in one process', 'and n8n restarts each time'])(
    'does not fire an id again that leaves the list and comes back, %s',
    async (how) => {
      let saved: IDataObject = {};
      let restarts = 0;
      const take = async (orderIds: number[]) => {
        const trigger = `back ${how}${how === 'in one process' ? '' : restarts++}`;
        saved = restored(saved);
        const list = watch(trigger, orderIds, saved);
        const taken = await list.lockDue(NOW, 10);
        list.handingOver(taken.map(ended));
        await list.handedOver(taken.map(ended));
        return idsOf(taken);
      };
      expect(await take([1, 2])).toEqual([1, 2]);
      expect(await take([2, 3])).toEqual([3]);
      expect(await take([1, 2, 3])).toEqual([]);
      expect(await take([4])).toEqual([4]);
      expect(await take([1, 2, 3, 4])).toEqual([]);
    },
  );

  it('waits afresh for an id that left the list before its end', () => {
    const saved = { account: 'account', done: { 2: true }, since: { 1: 5, 3: 6 } };
    watch('o4', [2, 3], saved);
    expect(saved.since).toEqual({ 3: 6 });
  });

  it('remembers a number of ids that left the list, the highest, and all that are listed', () => {
    const ids = Array.from({ length: MOST_UNLISTED + 10 }, (_, index) => index + 1);
    const done = Object.fromEntries(ids.map((id) => [id, true]));
    const saved = { account: 'account', done, since: {} };
    watch('o9', [1, 2], saved);
    expect(Object.keys(saved.done)).toHaveLength(MOST_UNLISTED + 2);
    expect(Object.keys(saved.done).slice(0, 3)).toEqual(['1', '2', '11']);
  });

  it('is done without a word with what nobody wants', async () => {
    const saved = {};
    const list = watch('o5', [1], saved);
    await list.handedOver((await list.lockDue(NOW, 10)).map(ended));
    expect(saved).toMatchObject({ done: { 1: true } });
  });

  it('begins anew under another account, for which the same ids mean other calls', async () => {
    const saved = {};
    const first = watch('o6', [1, 2], saved, 'one account');
    await first.handedOver((await first.lockDue(NOW, 10)).map(ended));
    const second = watch('o6', [1, 2], saved, 'another account');
    expect(idsOf(await second.lockDue(NOW, 10))).toEqual([1, 2]);
  });

  it('remembers what is done under a few other accounts, and no more', async () => {
    const saved: IDataObject = {};
    const take = async (account: string) => {
      const list = watch('o8', [1, 2], saved, account);
      const taken = await list.lockDue(NOW, 10);
      await list.handedOver(taken.map(ended));
      return idsOf(taken);
    };
    expect(await take('first')).toEqual([1, 2]);
    expect(await take('second')).toEqual([1, 2]);
    expect(await take('first')).toEqual([]);
    for (let other = 0; other < 20; other++) await take(`other ${other}`);
    expect(JSON.stringify(saved).length).toBeLessThan(1_000);
    expect(await take('other 18')).toEqual([]);
  });

  it('gives an id that is being looked at to nobody else until the poll ends', async () => {
    const list = watch('o7', [1]);
    await list.lockDue(NOW, 10);
    const next = watch('o7', [1]);
    expect(await next.lockDue(NOW, 10)).toEqual([]);
    await list.close();
    expect(idsOf(await next.lockDue(NOW, 10))).toEqual([1]);
  });
});

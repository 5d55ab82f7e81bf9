import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
  InstanceWatchlist,
  MOST_SAVED,
} from '../../nodes/OutboundAiCalling/trigger/watch/instanceWatch';
import {
  OrderIdsWatchlist,
  readOrderIds,
} from '../../nodes/OutboundAiCalling/trigger/watch/orderIdsWatch';
import { LONGEST_AGE_MS, MOST_CALLS, PlacedCalls } from '../../nodes/OutboundAiCalling/placedCalls';

const HOUR = 3_600_000;
const NOW = Date.UTC(2030, 0, 1);
let triggers = 0;

const note = (orderId: number, placedAt = NOW) => ({
  orderId,
  placedAt,
  customerPhone: '+12025550100',
  scriptId: 7,
});

function watch(
  calls: PlacedCalls,
  trigger = `w:${triggers++}`,
  { credentialId = 'c', staticData = {} }: { credentialId?: string; staticData?: IDataObject } = {},
) {
  const times = { firstCheckAfterMs: 15_000, giveUpAfterMs: 24 * HOUR };
  const options = { trigger, credentialId, staticData, ...times };
  return new InstanceWatchlist(options, calls, NOW);
}

const idsOf = (calls: Array<{ orderId: number }>) => calls.map(({ orderId }) => orderId);

describe('the calls of this process', () => {
  it('are due 15 seconds after they were placed, longest overdue first', async () => {
    const calls = new PlacedCalls(() => NOW);
    calls.note('c', note(2, NOW - 20_000));
    calls.note('c', note(1, NOW - 30_000));
    calls.note('c', note(3, NOW - 10_000));
    expect(idsOf(await watch(calls).take(NOW, 10))).toEqual([1, 2]);
  });

  it('are all given to each of two triggers, and to each once', async () => {
    const calls = new PlacedCalls(() => NOW);
    const [a, b] = [watch(calls), watch(calls)];
    await Promise.all([a.take(NOW, 10), b.take(NOW, 10)]);
    for (let id = 1; id <= 3; id++) calls.note('c', note(id, NOW - HOUR));
    for (const list of [a, b]) {
      const taken = await list.take(NOW, 10);
      expect(idsOf(taken)).toEqual([1, 2, 3]);
      await Promise.all(taken.map(async (call) => await list.settle(call)));
      expect(await list.take(NOW + HOUR, 10)).toEqual([]);
    }
  });

  it('are seen only with the credential that placed them', async () => {
    const calls = new PlacedCalls(() => NOW);
    calls.note('other', note(1, NOW - HOUR));
    expect(await watch(calls).take(NOW, 10)).toEqual([]);
  });

  it('are not given out twice while they are being looked at', async () => {
    const calls = new PlacedCalls(() => NOW);
    calls.note('c', note(1, NOW - HOUR));
    const list = watch(calls);
    const [call] = await list.take(NOW, 10);
    expect(await list.take(NOW, 10)).toEqual([]);
    if (call !== undefined) list.putBack({ ...call, nextLookAt: NOW + 5 });
    expect(await list.take(NOW + 4, 10)).toEqual([]);
    expect(idsOf(await list.take(NOW + 5, 10))).toEqual([1]);
    await list.close();
    expect(idsOf(await list.take(NOW + 5, 10))).toEqual([1]);
  });

  it('fire once although a retried execution notes them again', async () => {
    const calls = new PlacedCalls(() => NOW);
    calls.note('c', note(1, NOW - HOUR));
    const list = watch(calls);
    for (const call of await list.take(NOW, 10)) await list.settle(call);
    calls.note('c', note(1, NOW - HOUR));
    expect(await list.take(NOW, 10)).toEqual([]);
  });

  it('reach a trigger that is new only when nobody has seen their end', async () => {
    const calls = new PlacedCalls(() => NOW);
    calls.note('c', note(1, NOW - HOUR));
    const old = watch(calls);
    for (const call of await old.take(NOW, 10)) await old.settle(call);
    calls.note('c', note(2, NOW - HOUR));
    calls.note('c', note(3, NOW - 25 * HOUR));
    expect(idsOf(await watch(calls).take(NOW, 10))).toEqual([2]);
  });

  it('keep their place when the workflow is published again', async () => {
    const calls = new PlacedCalls(() => NOW);
    calls.note('c', note(1, NOW - HOUR));
    const before = watch(calls, 'same');
    for (const call of await before.take(NOW, 10)) await before.settle(call);
    calls.note('c', note(2, NOW - HOUR));
    expect(idsOf(await watch(calls, 'same').take(NOW, 10))).toEqual([2]);
  });

  describe('that are open when n8n is killed', () => {
    /** What n8n has saved, read by another process: of that one, the trigger is new. */
    const restarted = (staticData: IDataObject, credentialId = 'c') =>
      watch(new PlacedCalls(() => NOW), undefined, {
        credentialId,
        staticData: JSON.parse(JSON.stringify(staticData)) as IDataObject,
      });

    it('are known again when they were placed before the last outcome', async () => {
      const calls = new PlacedCalls(() => NOW);
      const staticData = {};
      const list = watch(calls, undefined, { staticData });
      for (const id of [1, 2, 3]) calls.note('c', note(id, NOW - HOUR));
      const [first, second] = await list.take(NOW, 2);
      if (first === undefined || second === undefined) throw new Error('nothing taken');
      list.leaving([first]);
      await list.settle(first);
      calls.note('c', note(4, NOW - HOUR));
      expect(idsOf(await restarted(staticData).take(NOW, 10)).sort()).toEqual([2, 3]);
      expect(await restarted(staticData, 'other').take(NOW, 10)).toEqual([]);

      list.leaving([second]);
      expect(idsOf(await restarted(staticData).take(NOW, 10)).sort()).toEqual([3]);
      list.putBack(second); // n8n did not take it
      expect(idsOf(await restarted(staticData).take(NOW, 10)).sort()).toEqual([2, 3]);
    });

    it('are still known when the editor asked for an example first', async () => {
      const trigger = `w:${triggers++}`;
      const none = new PlacedCalls(() => NOW);
      await watch(none, trigger).examples(10);
      const staticData = { open: { credentialId: 'c', calls: [{ ...note(1), nextLookAt: NOW }] } };
      expect(idsOf(await watch(none, trigger, { staticData }).take(NOW, 10))).toEqual([1]);
    });

    it('are saved up to a number, the newest of them', async () => {
      const calls = new PlacedCalls(() => NOW);
      const staticData = {};
      const list = watch(calls, undefined, { staticData });
      for (let id = 1; id <= MOST_SAVED + 3; id++) calls.note('c', note(id, NOW - HOUR + id));
      list.leaving(await list.take(NOW, 1));
      const known = await restarted(staticData).take(NOW, MOST_SAVED + 3);
      expect(known).toHaveLength(MOST_SAVED);
      expect(Math.min(...idsOf(known))).toBe(4);
    });
  });

  it('are bounded in number and age', () => {
    let now = NOW;
    const calls = new PlacedCalls(() => now);
    for (let id = 1; id <= MOST_CALLS + 5; id++) calls.note('c', note(id));
    expect(calls.after('c', 0)).toHaveLength(MOST_CALLS);
    expect(calls.after('c', 0)[0]?.orderId).toBe(6);
    now += LONGEST_AGE_MS + 1;
    expect(calls.after('c', 0)).toEqual([]);
  });
});

describe('a list of order ids', () => {
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

  it('finds every id again, however they are separated', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 31 }));
    const separator = fc.constantFrom(',', ' ', '\n', ', ', ';', '\t');
    fc.assert(
      fc.property(ids, separator, (orderIds, between) => {
        expect(readOrderIds(orderIds.join(between))).toEqual({ orderIds, nonsense: [] });
      }),
    );
  });

  const open = (trigger: string, ids: number[], saved = {}) =>
    new OrderIdsWatchlist(trigger, ids, saved, NOW);

  it('is looked at at once, and each id is done with after its hand-over', async () => {
    const saved = {};
    const list = open('o1', [1, 2], saved);
    const taken = await list.take(NOW, 10);
    expect(idsOf(taken)).toEqual([1, 2]);
    for (const call of taken) list.leaving([call]);
    expect(saved).toMatchObject({ done: { 1: true, 2: true } });
    await Promise.all(taken.map(async (call) => await list.settle(call)));
    expect(await open('o1', [1, 2], saved).take(NOW, 10)).toEqual([]);
  });

  it('offers an id again that n8n did not take', async () => {
    const saved = {};
    const list = open('o2', [1], saved);
    for (const call of await list.take(NOW, 10)) {
      list.leaving([call]);
      list.putBack(call);
    }
    expect(saved).toMatchObject({ done: {} });
    expect(idsOf(await list.take(NOW, 10))).toEqual([1]);
  });

  it('remembers through a restart what is done, by what n8n has saved', async () => {
    const saved = {};
    const list = open('o3', [1, 2], saved);
    for (const call of await list.take(NOW, 1)) list.leaving([call]);
    const restored = JSON.parse(JSON.stringify(saved)) as object;
    expect(idsOf(await open('o3 after a restart', [1, 2], restored).take(NOW, 10))).toEqual([2]);
  });

  it('forgets ids that are no longer listed', () => {
    const saved = { done: { 1: true, 2: true } };
    open('o4', [2, 3], saved);
    expect(saved.done).toEqual({ 2: true });
  });

  it('settles without a word what nobody wants', async () => {
    const saved = {};
    const list = open('o5', [1], saved);
    for (const call of await list.take(NOW, 10)) await list.settle(call);
    expect(saved).toMatchObject({ done: { 1: true } });
  });
});

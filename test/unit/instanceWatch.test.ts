import type { IDataObject } from 'n8n-workflow';
import { LONGEST_AGE_MS, MOST_CALLS, PlacedCalls } from '../../nodes/OutboundAiCalling/placedCalls';
import {
  InstanceWatch,
  MOST_SAVED,
  samplePlaced,
} from '../../nodes/OutboundAiCalling/trigger/watch/instanceWatch';
import {
  givenUp,
  type EndedCall,
  type OpenCall,
} from '../../nodes/OutboundAiCalling/trigger/watch/watch';

const HOUR = 3_600_000;
const NOW = Date.UTC(2030, 0, 1);
let triggers = 0;

beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(NOW));
afterEach(() => void jest.restoreAllMocks());

const note = (orderId: number, placedAt = NOW) => ({
  orderId,
  placedAt,
  customerPhone: '+12025550100',
});

function watch(
  calls: PlacedCalls,
  trigger = `w:${triggers++}`,
  {
    account = 'c',
    staticData = {},
    ofWorkflow = {},
  }: { account?: string; staticData?: IDataObject; ofWorkflow?: IDataObject } = {},
) {
  const times = { firstCheckAfterMs: 15_000, giveUpAfterMs: 24 * HOUR };
  return new InstanceWatch({ trigger, account, staticData, ofWorkflow, ...times }, calls);
}

const idsOf = (calls: Array<{ orderId: number }>) => calls.map(({ orderId }) => orderId);
const ended = (call: OpenCall): EndedCall => ({ call, end: givenUp('') });

/** Takes what is due and hands it over. */
async function handOverDue(list: InstanceWatch, limit = 10): Promise<number[]> {
  const taken = await list.lockDue(NOW, limit);
  await list.recordEnds(taken.map(ended));
  const ends = await list.nextEnds();
  list.handingOver(ends);
  await list.handedOver(ends);
  return idsOf(taken);
}

describe('the calls of this process', () => {
  it('are due 15 seconds after they were placed, longest overdue first', async () => {
    const calls = new PlacedCalls();
    calls.note('c', note(2, NOW - 20_000));
    calls.note('c', note(1, NOW - 30_000));
    calls.note('c', note(3, NOW - 10_000));
    expect(idsOf(await watch(calls).lockDue(NOW, 10))).toEqual([1, 2]);
  });

  it('are all given to each of two triggers, and to each once', async () => {
    const calls = new PlacedCalls();
    const [a, b] = [watch(calls), watch(calls)];
    await Promise.all([a.lockDue(NOW, 10), b.lockDue(NOW, 10)]);
    for (let id = 1; id <= 3; id++) calls.note('c', note(id, NOW - HOUR));
    for (const list of [a, b]) {
      expect(await handOverDue(list)).toEqual([1, 2, 3]);
      expect(await list.lockDue(NOW + HOUR, 10)).toEqual([]);
    }
  });

  it('wake a poll that rests once, although it may not ask for outcomes then', async () => {
    const calls = new PlacedCalls();
    const list = watch(calls);
    await list.lockDue(NOW, 10);
    calls.note('c', note(1));
    const { signal } = new AbortController();
    await list.rest(Date.now() + HOUR, signal);
    let isAwake = false;
    const resting = list.rest(Date.now() + 50, signal).then(() => (isAwake = true));
    await new Promise(setImmediate);
    expect(isAwake).toBe(false);
    await resting;
    expect(idsOf(await list.lockDue(NOW + HOUR, 10))).toEqual([1]);
  });

  it('are seen only with the credential and account that placed them', async () => {
    const calls = new PlacedCalls();
    calls.note('other', note(1, NOW - HOUR));
    expect(await watch(calls).lockDue(NOW, 10)).toEqual([]);
  });

  it('are not given out twice while they are being looked at', async () => {
    const calls = new PlacedCalls();
    calls.note('c', note(1, NOW - HOUR));
    const list = watch(calls);
    const [call] = await list.lockDue(NOW, 10);
    expect(await list.lockDue(NOW, 10)).toEqual([]);
    if (call !== undefined) list.putBack({ ...call, nextCheckAt: NOW + 5 });
    expect(list.nextDueAt()).toBe(NOW + 5);
    expect(await list.lockDue(NOW + 4, 10)).toEqual([]);
    expect(idsOf(await list.lockDue(NOW + 5, 10))).toEqual([1]);
    await list.close();
    expect(idsOf(await list.lockDue(NOW + 5, 10))).toEqual([1]);
  });

  it('fire once although the same call is noted again', async () => {
    const calls = new PlacedCalls();
    const list = watch(calls);
    for (const same of [note(1, NOW - HOUR), { ...note(2, NOW - HOUR), callId: 'ours' }]) {
      calls.note('c', same);
      await handOverDue(list);
      calls.note('c', same);
      expect(await list.lockDue(NOW, 10)).toEqual([]);
    }
    calls.note('c', { ...note(2, NOW - HOUR + 1), callId: 'ours' });
    expect(await list.lockDue(NOW, 10)).toEqual([]);
  });

  describe('to which the service gives the id of an earlier call', () => {
    const common = { orderId: 1, customerPhone: '+12025550100', placedAt: NOW - 2 * HOUR };
    const first = { ...common, orderNumber: 'A-1' };
    const others: Array<[string, typeof first & { attempt?: number }]> = [
      ['of another order', { ...first, orderNumber: 'A-2' }],
      ['of another person', { ...first, customerPhone: '+12025550101' }],
      ['that is a second attempt', { ...first, attempt: 2 }],
    ];
    const later = { ...first, placedAt: NOW - HOUR };

    it.each([...others, ['of the same order, placed later', later] as const])(
      '%s, fire after that one, for every trigger and under a name of their own',
      async (_which, second) => {
        const calls = new PlacedCalls();
        const lists = [watch(calls), watch(calls)];
        for (const list of lists) await list.lockDue(NOW, 10);
        const names: unknown[] = [];
        for (const call of [first, second]) {
          calls.note('c', call);
          for (const list of lists) {
            const taken = await list.lockDue(NOW, 10);
            expect(taken).toMatchObject([call]);
            names.push(taken[0]?.callId);
            list.handingOver(taken.map(ended));
            await list.handedOver(taken.map(ended));
          }
        }
        const [a, b, c, d] = names;
        expect([a, c]).toEqual([b, d]);
        expect(a).not.toBe(c);
      },
    );

    it.each(others)('%s, fire also when that one goes on', async (_which, second) => {
      const calls = new PlacedCalls();
      const [early, late] = [watch(calls), watch(calls)];
      calls.note('c', first);
      expect(await early.lockDue(NOW, 10)).toMatchObject([first]);
      calls.note('c', second);
      expect(await early.lockDue(NOW, 10)).toMatchObject([second]);
      expect(await handOverDue(late)).toEqual([1, 1]);
    });

    it('of the same order, fire together with that one when it goes on', async () => {
      const calls = new PlacedCalls();
      const list = watch(calls);
      calls.note('c', first);
      await list.lockDue(NOW, 0);
      calls.note('c', later);
      const [taken] = await list.lockDue(NOW, 10);
      expect(taken).toMatchObject(later);
      calls.note('c', { ...first, placedAt: NOW - HOUR / 2 });
      expect(await list.lockDue(NOW, 10)).toEqual([]);
      if (taken !== undefined) await list.handedOver([ended(taken)]);
      expect(await list.lockDue(NOW, 10)).toEqual([]);
      expect(await watch(calls).lockDue(NOW, 10)).toEqual([]);
    });
  });

  it('reach a trigger that is new only when nobody has seen their end', async () => {
    const calls = new PlacedCalls();
    calls.note('c', note(1, NOW - HOUR));
    await handOverDue(watch(calls));
    calls.note('c', note(2, NOW - HOUR));
    calls.note('c', note(3, NOW - 25 * HOUR));
    expect(idsOf(await watch(calls).lockDue(NOW, 10))).toEqual([2]);
  });

  it('keep their place when the workflow is published again', async () => {
    const calls = new PlacedCalls();
    calls.note('c', note(1, NOW - HOUR));
    await handOverDue(watch(calls, 'same'));
    calls.note('c', note(2, NOW - HOUR));
    expect(idsOf(await watch(calls, 'same').lockDue(NOW, 10))).toEqual([2]);
  });

  it('are due again when n8n has not taken their ends, also when that is known late', async () => {
    const calls = new PlacedCalls();
    calls.note('c', note(1, NOW - HOUR));
    const list = watch(calls, 'refused');
    const ends = (await list.lockDue(NOW, 10)).map(ended);
    list.handingOver(ends);
    await list.handedOver(ends);
    await list.close();
    await list.notHandedOver(ends);
    expect(idsOf(await watch(calls, 'refused').lockDue(Date.now(), 10))).toEqual([1]);
  });

  it('are shown in the editor, newest first, which notes nothing', () => {
    expect(samplePlaced('nobody has called', 5)).toEqual([]);
  });

  describe('that are open when n8n is killed', () => {
    /** What n8n has saved, read by another process: this one knows no trigger of that id. */
    const restarted = (staticData: IDataObject, account = 'c') =>
      watch(new PlacedCalls(), undefined, { account, staticData: structuredClone(staticData) });

    it('are known again when they were placed before the last outcome', async () => {
      const calls = new PlacedCalls();
      const staticData = {};
      const list = watch(calls, undefined, { staticData });
      for (const id of [1, 2, 3]) calls.note('c', note(id, NOW - HOUR));
      const [first, second] = (await list.lockDue(NOW, 2)).map(ended);
      if (first === undefined || second === undefined) throw new Error('nothing taken');
      list.handingOver([first]);
      await list.handedOver([first]);
      calls.note('c', note(4, NOW - HOUR));
      expect(idsOf(await restarted(staticData).lockDue(NOW, 10)).sort()).toEqual([2, 3]);
      expect(await restarted(staticData, 'other').lockDue(NOW, 10)).toEqual([]);

      list.handingOver([second]);
      expect(idsOf(await restarted(staticData).lockDue(NOW, 10)).sort()).toEqual([3]);
      await list.notHandedOver([second]);
      expect(idsOf(await restarted(staticData).lockDue(NOW, 10)).sort()).toEqual([2, 3]);
    });

    describe('and whose trigger has changed its name or its id', () => {
      const AGE = HOUR;
      const saved = (trigger: string, ids: number[], savedAt = NOW) => {
        const calls = ids.map((id) => ({ ...note(id, NOW - AGE), checks: 0, nextCheckAt: NOW }));
        return { trigger, account: 'c', calls, savedAt } as unknown as IDataObject;
      };
      const knownTo = async (
        trigger: string,
        byName: IDataObject,
        byId: IDataObject,
        now = NOW,
      ) => {
        const stores = {
          staticData: { open: byName },
          ofWorkflow: { [`outboundAiCalling ${trigger}`]: byId },
        };
        return idsOf(await watch(new PlacedCalls(), trigger, stores).lockDue(now, 10));
      };

      it.each([
        ['by its id, when its old name has older ones', NOW - 1, NOW, [2]],
        ['by its name, when others have saved the workflow as it was', NOW, NOW - 1, [1]],
      ])('are the newest: %s', async (_what, savedByName, savedById, known) => {
        const trigger = `w:${triggers++}`;
        const [byName, byId] = [saved(trigger, [1], savedByName), saved(trigger, [2], savedById)];
        expect(await knownTo(trigger, byName, byId)).toEqual(known);
      });

      it('are those of the one that it has replaced, as long as an outcome may come', async () => {
        const replaced = saved('w:another', [1]);
        const none = {};
        expect(await knownTo(`w:${triggers++}`, replaced, none)).toEqual([1]);
        expect(await knownTo(`w:${triggers++}`, replaced, none, NOW + 24 * HOUR - AGE)).toEqual([]);
        const trigger = `w:${triggers++}`;
        expect(await knownTo(trigger, replaced, saved(trigger, [2]))).toEqual([2]);
      });

      it('are saved by both, and no longer when it has been silent for long', () => {
        const trigger = `w:${triggers++}`;
        const stores: Record<'staticData' | 'ofWorkflow', IDataObject> = {
          staticData: {},
          ofWorkflow: { other: {}, 'outboundAiCalling w:gone': saved('w:gone', [1]) },
        };
        const save = () => watch(new PlacedCalls(), trigger, stores).handingOver([]);
        save();
        const mine = `outboundAiCalling ${trigger}`;
        expect(stores.staticData.open).toEqual(stores.ofWorkflow[mine]);
        expect(Object.keys(stores.ofWorkflow)).toHaveLength(3);
        jest.mocked(Date.now).mockReturnValue(NOW + LONGEST_AGE_MS + 1);
        save();
        expect(Object.keys(stores.ofWorkflow)).toEqual(['other', mine]);
      });
    });

    it('are saved up to a number, the newest of them', async () => {
      const calls = new PlacedCalls();
      const staticData = {};
      const list = watch(calls, undefined, { staticData });
      for (let id = 1; id <= MOST_SAVED + 3; id++) calls.note('c', note(id, NOW - HOUR + id));
      list.handingOver((await list.lockDue(NOW, 1)).map(ended));
      const known = await restarted(staticData).lockDue(NOW, MOST_SAVED + 3);
      expect(known).toHaveLength(MOST_SAVED);
      expect(Math.min(...idsOf(known))).toBe(4);
    });
  });

  it('are bounded in number and age, and a trigger tells how many were forgotten', () => {
    const calls = new PlacedCalls();
    for (let id = 1; id <= MOST_CALLS + 5; id++) calls.note('c', note(id));
    expect(calls.after('c', 0)).toHaveLength(MOST_CALLS);
    expect(calls.after('c', 0)[0]?.orderId).toBe(6);
    const list = watch(calls);
    expect(list.newlyForgotten()).toBe(5);
    expect(list.newlyForgotten()).toBe(0);
    const now = NOW + LONGEST_AGE_MS + 1;
    jest.spyOn(Date, 'now').mockReturnValue(now);
    expect(calls.after('c', 0)).toEqual([]);
    calls.noteEnd('c', note(6));
    calls.note('c', note(MOST_CALLS + 6, now));
    expect(list.newlyForgotten()).toBe(MOST_CALLS - 1);
  });
});

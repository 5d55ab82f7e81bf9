import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { DuplicateKeys } from '../../nodes/OutboundAiCalling/rules/duplicateKeys';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** n8n's store of keys, which fails as often as a test says. */
class Store {
  readonly keys = new Set<unknown>();
  claims = 0;
  removals = 0;
  claimsToFail = 0;
  removalsToFail = 0;

  readonly helpers = {
    checkProcessedAndRecord: async (asked: unknown[], scope: string) => {
      this.claims++;
      expect(scope).toBe('node');
      if (this.claimsToFail-- > 0) throw new Error('n8n has failed');
      await Promise.resolve();
      const fresh = asked.filter((key) => !this.keys.has(key));
      for (const key of fresh) this.keys.add(key);
      return { new: fresh, processed: asked.filter((key) => !fresh.includes(key)) };
    },
    removeProcessed: async (keys: unknown[], scope: string) => {
      this.removals++;
      expect(scope).toBe('node');
      if (this.removalsToFail-- > 0) throw new Error('n8n has failed');
      await Promise.resolve();
      for (const key of keys) this.keys.delete(key);
    },
  };
}

/** The keys of one try of an execution; its tries share the notes. */
const tryOf = (store: Store, notes: IDataObject = {}) =>
  DuplicateKeys.of({
    ...{ log: undefined, concurrency: 1, notes, shared: (_name, make) => make() },
    context: { helpers: store.helpers } as unknown as IExecuteFunctions,
  });

async function inTime<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  await jest.advanceTimersByTimeAsync(60_000);
  return await work;
}
const claimAll = async (keys: DuplicateKeys, ...asked: string[]) =>
  await inTime(Promise.all(asked.map(async (key) => await keys.claim(key))));

describe('a duplicate key', () => {
  it('is claimed once, in one request for all that ask at once', async () => {
    const store = new Store();
    expect(await claimAll(tryOf(store), 'a', 'b', 'a')).toEqual([true, true, false]);
    expect(store.claims).toBe(1);
    expect(await claimAll(tryOf(store), 'b', 'c')).toEqual([false, true]);
  });

  it('is free again when it was given back', async () => {
    const store = new Store();
    const keys = tryOf(store);
    await claimAll(keys, 'a');
    await inTime(keys.release('a'));
    expect(await claimAll(tryOf(store), 'a')).toEqual([true]);
  });

  it('that n8n did not take back is still that of the execution, for one call', async () => {
    const store = new Store();
    const notes = {};
    const keys = tryOf(store, notes);
    await claimAll(keys, 'a', 'b');
    store.removalsToFail = 1;
    await expect(inTime(keys.release('a'))).rejects.toThrow('n8n has failed');
    const again = tryOf(store, notes);
    expect(await claimAll(again, 'b')).toEqual([false]);
    expect(await claimAll(again, 'a')).toEqual([true]);
    expect(await claimAll(again, 'a')).toEqual([false]);
  });

  it('whose claim has failed in n8n is decided by a person, unless it was not claimed', async () => {
    const store = new Store();
    const notes = {};
    store.claimsToFail = 1;
    await expect(claimAll(tryOf(store, notes), 'a', 'b')).rejects.toThrow('n8n has failed');
    store.keys.add('a').add('c');
    await expect(claimAll(tryOf(store, notes), 'a')).rejects.toThrow('nobody knows whether it was');
    expect(await claimAll(tryOf(store, notes), 'b', 'c')).toEqual([true, false]);
  });

  it('whose claims have failed is noted once, however often it was tried', async () => {
    const store = new Store();
    const notes: IDataObject = {};
    for (const asked of [['a', 'b'], ['a']]) {
      store.claimsToFail = 1;
      await expect(claimAll(tryOf(store, notes), ...asked)).rejects.toThrow('n8n has failed');
    }
    expect(notes.undecidedKeys).toEqual(['a', 'b']);
  });

  it('is decided one call after the other in all tries, and apart from other keys', async () => {
    const notes = {};
    const [keys, others] = [tryOf(new Store(), notes), tryOf(new Store(), notes)];
    const told: string[] = [];
    const decide = (name: string, ms: number) => async () => {
      await new Promise((done) => setTimeout(done, ms));
      told.push(name);
    };
    await inTime(
      Promise.all([
        keys.inTurn('a', decide('first', 20)),
        others.inTurn('a', decide('second', 1)),
        keys.inTurn('b', decide('other', 1)),
      ]),
    );
    expect(told).toEqual(['other', 'first', 'second']);
  });
});

describe('a duplicate key of a dry run', () => {
  const tryAll = async (keys: DuplicateKeys, ...asked: string[]) =>
    await inTime(Promise.all(asked.map(async (key) => await keys.tryClaim(key))));

  it('is new once within the dry run, and stays free for calls', async () => {
    const store = new Store();
    store.keys.add('called');
    const keys = tryOf(store);
    expect(await tryAll(keys, 'a', 'called', 'a')).toEqual([true, false, false]);
    expect(await tryAll(keys, 'a')).toEqual([false]);
    keys.giveBackTried('a');
    expect(await tryAll(keys, 'a')).toEqual([true]);
    expect([...store.keys]).toEqual(['called']);
    const { removals } = store;
    expect(await tryAll(keys, 'called')).toEqual([false]);
    expect(store.removals).toBe(removals);
  });

  it.each([
    [6, 'is freed'],
    [7, 'is told of, because real calls with it may count as called before'],
  ])('that n8n fails %i times to free %s', async (failures, what) => {
    const store = new Store();
    store.removalsToFail = failures;
    const trying = tryAll(tryOf(store), 'a');
    if (what === 'is freed') expect([await trying, store.keys.size]).toEqual([[true], 0]);
    else await expect(trying).rejects.toThrow('may count as called before');
  });
});

import pLimit, { type LimitFunction } from 'p-limit';
import {
  sleep,
  type DeduplicationItemTypes,
  type IDataObject,
  type IExecuteFunctions,
} from 'n8n-workflow';
import { Gathering } from '../gathering';
import type { RuleExecution } from './rule';

type Store = Pick<IExecuteFunctions['helpers'], 'checkProcessedAndRecord' | 'removeProcessed'>;

/** n8n remembers this many of the newest keys for each node. */
const KEYS_KEPT = 50_000;
const MODE = { mode: 'entries', maxEntries: KEYS_KEPT } as const;
/** A trial key is removed at once. Without a limit it pushes no other key out. */
const TRIAL = { mode: 'entries' } as const;

/** n8n reads all keys and writes them back changed: this process runs one change at a time. */
const oneAtATime = pLimit(1);

/** Such a key is not given back: its person may have been called, and would be called twice. */
const UNDECIDED =
  'n8n failed when an earlier try claimed the duplicate key, so nobody knows whether it was called or scheduled before. If it was not, run it alone with another Duplicate Key';

const NOT_FREED =
  'n8n failed when this trial freed its duplicate keys, so real calls with these keys may count as called before. If they do, run them alone with another Duplicate Key';

const FREE_AGAIN_AFTER_MS = 500;
const FREE_TIMES = 6;

type Turns = Map<string, LimitFunction>;

/** Turns by the notes of an execution. Requests that an agent makes at once share nothing else. */
const turnsOf = new WeakMap<IDataObject, Turns>();

/**
 * Gathers keys that are asked for at the same time, and changes them in n8n's store together.
 *
 * @param change returns whether a key is new; asked once for each time that the key was asked for
 */
function together(change: (keys: string[]) => Promise<(key: string) => boolean>) {
  const write = async (asked: Array<{ key: string; isNew: boolean }>) => {
    const keys = [...new Set(asked.map(({ key }) => key))];
    await oneAtATime(async () => {
      const isNew = await change(keys);
      for (const one of asked) one.isNew = isNew(one.key);
    });
  };
  const gathering = new Gathering(write, 0);
  return async (key: string): Promise<boolean> => {
    const asked = { key, isNew: false };
    await gathering.add(asked);
    return asked.isNew;
  };
}

/** Claims keys in n8n's own deduplication store, which all executions of the node share. */
export class DuplicateKeys {
  /** Claimed by items of a dry run, in memory only. */
  private readonly tried = new Set<string>();

  private readonly claimNew = together(async (keys) => {
    const { new: fresh } = await this.store
      .checkProcessedAndRecord(keys, 'node', MODE)
      .catch((error: unknown) => {
        this.undecided.push(...keys.filter((key) => !this.undecided.includes(key)));
        throw error;
      });
    const unclaimed = new Set(fresh);
    return (key) => unclaimed.delete(key) || this.claimOwn(key);
  });

  /**
   * Returns whether a key is new, also within this dry run. No other execution sees the claim: n8n's store answers
   * only by recording a key, so the recorded keys are removed at once.
   */
  readonly tryClaim = together(async (keys) => {
    const { new: fresh } = await this.store.checkProcessedAndRecord(keys, 'node', TRIAL);
    if (fresh.length > 0) await this.free(fresh);
    const unclaimed = new Set(fresh);
    return (key) => {
      const isNew = unclaimed.has(key) && !this.tried.has(key);
      if (isNew) this.tried.add(key);
      return isNew;
    };
  });

  /** Gives a key back. Its call was surely not placed. */
  readonly release = together(async (keys) => {
    await this.store.removeProcessed(keys, 'node', MODE).catch((error: unknown) => {
      this.notGivenBack.push(...keys);
      throw error;
    });
    return () => true;
  });

  /**
   * @param undecided keys whose claim failed in n8n, in any try of the execution: when such a key
   * is already claimed later, the failed try may have claimed it
   * @param notGivenBack keys that the execution claimed for nobody and could not give back: they
   * are still its own
   * @param turns one limit for each key, shared by the calls with that key
   */
  private constructor(
    private readonly store: Store,
    private readonly undecided: string[],
    private readonly notGivenBack: string[],
    private readonly turns: Turns,
  ) {}

  /** The keys of one execution. Its tries share the notes. */
  static of({ context, notes, shared }: RuleExecution): DuplicateKeys {
    const undecided = (notes.undecidedKeys ??= []) as string[];
    const notGivenBack = (notes.keysNotGivenBack ??= []) as string[];
    const turns: Turns = turnsOf.get(notes) ?? new Map();
    turnsOf.set(notes, turns);
    return shared(
      'duplicateKeys',
      () => new DuplicateKeys(context.helpers, undecided, notGivenBack, turns),
    );
  }

  /** Decides calls with the same key one after the other: when one fails, its key is free again. */
  async inTurn<T>(key: string, decide: () => Promise<T>): Promise<T> {
    const limit = this.turns.get(key) ?? pLimit(1);
    this.turns.set(key, limit);
    return await limit(decide);
  }

  /** Claims a key. Returns whether it was new. */
  async claim(key: string): Promise<boolean> {
    const isNew = await this.claimNew(key);
    if (!isNew && this.undecided.includes(key)) throw new Error(UNDECIDED);
    return isNew;
  }

  giveBackTried(key: string): void {
    this.tried.delete(key);
  }

  /** Frees trial keys. One that stays would keep a real call from being placed. */
  private async free(keys: DeduplicationItemTypes[], left = FREE_TIMES): Promise<void> {
    await this.store.removeProcessed(keys, 'node', TRIAL).catch(async (error: unknown) => {
      if (left === 0) throw new Error(NOT_FREED, { cause: error });
      await sleep(FREE_AGAIN_AFTER_MS);
      await this.free(keys, left - 1);
    });
  }

  /** Takes over a key that an earlier try claimed for nobody; false for any other key. */
  private claimOwn(key: string): boolean {
    const index = this.notGivenBack.indexOf(key);
    if (index >= 0) this.notGivenBack.splice(index, 1);
    return index >= 0;
  }
}

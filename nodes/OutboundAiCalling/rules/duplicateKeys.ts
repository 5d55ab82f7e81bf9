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
  'n8n failed when an earlier try claimed the duplicate key, so nobody knows whether it was called or scheduled before. If it was not, run it with another Duplicate Key';

const NOT_FREED =
  'n8n failed when this trial freed its duplicate keys, so real calls with these keys may count as called before. If they do, run them with another Duplicate Key';

const FREE_AGAIN_AFTER_MS = 500;
const FREE_TIMES = 6;

type Turns = Map<string, LimitFunction>;

/** Turns by the notes of an execution. Requests that an agent makes at once share nothing else. */
const turnsOf = new WeakMap<IDataObject, Turns>();

/** A key that is asked for. */
interface Asked {
  key: string;
  /** Whether nobody had it before. */
  isNew?: boolean;
}

/** Gathers keys that are asked for at the same time, and changes them in n8n's store together. */
function together(change: (keys: string[], asked: Asked[]) => Promise<void>): Gathering<Asked> {
  return new Gathering<Asked>(
    async (asked) => {
      const keys = [...new Set(asked.map(({ key }) => key))];
      await oneAtATime(async () => await change(keys, asked));
    },
    undefined,
    0,
  );
}

/** Claims keys in n8n's own deduplication store, which all executions of the node share. */
export class DuplicateKeys {
  /** Claimed by items of a dry run, in memory only. */
  private readonly tried = new Set<string>();

  private readonly claims = together(async (keys, asked) => {
    const { new: fresh } = await this.store
      .checkProcessedAndRecord(keys, 'node', MODE)
      .catch((error: unknown) => {
        this.undecided.push(...keys.filter((key) => !this.undecided.includes(key)));
        throw error;
      });
    const unclaimed = new Set(fresh);
    for (const one of asked) one.isNew = unclaimed.delete(one.key) || this.claimOwn(one.key);
  });

  /** n8n's store answers only by recording a key: the recorded keys are removed at once. */
  private readonly trials = together(async (keys, asked) => {
    const { new: fresh } = await this.store.checkProcessedAndRecord(keys, 'node', TRIAL);
    if (fresh.length > 0) await this.free(fresh);
    const unclaimed = new Set(fresh);
    for (const one of asked) {
      one.isNew = unclaimed.has(one.key) && !this.tried.has(one.key);
      if (one.isNew) this.tried.add(one.key);
    }
  });

  private readonly releases = together(async (keys) => {
    await this.store.removeProcessed(keys, 'node', MODE).catch((error: unknown) => {
      this.notGivenBack.push(...keys);
      throw error;
    });
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
    const asked: Asked = { key };
    await this.claims.add(asked);
    if (asked.isNew !== true && this.undecided.includes(key)) throw new Error(UNDECIDED);
    return asked.isNew === true;
  }

  /** Whether the key is new, also within this dry run. No other execution sees the claim. */
  async tryClaim(key: string): Promise<boolean> {
    const asked: Asked = { key };
    await this.trials.add(asked);
    return asked.isNew === true;
  }

  /** Frees the key within the dry run. */
  giveBackTried(key: string): void {
    this.tried.delete(key);
  }

  /** Gives a key back. Its call was surely not placed. */
  async release(key: string): Promise<void> {
    await this.releases.add({ key });
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

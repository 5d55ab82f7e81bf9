import pLimit, { type LimitFunction } from 'p-limit';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { RuleExecution } from './rule';

type Store = Pick<IExecuteFunctions['helpers'], 'checkProcessedAndRecord' | 'removeProcessed'>;

/** n8n remembers this many of the newest keys for each node. */
const KEYS_KEPT = 50_000;
const MODE = { mode: 'entries', maxEntries: KEYS_KEPT } as const;
/** A trial key is removed at once. Without a limit it pushes no other key out. */
const TRIAL = { mode: 'entries' } as const;

/**
 * n8n reads all keys, changes them and writes them back. This process runs one such change at a
 * time.
 */
const oneAtATime = pLimit(1);

/**
 * Such a key is not given back: an earlier execution may have called its person, who would be
 * called twice.
 */
const UNDECIDED =
  'n8n failed when an earlier try claimed the duplicate key, so nobody knows whether it was called or scheduled before. If it was not, run it with another Duplicate Key';

type Turns = Map<string, LimitFunction>;

/** Turns by the notes of an execution. Requests that an agent makes at once share nothing else. */
const turnsOf = new WeakMap<IDataObject, Turns>();

interface Waiting<Result> {
  key: string;
  tell(result: Result): void;
  fail(error: unknown): void;
}

/**
 * Claims keys in n8n's own deduplication store, which all executions of the node share. Nobody is
 * called twice for one order. Keys that are asked for at the same time are claimed together.
 */
export class DuplicateKeys {
  private claims: Array<Waiting<boolean>> = [];
  private trials: Array<Waiting<boolean>> = [];
  /** Claimed by items of a dry run, in memory only. */
  private readonly tried = new Set<string>();
  private releases: Array<Waiting<void>> = [];

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
    return await new Promise((tell, fail) => {
      this.claims.push({ key, tell, fail });
      if (this.claims.length === 1) void oneAtATime(async () => await this.claimWaiting());
    });
  }

  /**
   * Whether the key is new, also within the dry run that asks. No other execution sees this claim.
   */
  async tryClaim(key: string): Promise<boolean> {
    return await new Promise((tell, fail) => {
      this.trials.push({ key, tell, fail });
      if (this.trials.length === 1) void oneAtATime(async () => await this.tryWaiting());
    });
  }

  /** Frees the key within the dry run. */
  giveBackTried(key: string): void {
    this.tried.delete(key);
  }

  /** Gives a key back. Its call was surely not placed. */
  async release(key: string): Promise<void> {
    await new Promise<void>((tell, fail) => {
      this.releases.push({ key, tell, fail });
      if (this.releases.length === 1) void oneAtATime(async () => await this.releaseWaiting());
    });
  }

  private async claimWaiting(): Promise<void> {
    const claims = this.claims.splice(0);
    const keys = [...new Set(claims.map(({ key }) => key))];
    await this.store.checkProcessedAndRecord(keys, 'node', MODE).then(
      ({ new: fresh }) => {
        const unclaimed = new Set(fresh);
        for (const { key, tell, fail } of claims) {
          const isFresh = unclaimed.delete(key) || this.claimOwn(key);
          if (!isFresh && this.undecided.includes(key)) fail(new Error(UNDECIDED));
          else tell(isFresh);
        }
      },
      (error: unknown) => {
        this.undecided.push(...keys.filter((key) => !this.undecided.includes(key)));
        claims.forEach(({ fail }) => fail(error));
      },
    );
  }

  /**
   * n8n's store answers only by recording a key. The recorded keys are removed before the next
   * request.
   */
  private async tryWaiting(): Promise<void> {
    const trials = this.trials.splice(0);
    const keys = [...new Set(trials.map(({ key }) => key))];
    try {
      const { new: fresh } = await this.store.checkProcessedAndRecord(keys, 'node', TRIAL);
      if (fresh.length > 0) await this.store.removeProcessed(fresh, 'node', TRIAL);
      const unclaimed = new Set(fresh);
      for (const { key, tell } of trials) {
        const isNew = unclaimed.has(key) && !this.tried.has(key);
        if (isNew) this.tried.add(key);
        tell(isNew);
      }
    } catch (error) {
      trials.forEach(({ fail }) => fail(error));
    }
  }

  private async releaseWaiting(): Promise<void> {
    const releases = this.releases.splice(0);
    const keys = [...new Set(releases.map(({ key }) => key))];
    await this.store.removeProcessed(keys, 'node', MODE).then(
      () => releases.forEach(({ tell }) => tell()),
      (error: unknown) => {
        this.notGivenBack.push(...keys);
        releases.forEach(({ fail }) => fail(error));
      },
    );
  }

  /**
   * Whether an earlier try of the execution claimed the key for nobody. This call then takes it
   * over.
   */
  private claimOwn(key: string): boolean {
    const index = this.notGivenBack.indexOf(key);
    if (index >= 0) this.notGivenBack.splice(index, 1);
    return index >= 0;
  }
}

import pLimit from 'p-limit';
import type { IExecuteFunctions } from 'n8n-workflow';

type Store = Pick<IExecuteFunctions['helpers'], 'checkProcessedAndRecord' | 'removeProcessed'>;

/** So many of the newest keys are remembered for each node. */
const KEYS_KEPT = 50_000;
const MODE = { mode: 'entries', maxEntries: KEYS_KEPT } as const;

/** n8n reads all keys, changes them and writes them back: within this process, one at a time. */
const oneAtATime = pLimit(1);

/**
 * Claims keys in n8n's own deduplication store, which all executions of the node share, so that
 * nobody is called twice for one order. Keys that ask at the same time are claimed together.
 */
export class DuplicateGuard {
  private waiting: Array<{
    key: string;
    tell: (isNew: boolean) => void;
    fail: (e: unknown) => void;
  }> = [];

  constructor(private readonly store: Store) {}

  /** Whether the key is new; it is taken from then on. */
  async claim(key: string): Promise<boolean> {
    return await new Promise((tell, fail) => {
      this.waiting.push({ key, tell, fail });
      if (this.waiting.length === 1) void oneAtATime(async () => await this.claimWaiting());
    });
  }

  /** Gives a key back: the call was surely not placed. */
  async release(key: string): Promise<void> {
    await oneAtATime(async () => await this.store.removeProcessed([key], 'node', MODE));
  }

  private async claimWaiting(): Promise<void> {
    const claims = this.waiting;
    this.waiting = [];
    const keys = [...new Set(claims.map(({ key }) => key))];
    await this.store.checkProcessedAndRecord(keys, 'node', MODE).then(
      ({ new: fresh }) => {
        const unclaimed = new Set(fresh);
        for (const { key, tell } of claims) tell(unclaimed.delete(key));
      },
      (error: unknown) => {
        for (const { fail } of claims) fail(error);
      },
    );
  }
}

import type { IDataObject } from 'n8n-workflow';
import type { OutOfReach } from '../../../callLog/reading/outOfReach';
import type { Objection } from '../../../rules/rule';

export class PlacingReport {
  /** Items of placed calls, in the order in which the service accepted the calls. */
  readonly placed: IDataObject[] = [];
  /** By `callKey`: why a call stays scheduled, or ends without being placed. */
  readonly objectionsTo = new Map<string, Objection>();
  /** The reason of the service for each call that it has refused. */
  readonly refused: string[] = [];
  /** Why the call of a row that was due ended without a request: a person may have edited the row. */
  readonly unreadable: string[] = [];
  /** By `callKey`: what somebody has to mend before the call rings, a rule that cannot be asked, or never allows it. */
  readonly heldUpBy = new Map<string, unknown>();
  /** Of a dry run: why a call that is due waits, neither for a rule that objects nor for a channel. */
  readonly waiting: string[] = [];
  /** Failures that stopped the run or the calls of a script, in order. A failure of one call alone is not among them. */
  readonly failures: unknown[] = [];
  /** Whether no channel was free at the last count. */
  isFull = false;
  /** Whether a call went on at the last count. */
  isAnyOpen = false;
  /** When the next call is due, for idle runs and dry runs; undefined when none is scheduled. */
  nextDueAt: number | undefined;
  /** Rows that no execution of the account works with. */
  outOfReach: OutOfReach[] = [];

  /** Whether calls are due now, and no channel was free for them. */
  get waitsForChannels(): boolean {
    return this.isFull && this.nextDueAt !== undefined && this.nextDueAt <= Date.now();
  }

  get objections(): Objection[] {
    return [...this.objectionsTo.values()];
  }

  get heldUp(): unknown[] {
    return [...this.heldUpBy.values()];
  }

  /** Forgets why a call was not placed before: its last word counts. */
  forget(key: string): void {
    this.objectionsTo.delete(key);
    this.heldUpBy.delete(key);
  }

  get wasIdle(): boolean {
    const { placed, objections, refused, unreadable, waiting, heldUp, failures } = this;
    const all = [placed, objections, refused, unreadable, waiting, heldUp, failures];
    return all.every(({ length }) => length === 0);
  }
}

import type { IDataObject } from 'n8n-workflow';
import type { Row } from '../../dataTables/dataTables';
import { NothingSent } from '../../service/failure';
import type { PlacingRows } from './placingRows';
import type { Placement } from '../table/rowColumns';
import { callKey } from '../states';

/** Thrown before a request: the row no longer waits for this execution. Nobody is called. */
export class NoLongerScheduled extends NothingSent {
  override readonly name = 'NoLongerScheduled';

  constructor(
    why = 'the call was cancelled, or its row was changed, or another execution places it',
  ) {
    super(`Nobody was called: ${why}`);
  }
}

/** The interface advises to look 15 seconds after the call was placed. */
const FIRST_CHECK_AFTER_MS = 15_000;
/** An execution that waits longer shares the call: triggers look too after this time. */
const LONGEST_WAIT_MS = 15 * 60_000;

/**
 * When somebody else than the execution may look at a call first.
 *
 * @param waitMs how long the execution itself waits for the outcome
 */
export function firstLookAt(placedAt: number, waitMs = 0): number {
  return placedAt + Math.max(FIRST_CHECK_AFTER_MS, Math.min(waitMs, LONGEST_WAIT_MS));
}

/** Where rows wait that one execution is to place, and the column whose values tell them apart. */
export interface Waiting {
  /** Of the list that they were written with, or empty when they are due. */
  batch: string;
  column: 'id' | 'runAt';
}

/** How the row stays when its call is surely not placed now; see {@link PlacingRows}. */
export type Unplaced =
  | { kind: 'later'; at: number; reason: string }
  | { kind: 'never'; reason: string }
  /** A later try of the execution may come to it. */
  | { kind: 'untried' }
  /** Another row tells of the call: this one goes. */
  | { kind: 'withdrawn' };

/**
 * A call that one execution is to place, and its row. What cannot be written after the call is told in
 * `problem`, not thrown.
 */
export class RowToPlace {
  state: 'waiting' | 'placing' | 'settled' = 'waiting';
  /** What became of the call is being written; its row may not say so yet. */
  isWriting = false;
  /** Who has marked it; the lock of a row that says `placing`. */
  lockedBy = '';
  lockedUntil = 0;
  /** Since when the row surely says that the call is about to be placed. */
  markedAt: number | undefined;
  /** Why it could not be marked. */
  refusal: unknown;
  /** Why the log does not say what became of the call; undefined when it does. */
  failure: unknown;
  private wasAsked = false;

  constructor(
    readonly rows: PlacingRows,
    readonly waiting: Waiting,
    /** As it was when it was written, read or changed last; its id is 0 until that is known. */
    public row: Row,
    readonly attempt = 1,
  ) {}

  get callId(): string {
    return String(this.row.callId ?? '');
  }

  /** Whether the row says that the call is about to be placed. */
  get isMarked(): boolean {
    return this.markedAt !== undefined;
  }

  /** Names the attempt, as `callKey` does. */
  get key(): string {
    return callKey(this.row);
  }

  /**
   * The request is about to leave; asked again before each try of the request.
   *
   * @throws when the row cannot say so, or no longer waits for it: the call must not be placed
   */
  async placing(): Promise<void> {
    if (this.state === 'waiting') await this.rows.markInTurn(this);
    // It may have been cancelled since, or others may count this execution as dead.
    await this.rows.renew(this, this.wasAsked);
    this.wasAsked = true;
    if (this.markedAt === undefined || this.state !== 'placing') {
      throw this.refusal ?? new NoLongerScheduled();
    }
  }

  /**
   * The service has taken the call.
   *
   * @param placedAt milliseconds since 1970
   * @param runAt when somebody else than the execution looks at it first
   */
  async placed(orderId: number, placedAt: number, runAt = firstLookAt(placedAt)): Promise<void> {
    await this.settle({ status: 'in_progress', orderId, placedAt, runAt });
  }

  /** The call was not placed, or nobody knows; `why` is an error. */
  async notPlaced(why: unknown, maybe: boolean): Promise<void> {
    const reason = why instanceof Error ? why.message : String(why);
    // What was cancelled since says so.
    if (this.markedAt === undefined) return await this.unplaced({ kind: 'never', reason });
    const status = maybe ? 'maybe_placed' : 'not_placed';
    await this.settle({ status, reason, at: Date.now() });
  }

  /** Surely nothing was sent. */
  async unplaced(how: Unplaced): Promise<void> {
    if (this.state === 'settled' || this.isWriting) return;
    await this.rows.writeUnplaced(this, how).catch((error: unknown) => this.tell(error));
  }

  private async settle(placement: Placement): Promise<void> {
    if (this.state !== 'placing') return;
    await this.rows.writePlacement(this, placement).catch((error: unknown) => this.tell(error));
  }

  /** As {@link failure}, in a person's words. */
  get problem(): string | undefined {
    const { failure } = this;
    if (failure === undefined) return undefined;
    const why = failure instanceof Error ? failure.message : String(failure);
    return `The call log does not show what became of this call: ${why}`;
  }

  tell(error: unknown): undefined {
    this.failure ??= error;
  }
}

/** A row that is written and not yet read: its id is known when it is marked. */
export function unread(columns: IDataObject): Row {
  return { ...columns, id: 0 };
}

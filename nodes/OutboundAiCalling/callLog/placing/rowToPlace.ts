import type { IDataObject } from 'n8n-workflow';
import { MINUTE_MS } from '../../clocks';
import type { Row } from '../../dataTables/dataTables';
import { errorMessage, NOBODY_CALLED } from '../../nodeError';
import type { Stopwatch } from '../../stopwatch';
import { NothingSent } from '../../service/failure';
import { FIRST_LOOK_AFTER_MS } from '../../service/outcome';
import type { PlacingRows } from './placingRows';
import { acceptedColumns, maybePlacedColumns } from '../table/rowColumns';
import { dialledColumns } from './loggedRequest';
import { callKey } from '../states';

/** Thrown before a request: the row no longer waits for this execution. Nobody is called. */
export class NoLongerScheduled extends NothingSent {
  override readonly name = 'NoLongerScheduled';

  constructor(
    why = 'the call was cancelled, or its row was changed, or another execution places it, or n8n did not confirm a change',
  ) {
    super(`${NOBODY_CALLED}: ${why}`);
  }
}

/** After this time triggers look too, even if the execution still waits. */
const LONGEST_WAIT_MS = 15 * MINUTE_MS;

/** When a trigger may first look at a call for whose outcome the execution itself waits `waitMs`. */
export function firstLookAt(placedAt: number, waitMs = 0): number {
  return placedAt + Math.max(FIRST_LOOK_AFTER_MS, Math.min(waitMs, LONGEST_WAIT_MS));
}

/** What becomes of a call that was surely not placed. */
export type NotPlaced =
  /** The call stays scheduled and is due at `at`, in milliseconds since 1970. */
  | { kind: 'later'; at: number; reason: string }
  /** The call waits as before: its turn has not come. */
  | { kind: 'back' }
  /** The call ends, and nobody is called. */
  | { kind: 'never'; reason: string }
  /** The end stays open for a while: a later try of the execution may come to the call. */
  | { kind: 'leftOpen'; reason: string; forMs?: number | undefined }
  /** Another row stands for the call: this one is deleted. */
  | { kind: 'withdrawn' };

/** A call to place, and its row. A log that cannot be written is a `problem`: nothing is thrown. */
export class RowToPlace {
  state: 'waiting' | 'placing' | 'settled' = 'waiting';
  /** The result of the call is being written; its row may not show it yet. */
  isWriting = false;
  /** The id of the change that marked the row: its lock while it says `placing`. */
  lockedBy = '';
  lockedUntil = 0;
  /** Since the row was marked `placing`, or its mark renewed; undefined when that is not certain. */
  sinceMark: Stopwatch | undefined;
  /** The end is left open for the next try alone: without one, `UncalledRows.endLeftOpen` writes it. */
  isLeftOpen = false;
  /** An earlier call to the same person goes on: the row is not marked together with those next to it. */
  waitsForAnother = false;
  /** A request may have left: it was about to. */
  wasAsked = false;
  /** What becomes of it, when it was surely not placed. */
  how: NotPlaced | undefined;
  /** The columns that say what became of its request. */
  result: IDataObject = {};
  refusal: unknown;
  /** The error because of which the log does not show the result of the call. */
  failure: unknown;

  constructor(
    readonly rows: PlacingRows,
    /** The batch that its row was written with; empty when the row is due. */
    readonly batch: string,
    /** The row as it was last written, read or changed. Its id is 0 until the row is read. */
    public row: Row,
    readonly attempt = 1,
  ) {}

  get callId(): string {
    return String(this.row.callId ?? '');
  }

  /** Whether this execution wrote the row before its first call, so that it is not due. */
  get isWrittenAhead(): boolean {
    return this.batch !== '';
  }

  get isMarked(): boolean {
    return this.sinceMark !== undefined;
  }

  get key(): string {
    return callKey(this.row);
  }

  /**
   * Marks the row before a request leaves; `PlacingRows.mark` decides who may. Called again before each try.
   *
   * @throws when the row could not be marked, or no longer waits: the call must not be placed
   */
  async mark(): Promise<void> {
    await this.rows.renewMarks();
    if (this.state === 'waiting') await this.rows.markInTurn(this);
    // A person may have cancelled the call since, or other executions may count this one as dead.
    await this.rows.renew(this, this.wasAsked);
    this.wasAsked = true;
    this.throwUnlessMarked();
  }

  /**
   * Renews a mark that has become old since, and returns whether it had, which took time.
   *
   * @throws when others count the row as dead by now: the call must not be placed
   */
  async renewOldMark(): Promise<boolean> {
    const { sinceMark } = this;
    await this.rows.renew(this, false);
    this.throwUnlessMarked();
    return this.sinceMark !== sinceMark;
  }

  private throwUnlessMarked(): void {
    if (this.isMarked && this.state === 'placing') return;
    throw this.refusal ?? new NoLongerScheduled();
  }

  /**
   * Writes that the service has accepted the call.
   *
   * @param runAt when a trigger first looks at the call
   * @param dialled the number in E.164, where the row may have another spelling
   */
  async writePlaced(
    orderId: number,
    placedAt: number,
    runAt = firstLookAt(placedAt),
    dialled?: string,
  ): Promise<void> {
    const accepted = acceptedColumns(orderId, placedAt, runAt);
    await this.settle({ ...accepted, ...dialledColumns(this.row, dialled) });
  }

  /** Writes that nobody knows whether the call was placed, and why. */
  async writeMaybePlaced(why: unknown): Promise<void> {
    const reason = errorMessage(why);
    // Nothing is sent for a row without a mark. If its call was cancelled, the row says so.
    if (!this.isMarked) return await this.writeNotPlaced({ kind: 'never', reason });
    await this.settle(maybePlacedColumns(reason, Date.now()));
  }

  async writeNotPlaced(how: NotPlaced): Promise<void> {
    if (this.state === 'settled' || this.isWriting) return;
    Object.assign(this, { isWriting: true, how });
    await this.rows.notPlaced.add(this).catch((error: unknown) => this.noteFailure(error));
  }

  private async settle(result: IDataObject): Promise<void> {
    if (this.state !== 'placing') return;
    Object.assign(this, { isWriting: true, result });
    await this.rows.placements.add(this).catch((error: unknown) => this.noteFailure(error));
    this.state = 'settled';
  }

  get problem(): string | undefined {
    const { failure } = this;
    if (failure === undefined) return undefined;
    return `The call log does not show what became of this call: ${errorMessage(failure)}`;
  }

  noteFailure(error: unknown): undefined {
    this.failure ??= error;
  }
}

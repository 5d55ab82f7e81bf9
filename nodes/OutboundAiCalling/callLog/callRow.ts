import { NothingSent } from '../service/failure';

/** Thrown before a request: the row no longer waits for this execution. Nobody is called. */
export class NoLongerScheduled extends NothingSent {
  override readonly name = 'NoLongerScheduled';

  constructor() {
    super('Nobody was called: the call was cancelled, or another execution places it');
  }
}

/** Thrown before a request: others may already count this execution as dead. Nobody is called. */
export class MarkedTooLongAgo extends NothingSent {
  override readonly name = 'MarkedTooLongAgo';

  constructor() {
    super('Nobody was called: too long went by after the call was to be placed');
  }
}

/** The interface advises to look 15 seconds after the call was placed. */
const FIRST_CHECK_AFTER_MS = 15_000;
/** An execution that waits longer shares the call: triggers look too after this time. */
const LONGEST_WAIT_MS = 15 * 60_000;

/** When somebody else than the execution may look at a call first; see {@link CallRow.placed}. */
export function firstCheckAt(placedAt: number, waitMs: number): number {
  return placedAt + Math.max(FIRST_CHECK_AFTER_MS, Math.min(waitMs, LONGEST_WAIT_MS));
}

/** Why the log does not say what became of a call, in a person's words. */
export function untold(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `The call log does not show what became of this call: ${why}`;
}

/** Changes the rows of several calls of one execution together; `callKey` names them. */
export interface Marks {
  /**
   * Has the rows say that their calls are about to be placed. Those that no longer wait for it stay as they
   * are: {@link CallRow.placing} tells.
   */
  mark(keys: string[]): Promise<void>;
  /** Takes that back: nothing was sent. */
  unmark(keys: string[]): Promise<void>;
}

/** The row of a call that is to be placed. What cannot be written after the call is told, not thrown. */
export interface CallRow {
  readonly callId: string;
  readonly attempt: number;
  /** Names the attempt, as `callKey` does. */
  readonly key: string;
  readonly marks: Marks;
  /** Whether the row says that the call is about to be placed. */
  readonly isMarked: boolean;
  /** Why the log does not say what became of the call; undefined when it does. */
  readonly problem: string | undefined;
  /**
   * The request is about to leave; asked again before each try of the request.
   *
   * @throws when the row cannot say so, or no longer waits for it: the call must not be placed
   */
  placing(): Promise<void>;
  /**
   * The service has taken the call.
   *
   * @param placedAt milliseconds since 1970
   * @param waitMs how long the execution itself waits for the outcome; nobody else looks meanwhile
   */
  placed(orderId: number, placedAt: number, waitMs?: number): Promise<void>;
  /** The call was not placed, or nobody knows; `why` is an error. */
  notPlaced(why: unknown, maybe: boolean): Promise<void>;
}

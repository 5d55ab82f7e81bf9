import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { CallLog } from '../callLog/callLog';
import type { RowToPlace } from '../callLog/placing/rowToPlace';
import type { CallRequest } from '../service/callingService';
import { NothingSent } from '../service/failure';
import { onClockOf } from '../clocks';
import type { SettingsReader } from '../settingsReader';

/** Why a call is not placed. */
export interface Objection {
  reason:
    'duplicate' | 'outsideCallingHours' | 'doNotCall' | 'dailyCap' | 'earlierTry' | 'cancelled';
  /** When it will be allowed, where that is known. */
  nextAllowedAt?: Date | undefined;
  /** IANA name of the time zone in which a person is told that time; UTC without it. */
  timezone?: string;
  /** Of the call that an earlier try has placed. */
  orderId?: number | undefined;
  /** Which of several limits it is about, in a person's words. */
  limit?: string;
}

const IN_WORDS: Record<Objection['reason'], string> = {
  duplicate: 'the same call was placed or scheduled before',
  outsideCallingHours: 'calling is not allowed at this time',
  doNotCall: 'the number is on the do-not-call list',
  dailyCap: 'a daily cap is reached',
  cancelled: 'the call was cancelled, or its row was changed, before it was placed',
  earlierTry:
    'an earlier try of this execution has called this person or scheduled the call, or may have',
};

/** Why nobody was called, as a person reads it in the call log. */
export function inWords(objection: Objection): string {
  const { reason, limit = IN_WORDS[reason], nextAllowedAt, timezone = 'UTC' } = objection;
  const next =
    nextAllowedAt === undefined
      ? ''
      : `; it is allowed again from ${onClockOf(timezone, nextAllowedAt)}`;
  return `Nobody was called: ${limit}${next}`;
}

/** Whether the call is one that another has placed or scheduled: it has no end of its own. */
export function isCallAgain({ reason }: Objection): boolean {
  return reason === 'duplicate' || reason === 'earlierTry';
}

/** A reason not to call, for one call. */
export interface Rule {
  /**
   * Runs what decides the fate of the call when it is known what became of earlier calls of the
   * execution on which the rule's answer hangs. Others wait until it is over, so it must not be run
   * by whoever holds a place among the requests that are under way at once.
   */
  inTurn?<T>(decide: () => Promise<T>): Promise<T>;
  /**
   * Asked just before each request of the call, so also again after a wait. A rule that claims
   * something claims it once.
   */
  objection(): Promise<Objection | undefined>;
  /**
   * The same in a dry run; only of rules that claim. What is claimed then lives in memory only, so
   * that the items of the dry run know of each other.
   */
  wouldObject?(): Promise<Objection | undefined>;
  /**
   * Asked when no rule objects: has the row of the call say that it is about to be placed, in one step with
   * finding out that it may be. Only of rules that count such calls.
   */
  admit?(): Promise<Objection | undefined>;
  /** Nothing was sent: what was claimed is given back. */
  giveBack?(): Promise<void>;
}

/** What makes two calls the same. */
export interface DuplicateSetting {
  key: string;
  /** Whether it is order number and phone, because nobody has given another. */
  isUsual: boolean;
  /** Whether "Prevent Duplicates" is on. */
  isPrevented: boolean;
}

/** A call that rules are asked about. */
export interface RuledCall {
  request: CallRequest;
  /** None of a test call, and of a call that is no duplicate since it was scheduled. */
  duplicates?: DuplicateSetting;
  /** Names its rows in the call log before {@link row} is there. */
  callId?: string;
  /** Its row, from the time at which the call log knows of it. */
  row?: RowToPlace;
}

/** What rules work with during one execution. */
export interface RuleExecution {
  context: IExecuteFunctions;
  /** The call log, when one is kept; a dry run has none where a real one would make it first. */
  log: CallLog | undefined;
  /** So many requests are under way at once. */
  concurrency: number;
  /** What later tries of the execution need to know; n8n stores it with the execution. */
  notes: IDataObject;
  /** Makes what all calls of the execution share, once. */
  shared<T>(name: string, make: () => T): T;
}

/**
 * A rule as it is set for one call. It is opened before anything is sent; what cannot be opened lets
 * nobody be called.
 */
export type SetRule = (execution: RuleExecution) => Promise<Rule>;

/** One reason not to call: its fields in the panel, and how they are read. */
export interface RuleKind {
  fields: INodeProperties[];
  /** Reads what is set for one call; mistakes are noted in `parameters`. Undefined: not set. */
  read(parameters: RuleParameters, call: RuledCall): SetRule | undefined;
}

/** How a rule reads its settings; what is wrong with them is noted. */
export interface RuleParameters extends SettingsReader {
  readonly workflowTimezone: string;
  /** Whether a person tries the workflow out. */
  readonly isManual: boolean;
}

/** Thrown just before a request: a rule objects to the call. */
export class RuleObjection extends NothingSent {
  override readonly name = 'RuleObjection';

  constructor(readonly objection: Objection) {
    super(inWords(objection));
  }
}

/** A rule of one call cannot be asked, e.g. because its list cannot be read: that call is not placed. */
export class RuleClosed extends NothingSent {
  override readonly name = 'RuleClosed';

  constructor(why: unknown) {
    super(why instanceof Error ? why.message : String(why), { cause: why });
  }
}

/** Thrown just before a request: whether a rule objects cannot be found out, so nobody is called. */
export class RuleUndecided extends NothingSent {
  override readonly name = 'RuleUndecided';

  constructor(why: unknown) {
    const reason = why instanceof Error ? why.message : String(why);
    super(`Whether the call is allowed could not be found out: ${reason}`, { cause: why });
  }
}

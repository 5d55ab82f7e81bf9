import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { CallLog } from '../callLog/callLog';
import type { RowToPlace } from '../callLog/placing/rowToPlace';
import type { CallRequest } from '../service/callingService';
import { NothingSent } from '../service/failure';
import { onClockOf } from '../clocks';
import { errorMessage, NOBODY_CALLED } from '../nodeError';
import type { SettingsReader } from '../settingsReader';

/** Why a call is not placed. */
export interface Objection {
  reason:
    'duplicate' | 'outsideCallingHours' | 'doNotCall' | 'dailyCap' | 'earlierTry' | 'cancelled';
  /** Of calling hours and caps, in milliseconds since 1970. Undefined when no time will do, see {@link isForGood}. */
  nextAllowedAt?: number | undefined;
  /** IANA name of the time zone in which a person reads that time; UTC without it. */
  timezone?: string;
  /** The order id of the call that an earlier try has placed. */
  orderId?: number | undefined;
  /** The objection in a person's words, when the reason alone does not say enough. */
  words?: string;
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
  const { reason, words = IN_WORDS[reason], nextAllowedAt, timezone = 'UTC' } = objection;
  const next =
    nextAllowedAt === undefined
      ? ''
      : `; it is allowed again from ${onClockOf(nextAllowedAt, timezone)}`;
  return `${NOBODY_CALLED}: ${words}${next}`;
}

/** Whether no time will do: the call is placed only after somebody has changed a setting. */
export function isForGood({ reason, nextAllowedAt }: Objection): boolean {
  const isOfTime = reason === 'outsideCallingHours' || reason === 'dailyCap';
  return isOfTime && nextAllowedAt === undefined;
}

/** Whether the same call was placed or scheduled before: this one has no end of its own. */
export function isCallAgain({ reason }: Objection): boolean {
  return reason === 'duplicate' || reason === 'earlierTry';
}

/** A reason not to call, for one call. */
export interface Rule {
  /**
   * Runs `decide`, which places the call or finds out why not. It waits for earlier calls of the
   * execution when the rule's answer depends on them, and later calls wait for it. Do not call this
   * while holding a place among the requests under way: a call that goes first may need it.
   */
  inTurn?<T>(decide: () => Promise<T>): Promise<T>;
  /** Asked before each request, and after a wait. It claims once; in a dry run, only in memory. */
  objection(isDryRun: boolean): Promise<Objection | undefined>;
  /** Of a rule that goes by the clock: asked after all the others, which may wait. */
  objectionNow?(): Objection | undefined;
  /** Of rules that count calls, when none objects. One step finds a place and marks the row as about to be placed. */
  admit?(): Promise<Objection | undefined>;
  /** Gives back the claim, when nothing was sent. */
  giveBack?(): Promise<void>;
}

/** Two calls with the same key are the same. */
export interface DuplicateSetting {
  key: string;
  /** Whether it is order number and phone, because no other key was given. */
  isUsual: boolean;
  isPrevented: boolean;
}

/** A call that rules are asked about. */
export interface RuledCall {
  request: CallRequest;
  /** Undefined for a test call, and for a due call: it was checked when it was scheduled. */
  duplicates?: DuplicateSetting;
  /** Names its rows in the call log until {@link row} is set. */
  callId?: string;
  /** An earlier try of the execution has claimed its key for it, and has surely not scheduled it. */
  holdsKey?: boolean;
  /** When it is due, in milliseconds since 1970; undefined for a call that is placed now. */
  dueAt?: number;
  /** Its row, once the call log has it. */
  row?: RowToPlace;
  /** Whether it needs a place under a cap, which marks its row. */
  isCounted?: boolean;
}

/** Everything that rules work with during one execution. */
export interface RuleExecution {
  context: IExecuteFunctions;
  /** Undefined without a log, and in a dry run when a real execution would create it first. */
  log: CallLog | undefined;
  /** How many requests may be under way at once. */
  concurrency: number;
  /** Facts for later tries of the execution; n8n stores them with the execution. */
  notes: IDataObject;
  /** Makes a value once, which all calls of the execution share. */
  shared<T>(name: string, make: () => T): T;
}

/** A rule as set for one call. It is opened before anything is sent: if it fails, nobody is called. */
export type SetRule = (execution: RuleExecution) => Rule | Promise<Rule>;

/** One reason not to call: its fields in the panel, and how they are read. */
export interface RuleKind {
  fields: INodeProperties[];
  /** Reads what is set for one call; mistakes are noted in `parameters`. Undefined when not set. */
  read(parameters: RuleParameters, call: RuledCall): SetRule | undefined;
}

/** How a rule reads its settings and notes their mistakes. */
export interface RuleParameters extends SettingsReader {
  readonly workflowTimezone: string;
  /** Whether a person tries the workflow out. */
  readonly isManual: boolean;
  /** Whether the call has waited until now. What a rule forbids today, it may allow another day. */
  readonly isDue?: boolean;
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
    super(errorMessage(why), '', { cause: why });
  }
}

/** Thrown just before a request: a rule cannot decide, so nobody is called. */
export class RuleUndecided extends NothingSent {
  override readonly name = 'RuleUndecided';

  constructor(why: unknown) {
    const message = `The node could not find out whether the call is allowed: ${errorMessage(why)}`;
    super(message, '', { cause: why });
  }
}

import type { IDataObject } from 'n8n-workflow';
import type { ScheduleOutput } from './call/callOutput';

/** Why an execution, with all its tries, is refused once: the execution, and what was done before, in words. */
type Refusal = { refused: string; words: string };

const MOST_NAMED = 5;

/** @param done everything that was done before, in words */
export function refusalOf(refused: string, done: string[]): Refusal {
  const more = done.length > MOST_NAMED ? `, and ${done.length - MOST_NAMED} more` : '';
  return { refused, words: done.slice(0, MOST_NAMED).join(', ') + more };
}

/** Facts for later tries of an execution, whatever became of its requests. */
export type ExecutionNotes = {
  /** The items of all scheduled calls that were placed. */
  placedItems?: IDataObject[];
  /** Calls may have been scheduled although their items failed. */
  mayBeScheduled?: boolean;
  /** The people whom a stopped execution had called, or its campaigns. */
  stoppedBefore?: Refusal;
  /** A try has come as far as its log: the memory of the execution has all that it, and the tries since, have done. */
  knowsCalls?: boolean;
  /** The calls that the log had when a retry by hand knew of none. */
  loggedBefore?: Refusal;
  /** How often n8n has tried the node in this execution. A retry by hand is another execution. */
  tries?: { execution: string; count: number };
  /** The ids of calls that an agent has asked for, by subject, and until when a further request goes on with them. */
  callIds?: Record<string, { callId: string; until: number }>;
  /** Duplicate keys whose claim failed in n8n: they may have been claimed. */
  undecidedKeys?: string[];
  /** Duplicate keys that were claimed for nobody and could not be given back. */
  keysNotGivenBack?: string[];
};

/** Facts for later tries about something that was done, or may have been. */
export type RequestNote = {
  callId?: string;
  /** Why the call log does not say what became of the call. */
  logProblem?: string;
  /** The output of a scheduled call whose row is written. */
  item?: ScheduleOutput;
  /** No rule objects to scheduling the call, and the claims of the rules are its own. */
  isAllowed?: boolean;
  /** The duplicate key that was claimed for it. */
  key?: string;
  /** The service has started the campaign by itself, or may have, and the node has paused it. */
  wasPaused?: boolean;
  /** Hashes of the people whom a campaign calls, as one text. */
  contacts?: string;
  /** Hash of the people whom a campaign calls and of what they hear. */
  digest?: string;
  /** Hashes of the people of a campaign, whatever their orders. */
  people?: string;
  /** Hashes of the order numbers of a campaign, whoever they are about. */
  orders?: string;
};

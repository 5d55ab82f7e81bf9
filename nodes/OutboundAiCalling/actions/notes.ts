import type { IDataObject } from 'n8n-workflow';
import type { ScheduleOutput } from './call/callOutput';

/** What later tries of an execution need to know, whatever became of its requests. */
export type ExecutionNotes = {
  /** How the ids of the calls begin that earlier tries have written into the log. */
  logBatches?: string[];
  /** The items of all scheduled calls that were placed. */
  placedItems?: IDataObject[];
  /** Calls may have been scheduled although their items failed. */
  mayBeScheduled?: boolean;
  /** Whom an execution has called that a person stopped, in words. */
  stoppedBefore?: string;
  /** Keys of calls of which n8n did not say whether they were claimed. */
  undecidedKeys?: string[];
  /** Keys of calls that were claimed, and could not be given back when nobody had been called. */
  keysNotGivenBack?: string[];
};

/** What later tries need to know of something that was done, or may have been. */
export type RequestNote = {
  /** Of the row in the call log. */
  callId?: string;
  /** Why the call log does not tell what became of the call. */
  logProblem?: string | null;
  /** What the item of a scheduled call gave out: it is written. */
  item?: ScheduleOutput;
  /** No rule objects to scheduling the call, and what they have claimed is its own. */
  isAllowed?: boolean;
  /** Hashes of those whom a campaign calls, as one text. */
  contacts?: string;
  /** Of those whom a campaign calls and what they hear. */
  digest?: string;
};

import type { IDataObject } from 'n8n-workflow';
import type { History } from './history';
import type { LogRow } from './logRows';
import type { WorldRequest } from './world/network';
import type { Ring } from './world/service';

export type ExecutionState = 'running' | 'success' | 'error' | 'cancelled' | 'crashed';

/** An execution as a person sees it in n8n. */
export interface BookedExecution {
  id: string;
  /** Index of the step of the history that began it; -1 for those that calm the world at the end. */
  step: number;
  deed: 'schedule' | 'call' | 'callAndWait' | 'place' | 'cancel' | 'prune' | 'pruneByAge' | 'try';
  process: number;
  /** Of its workflow. */
  key: 0 | 1 | undefined;
  settings: History['settings'];
  orders: number[];
  /** At which time it wants them to be called. */
  callAt: number | undefined;
  startedAt: number;
  endedAt: number | undefined;
  state: ExecutionState;
  items: IDataObject[];
  /** The orders of which it says that nobody was called about them. */
  notCalled: number[];
  /** What the person reads of its error. */
  error: string | undefined;
  /** What each request of an agent was told, and when: its error, or the calls that it has placed. */
  toldAgent: Array<{ order: number; at: number; error: string; orderIds: number[] }>;
  /** The calls that the data of its error names as placed. */
  placedByError: unknown[];
  hints: string[];
  /** How often its node has run. */
  tries: number;
  /** Of a retry by hand: which execution it retries. */
  retryOf: string | undefined;
  /** When it began, of the orders that it cancels: what the log showed of them. */
  rowsBefore: LogRow[];
}

/** An item with which a trigger has started a workflow. */
export interface Fired {
  trigger: number;
  at: number;
  item: IDataObject;
}

/** A line of what happened, for people. */
export interface StoryLine {
  at: number;
  who: string;
  what: string;
}

/** What people have done by hand in the tables. */
export interface BooksByHand {
  /** When somebody wrote a number on the do-not-call list. */
  doNotCall: Map<string, number>;
  /** Orders for which a person has written another phone into a row that waited. */
  phonesByHand: Map<number, { at: number; phone: string }>;
  /** Orders of which a person has written another number into the rows of calls that were placed. */
  renumbered: Set<number>;
  /** Orders for which a person has written another time into a row that waited. */
  dueByHand: Map<number, { at: number; dueAt: number }>;
  /** When a person wrote `cancelled` into an order's row that waited. */
  cancelledByHand: Map<number, number>;
  /** By order: the attempts that had ended, and that a person has scheduled again. */
  scheduledByHand: Map<number, number[]>;
  /** Orders whose rows a person has deleted. */
  deletedByHand: Set<number>;
  /** When a person last deleted all rows of the log. */
  emptiedAt: number | undefined;
}

/** Everything by which the laws are checked. */
export interface Books extends BooksByHand {
  startedAt: number;
  endedAt: number;
  /** Since when nothing befalls anybody any more. */
  calmAt: number;
  /** But for those of the test phone. */
  rings: Ring[];
  executions: BookedExecution[];
  /** Of a person who tries out what nodes would do. */
  trials: BookedExecution[];
  fired: Fired[];
  /** What the log shows in the end. */
  rows: LogRow[];
  /** What n8n's own log was told. */
  warnings: StoryLine[];
  /** The numbers that stand on the do-not-call list in the end. */
  listed: string[];
  /** When a poll of each trigger first succeeded: what ends later is its own to tell. */
  beganAt: number[];
  /** How often the key had been exchanged when a poll of each trigger first succeeded with the second one. */
  exchangedBefore: number[];
  /** How many requests each execution and trigger has sent to whom. */
  requests: Map<string, Record<WorldRequest['to'], number>>;
  /** How often each process was killed, and when it went on after it had stood still. */
  processes: Array<{ kills: number; resumedAt: number[] }>;
  story: StoryLine[];
}

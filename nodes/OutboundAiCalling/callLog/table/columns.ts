import type { Column } from '../../dataTables/dataTables';

/**
 * The columns of a call log, in the order in which a person looks, the machinery last. Times of the
 * machinery are numbers, in whole milliseconds since 1970, because n8n compares dates as text on
 * SQLite, which is wrong within a day.
 */
export const LOG_COLUMNS: Column[] = [
  { name: 'orderNumber', type: 'string' },
  { name: 'customerName', type: 'string' },
  { name: 'customerPhone', type: 'string' },
  { name: 'status', type: 'string' },
  { name: 'dueAt', type: 'date' },
  { name: 'attempt', type: 'number' },
  { name: 'outcome', type: 'string' },
  { name: 'summary', type: 'string' },
  { name: 'cost', type: 'number' },
  { name: 'durationSec', type: 'number' },
  { name: 'triggeredAt', type: 'date' },
  { name: 'finishedAt', type: 'date' },
  // Written with the end of the attempt: when the call is placed again; empty when it is not.
  { name: 'nextAttemptAt', type: 'date' },
  // What went wrong, or why nobody was called, for people only.
  { name: 'lastError', type: 'string' },
  { name: 'orderId', type: 'string' },
  { name: 'outcomeKey', type: 'string' },
  { name: 'scriptId', type: 'number' },
  { name: 'callId', type: 'string' },
  { name: 'account', type: 'string' },
  { name: 'duplicateKey', type: 'string' },
  { name: 'request', type: 'string' },
  // When something is to be done with the row next: the call is due, or looked at.
  { name: 'runAt', type: 'number' },
  // Who works on the row, and until when: empty and 0 when nobody does.
  { name: 'lockedBy', type: 'string' },
  { name: 'lockedUntil', type: 'number' },
  // How often the service was asked for the outcome.
  { name: 'lookCount', type: 'number' },
  // The list that the row was written ahead with, as long as its turn has not come; else empty.
  { name: 'batch', type: 'string' },
];

/** What a row of the table beside a log is: how far a trigger has come, or who may do something. */
export type BesideKind = 'cursor' | 'lock';

/** The columns of the table beside a log. */
export const BESIDE_COLUMNS: Column[] = [
  { name: 'kind', type: 'string' },
  { name: 'workflow', type: 'string' },
  { name: 'account', type: 'string' },
  // Of a cursor.
  { name: 'trigger', type: 'string' },
  { name: 'position', type: 'number' },
  { name: 'handedOver', type: 'string' },
  // When n8n wrote the newest end that it has seen.
  { name: 'seenUntil', type: 'number' },
  { name: 'giveUpAfterHours', type: 'number' },
  { name: 'polledAt', type: 'number' },
  // Of a lock: what it is for, who holds it and until when, as in the log.
  { name: 'name', type: 'string' },
  { name: 'lockedBy', type: 'string' },
  { name: 'lockedUntil', type: 'number' },
];

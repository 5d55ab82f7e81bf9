import type { Column } from '../dataTables/dataTables';

/** The columns of a call log, in the order in which a person looks, the machinery last. */
export const LOG_COLUMNS: Column[] = [
  { name: 'orderNumber', type: 'string' },
  { name: 'customerName', type: 'string' },
  { name: 'customerPhone', type: 'string' },
  { name: 'status', type: 'string' },
  { name: 'outcome', type: 'string' },
  { name: 'summary', type: 'string' },
  { name: 'cost', type: 'number' },
  { name: 'durationSec', type: 'number' },
  { name: 'triggeredAt', type: 'date' },
  { name: 'finishedAt', type: 'date' },
  // What went wrong; of a row that is not placed, why, and which of them were only written ahead (`UNTRIED`).
  // While the call is being placed: that it was cancelled meanwhile (`CANCELLED_MEANWHILE`).
  { name: 'lastError', type: 'string' },
  { name: 'attempt', type: 'number' },
  { name: 'dueAt', type: 'date' },
  { name: 'orderId', type: 'string' },
  { name: 'outcomeKey', type: 'string' },
  { name: 'scriptId', type: 'number' },
  { name: 'callId', type: 'string' },
  { name: 'account', type: 'string' },
  // Empty: the row was written ahead, and is replaced. While the call is scheduled or being placed: 0, or the
  // number that was drawn by whoever has taken it; of a cancelled one, by whoever cancelled it. Then: how often
  // the service was asked for the outcome.
  { name: 'checks', type: 'number' },
  // Milliseconds, because n8n compares dates as text on SQLite, which is wrong within a day. While the call
  // is scheduled: when it is due. While it is being placed: when its execution counts as dead. While it is
  // open: the next look. Scheduled or open, with a fraction of .5: until when somebody holds the row. Once it
  // has ended: when that was written. Otherwise empty.
  { name: 'nextCheckAt', type: 'number' },
  { name: 'request', type: 'string' },
];

/** Columns without which a table is no call log. */
export const KNOWN_BY = [
  'customerPhone',
  'status',
  'triggeredAt',
  'finishedAt',
  'callId',
  'account',
];

/** What a row of the table beside a log is: how far a trigger has come, or who may do something. */
export type BesideKind = 'cursor' | 'lock';

/** The columns of the table beside a log. */
export const PLACE_COLUMNS: Column[] = [
  { name: 'kind', type: 'string' },
  { name: 'workflow', type: 'string' },
  { name: 'account', type: 'string' },
  // Of a cursor.
  { name: 'trigger', type: 'string' },
  { name: 'since', type: 'number' },
  { name: 'position', type: 'number' },
  { name: 'handedOver', type: 'string' },
  { name: 'giveUpAfterHours', type: 'number' },
  { name: 'polledAt', type: 'number' },
  // Of a lock: what it is for, who holds it and until when, as in the log.
  { name: 'name', type: 'string' },
  { name: 'lockedBy', type: 'string' },
  { name: 'lockedUntil', type: 'number' },
];

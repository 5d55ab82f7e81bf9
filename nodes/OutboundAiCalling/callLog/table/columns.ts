import { DAY_MS } from '../../clocks';
import type { Column } from '../../dataTables/dataTables';

/** Conditions on dates have this margin: on SQLite, n8n compares dates as text, wrong within a day. */
export const DATE_MARGIN_MS = DAY_MS;

/**
 * The columns of a call log, in the order in which a person looks; the columns of the machinery
 * come last. The machinery writes times as numbers, in whole milliseconds since 1970: they need no
 * {@link DATE_MARGIN_MS}.
 */
export const LOG_COLUMNS: Column[] = [
  { name: 'orderNumber', type: 'string' },
  { name: 'customerName', type: 'string' },
  { name: 'customerPhone', type: 'string' },
  { name: 'status', type: 'string' },
  // When the call is to be placed, for people, who may change it: `runAt` follows.
  { name: 'dueAt', type: 'date' },
  { name: 'attempt', type: 'number' },
  { name: 'outcome', type: 'string' },
  { name: 'summary', type: 'string' },
  { name: 'cost', type: 'number' },
  { name: 'durationSec', type: 'number' },
  { name: 'triggeredAt', type: 'date' },
  { name: 'finishedAt', type: 'date' },
  // When the call is placed again. Written with the end of the attempt; empty for the last attempt.
  { name: 'nextAttemptAt', type: 'date' },
  // For people only: what went wrong, or why nobody was called.
  { name: 'lastError', type: 'string' },
  { name: 'orderId', type: 'string' },
  { name: 'outcomeKey', type: 'string' },
  { name: 'scriptId', type: 'number' },
  { name: 'callId', type: 'string' },
  { name: 'account', type: 'string' },
  { name: 'duplicateKey', type: 'string' },
  { name: 'request', type: 'string' },
  // When the next step of the row is due: the call is placed, or looked at.
  { name: 'runAt', type: 'number' },
  // Who has locked the row, and until when. Empty and 0 when nobody has.
  { name: 'lockedBy', type: 'string' },
  { name: 'lockedUntil', type: 'number' },
  // How often the service was asked for the outcome.
  { name: 'lookCount', type: 'number' },
  // While the row waits in a batch: the id of that batch. Otherwise empty.
  { name: 'batch', type: 'string' },
];

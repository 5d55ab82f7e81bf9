import type { IDataObject } from 'n8n-workflow';
import { readIdentifier } from '../service/identifier';
import type { Outcome } from '../service/outcome';
import type { Column, Row } from './dataTables';
import type { WatchedCall } from '../trigger/watch/watch';

/** The columns of a call log, in the order in which a person reads them. */
export const COLUMNS: Column[] = [
  { name: 'orderId', type: 'string' },
  { name: 'orderNumber', type: 'string' },
  { name: 'customerPhone', type: 'string' },
  { name: 'customerName', type: 'string' },
  { name: 'scriptId', type: 'number' },
  { name: 'status', type: 'string' },
  { name: 'outcome', type: 'string' },
  { name: 'durationSec', type: 'number' },
  { name: 'cost', type: 'number' },
  { name: 'summary', type: 'string' },
  { name: 'triggeredAt', type: 'date' },
  { name: 'finishedAt', type: 'date' },
  { name: 'checks', type: 'number' },
  { name: 'nextCheckAt', type: 'date' },
  { name: 'lastError', type: 'string' },
];

/**
 * What a row says about its call, beside the statuses that the service itself gives to ended calls.
 * `placing`: the request is about to leave. `maybe_placed`: nobody knows whether it was taken.
 */
export type LogStatus =
  'placing' | 'in_progress' | 'not_placed' | 'maybe_placed' | 'given_up' | 'invalid';

/** A call that is about to be placed. */
export interface NewLogEntry {
  customerPhone: string;
  customerName?: string | undefined;
  orderNumber?: string | undefined;
  scriptId: number;
}

/** No call is older, and nobody's clock is further ahead; n8n gives the year 1 as 2001. */
const EARLIEST = Date.UTC(2015, 0, 1);
const CLOCK_AHEAD_MS = 24 * 3_600_000;

export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** A row before its call: what is still empty is null. */
export function rowOf(entry: NewLogEntry, now: number, nextCheckAt: number): IDataObject {
  return {
    orderNumber: entry.orderNumber ?? null,
    customerPhone: entry.customerPhone,
    customerName: entry.customerName ?? null,
    scriptId: entry.scriptId,
    status: 'placing' satisfies LogStatus,
    triggeredAt: isoTime(now),
    checks: 0,
    nextCheckAt: isoTime(nextCheckAt),
  };
}

/** The columns that an outcome fills. */
export function outcomeColumns(outcome: Outcome, now: number): IDataObject {
  return {
    status: outcome.callStatus,
    outcome: outcome.callOutcome,
    durationSec: outcome.callDurationSec,
    cost: outcome.totalCallCost,
    summary: outcome.summary,
    finishedAt: isoTime(now),
    lastError: null,
  };
}

function textOf(value: unknown): string | undefined {
  return value === null || value === undefined || value === '' ? undefined : String(value);
}

/** A row in which a call can be read, one that has no call yet, or one edited into nonsense. */
export type RowReading = { call: WatchedCall } | { placing: true } | { nonsense: string };

/** Reads a row, which a person may have edited. */
export function readRow(row: Row, now: number): RowReading {
  const orderIdText = textOf(row.orderId);
  if (orderIdText === undefined && row.status === 'placing') return { placing: true };
  const orderId = readIdentifier(orderIdText);
  if (orderId === undefined) {
    return { nonsense: `orderId is not an order id: ${orderIdText ?? '(empty)'}` };
  }
  const placedAt = Date.parse(String(row.triggeredAt ?? ''));
  if (Number.isNaN(placedAt) || placedAt < EARLIEST || placedAt > now + CLOCK_AHEAD_MS) {
    return { nonsense: `triggeredAt is not the time of a call: ${String(row.triggeredAt)}` };
  }
  const checks = Number(row.checks ?? 0);
  const customerPhone = textOf(row.customerPhone);
  const customerName = textOf(row.customerName);
  const orderNumber = textOf(row.orderNumber);
  const scriptId = readIdentifier(row.scriptId);
  return {
    call: {
      orderId,
      ...(customerPhone === undefined ? {} : { customerPhone }),
      ...(customerName === undefined ? {} : { customerName }),
      ...(orderNumber === undefined ? {} : { orderNumber }),
      ...(scriptId === undefined ? {} : { scriptId }),
      placedAt,
      looks: Number.isSafeInteger(checks) && checks > 0 ? checks : 0,
      nextLookAt: Date.parse(String(row.nextCheckAt)),
    },
  };
}

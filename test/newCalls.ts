import type { IDataObject } from 'n8n-workflow';
import type { CallLog } from '../nodes/OutboundAiCalling/callLog/callLog';
import type {
  LoggedRequest,
  NewCall,
} from '../nodes/OutboundAiCalling/callLog/placing/loggedRequest';
import { DueRows } from '../nodes/OutboundAiCalling/callLog/placing/dueRows';
import { PlacingRows } from '../nodes/OutboundAiCalling/callLog/placing/placingRows';
import type { RowToPlace } from '../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import {
  acceptedColumns,
  aheadRow,
  drawnId,
  endColumns,
  maybePlacedColumns,
  notPlacedColumns,
} from '../nodes/OutboundAiCalling/callLog/table/rowColumns';
import { Scheduling } from '../nodes/OutboundAiCalling/callLog/scheduling/scheduling';

/** Calls with ids of their own, as one execution gives them. */
export function newCalls(requests: LoggedRequest[]): NewCall[] {
  const list = drawnId();
  return requests.map((request, index) => ({ callId: `${list}-${index}`, request }));
}

type Settled =
  | { status: 'in_progress'; orderId: number; placedAt: number; runAt: number }
  | { status: 'maybe_placed' | 'not_placed'; reason: string; at: number };

/** The row of a call that an execution has placed, or has not, with its end if it has one. */
export function placedRow(call: NewCall, account: string, settled: Settled): IDataObject {
  const ahead = aheadRow(call, account, { at: Date.now(), batch: '' });
  if (settled.status === 'in_progress') {
    return { ...ahead, ...acceptedColumns(settled.orderId, settled.placedAt, settled.runAt) };
  }
  if (settled.status === 'maybe_placed') {
    return { ...ahead, ...maybePlacedColumns(settled.reason, settled.at) };
  }
  const finishedAt = new Date(settled.at).toISOString();
  const end = { ...notPlacedColumns(settled.reason), ...endColumns({ finishedAt }) };
  return { ...ahead, ...end, dueAt: finishedAt };
}

/**
 * Writes calls into a log that are due at a time, or one millisecond after the other.
 *
 * @returns their ids
 */
export async function scheduleInto(
  log: CallLog,
  requests: LoggedRequest[],
  at: number,
): Promise<string[]> {
  const calls = newCalls(requests);
  const list = await Scheduling.writeAhead(
    log,
    calls.map((call) => ({ call, at })),
  );
  await list.settle(calls.map(() => 'scheduled'));
  return calls.map(({ callId }) => callId);
}

/** How calls are placed where a test does not say otherwise. */
export const TEN_AT_ONCE = { concurrency: 10, requestMs: 30_000 };

/** An execution that places the scheduled calls of a log. */
export class DueExecution {
  readonly rows: PlacingRows;
  readonly due: DueRows;

  constructor(log: CallLog, requestMs = 30_000) {
    this.rows = new PlacingRows(log, requestMs);
    this.due = new DueRows(log, this.rows);
  }

  /** Calls that are due now. */
  async read(limit = 100): Promise<RowToPlace[]> {
    return (await this.due.read(Date.now(), limit)).map(({ row }) => row);
  }

  /** @returns those of them that may be placed */
  async mark(calls: RowToPlace[]): Promise<RowToPlace[]> {
    await this.rows.mark(calls);
    return calls.filter(({ isMarked }) => isMarked);
  }
}

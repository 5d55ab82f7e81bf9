import { CallLog } from '../../../callLog/callLog';
import { Lock } from '../../../callLog/lock';
import { giveUpAfterMsOf } from '../../../callLog/ends/cursors';
import { DueRows } from '../../../callLog/placing/dueRows';
import { PlacingRows } from '../../../callLog/placing/placingRows';
import { findOutOfReach } from '../../../callLog/reading/outOfReach';
import { whyNoneIsRead } from '../../../callLog/reading/whyPlacingStops';
import type { TableLocator } from '../../../dataTables/findTable';
import { lookAtOpenCalls } from '../../../trigger/lookAtOpenCalls';
import { OutcomeReader } from '../../../trigger/outcomeReader';
import { serviceOf, type OperationExecution } from '../../execution';
import { refuseSeveralLogs } from '../callLogging';
import type { PlacingReport } from './placingReport';
import { PlacingRun, type PlacingRunOptions } from './placingRun';

export interface PlaceDueSettings extends Pick<
  PlacingRunOptions,
  'maxInProgress' | 'firstCheckAfterMs'
> {
  table: TableLocator;
  /** How long to fill each channel as soon as it is free, in milliseconds; 0 for one round. */
  keepOnMs: number;
}

/** In a single round, no look begins later than this. */
const ROUND_MS = 10_000;
/** Looks have their own limits, so that they do not wait for requests that place calls. */
const LOOKS = { concurrency: 10, timeoutMs: 10_000 };

/** Prepares looks at the log's open calls. They work as the looks of a trigger do. */
async function lookingAt(execution: OperationExecution, log: CallLog, until: number) {
  const { context, cancelled } = execution;
  const credential = await context.getCredentials('outboundAiCallingApi', 0);
  const timeoutMs = Math.max(LOOKS.timeoutMs, execution.timeoutMs);
  const service = serviceOf(context, credential, { ...LOOKS, timeoutMs, signal: cancelled });
  const giveUpAfterMs = await giveUpAfterMsOf(log);
  const reader = new OutcomeReader(service);
  return async (signal: AbortSignal, oneRound: boolean, onEnd: () => void): Promise<void> => {
    do {
      const forMs = oneRound ? ROUND_MS : until - Date.now();
      const options = { reader, giveUpAfterMs, forMs, signal, oneRound };
      const { blocked } = await lookAtOpenCalls(log, onEnd, options);
      if (blocked !== undefined) throw blocked;
    } while (!oneRound && !signal.aborted && Date.now() < until);
  };
}

/**
 * Places the due calls of a log. A lock lets one execution at a time do this.
 *
 * @returns the report, or `heldBy`: the workflow that holds the lock, and its "Max in Progress"
 * @throws when something stops all calls before the first one: nobody was called
 */
export async function placeDue(
  execution: OperationExecution,
  settings: PlaceDueSettings,
): Promise<{ report: PlacingReport } | { heldBy: string }> {
  const { context, account, timeoutMs } = execution;
  const { table, maxInProgress, keepOnMs, firstCheckAfterMs } = settings;
  await refuseSeveralLogs(context);
  const log = await CallLog.open(context, table, account, { onlyFirst: true });
  await log.checkRights();
  const workflow = `"${context.getWorkflow().name ?? ''}" (Max in Progress ${maxInProgress})`;
  const lock = await Lock.acquire(log, { name: 'place scheduled calls', workflow });
  if ('heldBy' in lock) return lock;
  try {
    const rows = new PlacingRows(log, timeoutMs);
    const due = new DueRows(log, rows);
    await due.mendTimes(Date.now());
    const fillUntil = Date.now() + keepOnMs;
    const look = await lookingAt(execution, log, fillUntil);
    const options = { log, lock, due, rows, look, fillUntil, maxInProgress, firstCheckAfterMs };
    const report = await new PlacingRun(execution, options).run();
    if (report.wasIdle) {
      report.nextDueAt = await due.nextDueAt();
      const unread = report.waitsForChannels ? await whyNoneIsRead(log) : undefined;
      if (unread !== undefined) report.failures.push(unread);
    }
    report.outOfReach = await findOutOfReach(log).catch((error: unknown) => {
      // What was placed is told in any case.
      if (report.wasIdle) throw error;
      return [];
    });
    return { report };
  } finally {
    // A lock that cannot be released expires a little later.
    await lock.release().catch(() => {});
  }
}

import { CallLog } from '../../../callLog/callLog';
import { Lock } from '../../../callLog/lock';
import { giveUpAfterMsOf } from '../../../callLog/ends/cursors';
import { DueRows } from '../../../callLog/placing/dueRows';
import { PlacingRows } from '../../../callLog/placing/placingRows';
import { findOutOfReach } from '../../../callLog/reading/outOfReach';
import { whyNoneIsRead } from '../../../callLog/reading/whyPlacingStops';
import type { TableLocator } from '../../../dataTables/findTable';
import { CallingService } from '../../../service/callingService';
import { NothingSent } from '../../../service/failure';
import { OutcomeReader } from '../../../trigger/outcomeReader';
import type { OperationExecution } from '../../execution';
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

/** Looks have their own limits, so that they do not wait for requests that place calls. */
const LOOKS = { concurrency: 10, timeoutMs: 10_000 };

/** Prepares looks at the log's open calls. They work as the looks of a trigger do. */
async function looksAt(log: CallLog, { context, cancelled, timeoutMs }: OperationExecution) {
  const credential = await context.getCredentials('outboundAiCallingApi', 0);
  const options = { ...LOOKS, timeoutMs: Math.max(LOOKS.timeoutMs, timeoutMs), signal: cancelled };
  const reader = new OutcomeReader(CallingService.of(context, credential, options));
  return { reader, giveUpAfterMs: await giveUpAfterMsOf(log) };
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
  await log.tables.checkRights(log.tableId);
  const workflow = `"${context.getWorkflow().name ?? ''}" (Max in Progress ${maxInProgress})`;
  const lock = await Lock.acquire(log, { name: 'place scheduled calls', workflow });
  if ('heldBy' in lock) return lock;
  try {
    const rows = new PlacingRows(log, timeoutMs);
    const due = new DueRows(log, rows);
    await due.mendTimes(Date.now());
    const fillUntil = Date.now() + keepOnMs;
    const looks = await looksAt(log, execution);
    const options = { log, lock, due, rows, looks, fillUntil, maxInProgress, firstCheckAfterMs };
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
    const forgotten = report.outOfReach.find(({ reason }) => reason === 'exchanged');
    // Nobody else places these calls: a green execution would forget them.
    if (forgotten !== undefined) {
      report.failures.push(new NothingSent(forgotten.sentence.replace(/\.$/, '')));
    }
    return { report };
  } finally {
    // A lock that cannot be released expires a little later.
    await lock.release().catch(() => {});
  }
}

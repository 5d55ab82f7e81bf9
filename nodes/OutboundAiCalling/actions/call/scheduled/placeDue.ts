import type { IDataObject } from 'n8n-workflow';
import { CallLog } from '../../../callLog/callLog';
import { Lock } from '../../../callLog/lock';
import { giveUpAfterMsOf, USUAL_PATIENCE_MS } from '../../../callLog/ends/cursors';
import { DueRows } from '../../../callLog/placing/dueRows';
import { PlacingRows } from '../../../callLog/placing/placingRows';
import { findOutOfReach } from '../../../callLog/reading/outOfReach';
import type { TableLocator } from '../../../dataTables/findTable';
import type { PlacedCall, Read } from '../../../service/callingService';
import { lookAtOpenCalls } from '../../../trigger/lookAtOpenCalls';
import { openExecution, type CommonSettings, type OperationExecution } from '../../execution';
import type { PlaceScheduledOutput } from '../callOutput';
import { noteForTriggers } from '../noteForTriggers';
import { placedItem } from '../placedItem';
import { ruleExecution } from '../ruleExecution';
import type { DueCall } from './dueCall';
import type { PlacingReport } from './placingReport';
import { PlacingRun, type Looking } from './placingRun';

export interface PlaceDueSettings {
  table: TableLocator;
  /** So many calls of the account go on at once. */
  maxInProgress: number;
  /** So long channels are filled as soon as they are free, in milliseconds; 0 for one round. */
  keepOnMs: number;
  /** So long after a call was placed is the first look at it, in milliseconds. */
  firstCheckAfterMs: number;
  /** How long one request to the service may take, in milliseconds. */
  timeoutMs: number;
}

/** A round of looks begins none later. */
const ROUND_MS = 10_000;
/** Looks do not wait for those who place calls. */
const LOOKS: CommonSettings = {
  presentation: { form: 'simplified' },
  concurrency: 10,
  timeoutMs: 10_000,
};

/** Looks at the open calls of the log as a trigger does. */
async function lookingAt(execution: OperationExecution, log: CallLog, until: number) {
  const { service } = await openExecution(execution.context, LOOKS);
  const giveUpAfterMs = await giveUpAfterMsOf(log, USUAL_PATIENCE_MS);
  const look = async (signal: AbortSignal, found: () => void, oneRound: boolean) => {
    const lookUntil = oneRound ? Date.now() + ROUND_MS : until;
    const onEnd = () => found();
    const options = { log, service, giveUpAfterMs, lookUntil, signal, onEnd, oneRound };
    const { hopeless } = await lookAtOpenCalls(options);
    if (hopeless !== undefined) throw hopeless;
  };
  const looking: Looking = {
    once: async () => await look(execution.cancelled, () => {}, true),
    on: async (signal, found) => await look(signal, found, false),
  };
  return looking;
}

/** Has everybody know of a call that the service has taken; gives its item. */
async function notePlaced(
  execution: OperationExecution,
  { row, request, kept, isTestCall }: DueCall,
  { read, firstCheckAfterMs }: { read: Read<PlacedCall>; firstCheckAfterMs: number },
): Promise<IDataObject> {
  const { orderId } = read.result;
  const placedAt = Date.now();
  const { attempt } = row;
  noteForTriggers(
    request,
    { orderId, placedAt, isTestCall, attempt, retry: kept.retry },
    execution,
  );
  await row.placed(orderId, placedAt, placedAt + firstCheckAfterMs);
  const item: PlaceScheduledOutput = {
    ...(isTestCall ? { testCall: true } : {}),
    ...placedItem(request, read.result),
    callId: row.callId,
    attempt,
    ...(row.problem === undefined ? {} : { callLogError: row.problem }),
  };
  return { ...item };
}

/**
 * Places the scheduled calls of a log that are due; one execution at a time does.
 *
 * @returns what was done, or `heldBy` the workflow whose execution does it now, and its pace
 * @throws what hinders all calls before the first: nobody was called
 */
export async function placeDue(
  execution: OperationExecution,
  settings: PlaceDueSettings,
): Promise<{ report: PlacingReport } | { heldBy: string }> {
  const { context, account, service, cancelled } = execution;
  const { table, maxInProgress, keepOnMs, firstCheckAfterMs, timeoutMs } = settings;
  const log = await CallLog.open(context, table, { account, create: 'first' });
  await log.checkRights();
  const workflow = `"${context.getWorkflow().name ?? ''}" (Max in Progress ${maxInProgress})`;
  const lock = await Lock.acquire(log, { name: 'place scheduled calls', workflow });
  if ('heldBy' in lock) return lock;
  try {
    const rows = new PlacingRows(log, timeoutMs);
    const due = new DueRows(log, rows);
    await due.mendTimes(Date.now());
    const fillUntil = Date.now() + keepOnMs;
    const run = new PlacingRun({
      due,
      rows,
      service,
      looking: await lookingAt(execution, log, fillUntil),
      rules: ruleExecution(execution, log),
      memory: execution.memory,
      maxInProgress,
      fillUntil,
      isAlone: () => lock.isHeld,
      cancelled,
      placed: async (call, read) => await notePlaced(execution, call, { read, firstCheckAfterMs }),
    });
    const report = await run.run();
    if (report.wasIdle) {
      report.nextDueAt = await due.nextDueAt();
      report.outOfReach = await findOutOfReach(log);
    }
    return { report };
  } finally {
    // Otherwise it is free by itself a little later.
    await lock.release().catch(() => {});
  }
}

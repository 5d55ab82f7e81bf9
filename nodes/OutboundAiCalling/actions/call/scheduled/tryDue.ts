import type { IDataObject } from 'n8n-workflow';
import { DueRows, type DueRow } from '../../../callLog/placing/dueRows';
import { PlacingRows } from '../../../callLog/placing/placingRows';
import { findOutOfReach } from '../../../callLog/reading/outOfReach';
import { errorMessage } from '../../../nodeError';
import { simulatedService } from '../../../service/simulatedService';
import type { OperationExecution } from '../../execution';
import { personOf } from '../../../contacts/person';
import { countInDryRun } from '../../../rules/dailyCaps';
import { openLogTable } from '../callLogging';
import { dryRunOf, placedItem, type PlaceScheduledOutput } from '../callOutput';
import { ruleExecution } from '../askingRules';
import { isTheirTurn, readDueCall, type DueCall } from './dueCall';
import { PlacingReport } from './placingReport';
import { reasonToWait } from './reasonToWait';

async function simulated({ request }: DueCall) {
  const { result } = await simulatedService().triggerCall(request);
  return { ...placedItem(request, result), simulated: true as const };
}

/**
 * Finds the due calls that would be placed now on free channels. It asks the rules. It sends,
 * claims and writes nothing.
 *
 * @returns a report as if the calls had been placed, and the items; a dry run also gives an item
 *   for each call to which a rule objects, and for the first when doubts about the calls before stop the run
 */
export async function tryDue(
  execution: OperationExecution,
  maxInProgress: number,
  how: 'dryRun' | 'simulate',
): Promise<{ tried: PlacingReport; items: IDataObject[] }> {
  const report = new PlacingReport();
  const items: IDataObject[] = [];
  const log = await openLogTable(execution, { isDryRun: true, onlyFirst: true });
  if (log === undefined) return { tried: report, items };
  const due = new DueRows(log, new PlacingRows(log, execution.timeoutMs));
  const { count: open, people } = await due.underWay(maxInProgress);
  const free = maxInProgress - open;
  Object.assign(report, { isFull: free === 0, isAnyOpen: open > 0 });
  report.nextDueAt = await due.nextDueAt();
  const rules = ruleExecution(execution, log);
  const ringing = new Set(people);
  const isOver = () => report.placed.length === free || report.failures.length > 0;
  const tryOne = async (one: DueRow): Promise<void> => {
    const call = readDueCall(one);
    if ('nonsense' in call) return void report.unreadable.push(call.nonsense);
    const closed = await call.rules.open(rules).then(() => undefined, errorMessage);
    if (closed !== undefined) return void report.waiting.push(closed);
    const { callId, attempt, key } = call.row;
    // A call that waits takes no place under a cap.
    if (!isTheirTurn(ringing)(call)) {
      return void report.waiting.push('another call to the same person goes on, or comes first');
    }
    const objection = await call.rules.wouldObject();
    if (objection === undefined && report.placed.length === 0) {
      const found = await reasonToWait(log, maxInProgress, execution.context.getTimezone());
      if (found?.isTooSoon === true) report.failures.push(found.why);
    }
    const mayCall = report.failures.length === 0;
    if (how === 'dryRun' || (objection === undefined && mayCall)) {
      const { request } = call;
      const asked =
        how === 'dryRun' ? dryRunOf(request, objection, mayCall) : await simulated(call);
      const item: PlaceScheduledOutput = { ...asked, callId, attempt };
      items.push({ ...item });
    }
    if (!mayCall) return;
    if (objection !== undefined) return void report.objectionsTo.set(key, objection);
    report.placed.push({ callId });
    if (call.isTestCall) return;
    const { customerPhone } = call.request;
    ringing.add(personOf(customerPhone));
    if (!call.rules.doCount) countInDryRun(rules, customerPhone);
  };
  for await (const { calls, ended, waiting } of due.peek(Date.now())) {
    report.unreadable.push(...ended);
    report.waiting.push(...waiting);
    for (const one of calls) if (!isOver()) await tryOne(one);
    if (isOver()) break;
  }
  report.outOfReach = await findOutOfReach(log);
  return { tried: report, items };
}

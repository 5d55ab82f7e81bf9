import type { IExecuteFunctions } from 'n8n-workflow';
import type { CallLog } from '../../callLog/callLog';
import type { RowToPlace } from '../../callLog/placing/rowToPlace';
import { pause } from '../../http/pause';
import { errorMessage } from '../../nodeError';
import type { RuleExecution } from '../../rules/rule';
import type { Rules } from '../../rules/rules';
import type { ReadItem } from '../itemWork';
import type { OperationExecution } from '../execution';
import { refuseIfLost } from '../memory/memoryLost';
import type { Deed, JudgedCall } from './askedCall';
import { objectToDoneOtherwise } from './earlierRequests';
import { openCallLog, openLogTable } from './callLogging';
import { warnOfPlans } from './planWarnings';

export function ruleExecution(
  { context, memory, concurrency }: OperationExecution,
  log: CallLog | undefined,
): RuleExecution {
  const made = new Map<string, unknown>();
  return {
    context,
    log,
    concurrency,
    notes: memory.notes,
    shared: <T>(name: string, make: () => T): T => {
      if (!made.has(name)) made.set(name, make());
      return made.get(name) as T;
    },
  };
}

/**
 * Opens the log and the rules of all calls. Notes objections to calls that earlier tries have made.
 *
 * @returns as `real` the calls that are no dry runs
 * @throws the error of a log or rule that cannot be opened, or of {@link refuseIfLost}: nobody may be called
 */
export async function openRules<Call extends JudgedCall>(
  execution: OperationExecution,
  deed: Deed,
  items: Array<ReadItem<Call>>,
): Promise<{ log: CallLog | undefined; real: Array<ReadItem<Call>> }> {
  const calls = items.map(({ request }) => request);
  const real = items.filter(({ request }) => !request.isDryRun);
  const open = deed === 'schedule' ? openLogTable : openCallLog;
  const log = await open(execution, { isDryRun: real.length === 0 });
  await warnOfPlans(execution.context, log, calls);
  const isUnprotected = ({ request: { isTestCall, duplicates } }: ReadItem<Call>) =>
    !isTestCall && duplicates?.isPrevented !== true;
  if (real.some(isUnprotected)) refuseIfLost(execution, log ? 'callsInLog' : 'calls');
  const rules = ruleExecution(execution, log);
  for (const call of calls) await call.rules.open(rules);
  await objectToDoneOtherwise(execution, deed, items);
  return { log, real };
}

/** Asks the rules just before each try of a request, and marks the row of its call. */
export async function askBeforeRequest(
  { rules, row }: { rules: Rules; row?: RowToPlace },
  throwIfStopped: () => void,
): Promise<void> {
  // Let a failure that is being handled right now stop this request too.
  await pause(0);
  throwIfStopped();
  await rules.ask();
  await row?.mark();
  // Writing the row took time: the hours may have ended, or another item may have failed. Asking takes time
  // too: others may count the row as dead.
  do await rules.ask();
  while (await row?.renewOldMark());
  throwIfStopped();
}

/** Gives back a call's claims. A failure goes to n8n's log alone: the item's error says why nobody was called. */
export async function giveBack(rules: Rules, { logger }: IExecuteFunctions): Promise<void> {
  await rules.giveBack().catch((error: unknown) => {
    logger.error(
      `A duplicate key or a place under a cap could not be given back: ${errorMessage(error)}`,
    );
  });
}

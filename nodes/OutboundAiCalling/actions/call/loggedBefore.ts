import { DAY_MS } from '../../clocks';
import type { CallLog } from '../../callLog/callLog';
import { calledAt } from '../../callLog/rowFacts';
import { dialledIn } from '../../callLog/placing/loggedRequest';
import { saysCancelled } from '../../callLog/states';
import { textIn } from '../../callLog/table/cells';
import type { Row } from '../../dataTables/dataTables';
import { callsInLog } from '../../rules/loggedDuplicates';
import { NothingSent } from '../../service/failure';
import { orderIdsOf } from '../calledSentences';
import { isTool, type OperationExecution } from '../execution';
import type { ReadItem } from '../itemWork';
import { refusalOf } from '../notes';
import type { JudgedCall } from './askedCall';
import { calledInWords } from './stoppedCalls';

/** A person who retries an execution does so within this time, most often. */
const RETRIED_WITHIN_MS = DAY_MS;

const ADVICE =
  'They may be of the execution that you retry: n8n has not kept what it did here. Look in the call log. To call all the same, retry the execution that has this error. With "Prevent Duplicates" and the currently saved workflow, a retry calls only the others.';

function inWords(row: Row): string {
  const call = { orderNumber: textIn(row.orderNumber), orderId: textIn(row.orderId) };
  const unplaced = saysCancelled(row) ? 'was not to be called any more' : undefined;
  return calledInWords(dialledIn(row) ?? 'somebody', call, unplaced);
}

/**
 * Refuses once, in all tries of a retry by hand, calls that the log has as placed or cancelled. n8n may have saved nothing of
 * what the retried execution did: when it was killed, or when a person has stopped the execution.
 *
 * @throws NothingSent, which names the calls
 * @throws DataTableError
 */
export async function refuseIfLogged(
  { context, memory: { notes } }: OperationExecution,
  log: CallLog,
  calls: Array<ReadItem<JudgedCall>>,
): Promise<void> {
  const execution = context.getExecutionId();
  const isByHand = context.getMode() === 'retry' && !isTool(context);
  if (isByHand && notes.knowsCalls !== true) {
    const fresh = calls.filter(
      ({ remembered, request: { isTestCall, objection } }) =>
        !remembered.isEarlier && !isTestCall && objection === undefined,
    );
    const requests = fresh.map(({ request }) => request);
    const rows = await callsInLog(log, requests);
    const since = Date.now() - RETRIED_WITHIN_MS;
    // Other rounds of a loop, and other nodes, may call the same people.
    const known = new Set(orderIdsOf(context).map(String));
    const isUnknown = ({ orderId }: Row) => !known.has(textIn(orderId) ?? '');
    const found = rows
      .filter((row) => isUnknown(row) && (calledAt(row) ?? 0) >= since)
      .map(inWords);
    if (found.length > 0) notes.loggedBefore = refusalOf(execution, found);
  }
  notes.knowsCalls = true;
  if (notes.loggedBefore?.refused !== execution) return;
  const message = `In the last 24 hours the call log has calls like these: ${notes.loggedBefore.words}`;
  throw new NothingSent(message, ADVICE);
}

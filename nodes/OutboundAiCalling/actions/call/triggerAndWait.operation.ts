import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { outcomeIn } from '../../callLog/rowFacts';
import { readingAsInRow } from '../../service/readingAsInRow';
import { callStateOf } from '../../callLog/states';
import { isoTimeIn } from '../../callLog/table/cells';
import { putOnListAfter } from '../../callLog/table/doNotCallTable';
import { nextAttemptTime } from '../../callLog/ends/nextAttempt';
import { DataTables } from '../../dataTables/dataTables';
import { maxWaitMinutes, options, transcript } from '../../fields';
import { tellHint } from '../../hints';
import { defined } from '../../http/json';
import { errorMessage } from '../../nodeError';
import { endAwaited } from '../../callLog/placing/awaitedEnd';
import { callRules } from '../../rules/rules';
import type { PlacedCall, Read } from '../../service/callingService';
import { FIRST_LOOK_AFTER_MS, labelOfEnd, type Outcome } from '../../service/outcome';
import { simulatedOutcome } from '../../service/simulatedOutcome';
import type { ItemExecution } from '../itemWork';
import type { Operation } from '../operation';
import { callLogFields } from './callLogging';
import type { Attempt } from './callOutput';
import { placingFields } from './callRequest';
import { OUTCOME_FIELDS, outcomeItem } from '../../outcomeItem';
import type { Placement } from './askedCall';
import { eachCall, placementOptions, readPlacement } from './placement';
import { readMaxWait, waitForOutcome, type WaitResult } from './waiting';

const readLater = (orderId: number) =>
  `The call was placed. Do not place it again: read its outcome with Call > Get Outcome and the Call ID at the Service ${orderId}.`;

/** Waits for the outcome. The customer has been called, so a failure to read goes into the item. */
async function outcomeItemOf(
  { result: { orderId } }: Read<PlacedCall>,
  placement: Placement,
  { context, service, cancelled, stop, presentation }: ItemExecution,
): Promise<IDataObject> {
  const { request, waitMs, stored, row, simulatedOutcome: label } = placement;
  // After another item has failed, only an outcome that is stored too is waited for.
  const signal = stored === undefined ? AbortSignal.any([cancelled, stop.signal]) : cancelled;
  // Other calls may wait for this one.
  const beforeLook = async () => await row?.rows.renewAhead().catch(() => {});
  const look = { firstPauseMs: FIRST_LOOK_AFTER_MS, isKnown: true, beforeLook };
  const wait = { ...look, maxWaitMs: waitMs, signal };
  const { customerPhone, orderNumber } = request;
  const own = { customerPhone, ...defined({ orderNumber }) };
  const { reading, failure }: WaitResult =
    label === undefined
      ? await waitForOutcome(service, orderId, wait)
      : { reading: simulatedOutcome(label, { ...request, orderId }), isKnown: true };
  if (!reading.finished) {
    // After a failed look nobody knows whether the call goes on.
    placement.outlasts = failure === undefined && !signal.aborted;
    // The advice of the failure is for an operation that only reads: to run this one again is to call again.
    const error = failure && { outcomeError: `${failure.message}. ${readLater(orderId)}` };
    const open = outcomeItem(reading, orderId, presentation, own);
    // In every form of the output: they identify the call.
    return { ...open, orderId, ...own, ...error, ...unheardIn(placement, context) };
  }
  const { inRow, fields } = await endedAttempt(placement, reading.result, context);
  const ended = inRow === undefined ? reading : readingAsInRow(reading, inRow);
  return { ...outcomeItem(ended, orderId, presentation, own), ...fields };
}

/** Tells why a person could not be put on the do-not-call list, or may not have been, if so. */
function tellUnlisted(
  doNotCallError: string | undefined,
  context: IExecuteFunctions,
): { doNotCallError?: string } {
  if (doNotCallError === undefined) return {};
  tellHint(context, doNotCallError, 'warning');
  return { doNotCallError };
}

/** Without a call log, nobody hears the outcome of a call for which the execution waits no more. */
function unheardIn({ row, stored, request }: Placement, context: IExecuteFunctions) {
  if (row !== undefined || stored?.rules.doNotCallOutcomes === undefined) return {};
  const message = `${request.customerPhone} is not put on the do-not-call list, however the call ends: its outcome did not come while this node waited, and there is no call log. Read the outcome with Get Outcome, or choose a call log that a trigger watches`;
  return tellUnlisted(message, context);
}

/**
 * Writes the end of a call into the log, and puts a person who asked for it on the do-not-call
 * list. A simulated call puts nobody on the list.
 *
 * @returns the outcome in the row, which another process may have written first, and what the item says
 * about second attempts and about a list that could not be written, in every form of the output
 */
async function endedAttempt(
  { row, stored, request, simulatedOutcome: label }: Placement,
  outcome: Outcome,
  context: IExecuteFunctions,
) {
  const next = (nextAttemptAt: string | null): Partial<Attempt> =>
    stored?.retry === undefined ? {} : { attempt: 1, nextAttemptAt };
  if (label !== undefined) {
    return { fields: next(nextAttemptTime(stored?.retry, 1, labelOfEnd(outcome), Date.now())) };
  }
  const written = row && (await endAwaited(row, outcome));
  if (written === undefined) {
    // The log may be full, or its row deleted: this node may be the only one that hears of the wish.
    const unlisted = await listUnlogged(request, stored?.rules, outcome, context);
    return { fields: tellUnlisted(unlisted, context) };
  }
  const { end, unlisted } = written;
  const inRow = callStateOf(end) === 'ended' ? outcomeIn(end) : undefined;
  return {
    inRow,
    fields: { ...tellUnlisted(unlisted, context), ...next(isoTimeIn(end.nextAttemptAt)) },
  };
}

/** Puts a person on the do-not-call list when no end is written for it; returns why this failed, if so. */
async function listUnlogged(
  { customerPhone: phone, orderNumber }: Placement['request'],
  rules: unknown,
  outcome: Outcome,
  context: IExecuteFunctions,
): Promise<string | undefined> {
  const ended = { rules, phone, orderNumber, outcome: labelOfEnd(outcome) };
  return await putOnListAfter(ended, async () => await DataTables.open(context)).catch(
    (error: unknown) => `${phone} could not be put on the do-not-call list: ${errorMessage(error)}`,
  );
}

export const triggerAndWait: Operation = {
  option: {
    name: 'Call Customer and Wait',
    value: 'triggerAndWait',
    description:
      'Telephone one real person now, following a script, wait until the call has ended, and return its outcome',
    action: 'Call customer and wait',
  },
  fields: [
    ...placingFields([...OUTCOME_FIELDS, 'customerPhone']),
    ...callLogFields,
    callRules,
    options(
      ...placementOptions,
      {
        ...maxWaitMinutes,
        description: `${maxWaitMinutes.description} A person with several items gets one call after the other.`,
      },
      transcript,
    ),
  ],
  execute: eachCall(
    (parameters) => readPlacement(parameters, readMaxWait(parameters)),
    outcomeItemOf,
  ),
};

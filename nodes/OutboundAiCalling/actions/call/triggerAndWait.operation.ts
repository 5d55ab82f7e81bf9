import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isoTimeIn } from '../../callLog/table/cells';
import { entryAfter, putOnList } from '../../callLog/table/doNotCallTable';
import { nextAttemptTime } from '../../callLog/ends/nextAttempt';
import { DataTables } from '../../dataTables/dataTables';
import { maxWaitMinutes, options, transcript } from '../../fields';
import { tellHint } from '../../hints';
import { errorMessage } from '../../nodeError';
import { recordEnd } from '../../callLog/placing/loggedCalls';
import { callRules } from '../../rules/rules';
import { keyOfEnd, type Outcome } from '../../service/outcome';
import { simulatedOutcome } from '../../service/simulatedOutcome';
import { eachItem, type ItemExecution } from '../eachItem';
import { asNotCalled } from '../notCalled';
import type { Operation } from '../operation';
import { callLogFields } from './callLogging';
import type { Attempt } from './callOutput';
import { placingFields } from './callRequest';
import { OUTCOME_FIELDS, outcomeItem } from './outcomeItem';
import {
  outputOf,
  placeCall,
  placementOptions,
  placingWork,
  readPlacement,
  type Placement,
} from './placement';
import { FIRST_PAUSE_MS, readMaxWait, waitForOutcome, type WaitResult } from './waiting';

/**
 * Waits for the outcome of a placed call. The customer has been called, so a failure to read goes
 * into the item, and other items go on waiting.
 */
async function outcomeOf(
  orderId: number,
  placement: Placement,
  { context, service, cancelled, stop, presentation }: ItemExecution,
): Promise<IDataObject> {
  const signal = AbortSignal.any([cancelled, stop.signal]);
  const { request, waitMs, simulatedOutcome: label } = placement;
  const wait = { firstPauseMs: FIRST_PAUSE_MS, maxWaitMs: waitMs, signal };
  const { customerPhone, orderNumber } = request;
  const { reading, failure }: WaitResult =
    label === undefined
      ? await waitForOutcome(service, orderId, wait)
      : { reading: simulatedOutcome(label, { ...request, orderId }) };
  const item = outcomeItem(reading, orderId, presentation, {
    customerPhone,
    ...(reading.finished && orderNumber !== undefined ? { orderNumber } : {}),
  });
  // In every form of the output: they identify the call, and say whether another attempt follows.
  const always = reading.finished
    ? await endedAttempt(placement, reading.result, context)
    : { orderId, customerPhone };
  const error = failure && { outcomeError: `${failure.message}. ${failure.advice}` };
  return { ...item, ...always, ...error };
}

/**
 * Writes the end of a call into the log, and puts a person who asked for it on the do-not-call
 * list. A simulated call puts nobody on the list.
 *
 * @returns what the item says about second attempts, and why the list could not be written
 */
async function endedAttempt(
  { row, stored, request, simulatedOutcome: label }: Placement,
  outcome: Outcome,
  context: IExecuteFunctions,
): Promise<Partial<Attempt> & { doNotCallError?: string }> {
  if (row === undefined && label === undefined) {
    return listProblem(await listUnlogged(request, stored?.rules, outcome, context), context);
  }
  if (label !== undefined) {
    const ended = { attempt: 1, endKey: keyOfEnd(outcome), endedAt: Date.now() };
    return nextOf(stored, nextAttemptTime({ ...ended, retry: stored?.retry }));
  }
  const written = row && (await recordEnd(row, outcome));
  if (written === undefined) return {};
  return {
    ...listProblem(written.unlisted, context),
    ...nextOf(stored, isoTimeIn(written.end.nextAttemptAt)),
  };
}

/** What the item says about second attempts. */
function nextOf(stored: Placement['stored'], nextAttemptAt: string | null): Partial<Attempt> {
  return stored?.retry === undefined ? {} : { attempt: 1, nextAttemptAt };
}

/** What the item says when the do-not-call list could not be written; a hint says it too. */
function listProblem(
  doNotCallError: string | undefined,
  context: IExecuteFunctions,
): { doNotCallError?: string } {
  if (doNotCallError === undefined) return {};
  tellHint(context, doNotCallError, 'warning');
  return { doNotCallError };
}

/** Puts a person on the do-not-call list when there is no log; returns why this failed, if so. */
async function listUnlogged(
  { customerPhone: phone, orderNumber }: Placement['request'],
  rules: unknown,
  outcome: Outcome,
  context: IExecuteFunctions,
): Promise<string | undefined> {
  const key = keyOfEnd(outcome);
  const label = outcome.callOutcome ?? key;
  const entry = entryAfter({ rules, phone, orderNumber, outcome: { key, label } });
  if (entry === undefined) return undefined;
  return await DataTables.open(context)
    .then(async (tables) => await putOnList(tables, entry))
    .catch(
      (error: unknown) =>
        `${phone} could not be put on the do-not-call list: ${errorMessage(error)}`,
    );
}

export const triggerAndWait: Operation = {
  option: {
    name: 'Call Customer and Wait',
    value: 'triggerAndWait',
    description:
      'Telephone one real person now, by script, wait until the call has ended, and return its outcome',
    action: 'Call customer and wait',
  },
  fields: [
    ...placingFields([...OUTCOME_FIELDS, 'customerPhone']),
    ...callLogFields,
    callRules,
    options(...placementOptions, maxWaitMinutes, transcript),
  ],
  hasNotCalledOutput: true,
  execute: eachItem<Placement>({
    ...placingWork,
    read: (parameters) => readPlacement(parameters, readMaxWait(parameters)),
    async perform(placement, item) {
      const placed = await placeCall(placement, item);
      if ('skipped' in placed) return asNotCalled(outputOf(placed.skipped, placement));
      const outcome = await outcomeOf(placed.read.result.orderId, placement, item);
      return outputOf(outcome, placement);
    },
  }),
};

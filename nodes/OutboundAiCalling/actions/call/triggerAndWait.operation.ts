import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isoTime } from '../../callLog/table/cells';
import { entryAfter, putOnList } from '../../callLog/table/doNotCallTable';
import type { RetryPlan } from '../../callLog/placing/loggedRequest';
import { nextAttemptAfter } from '../../callLog/ends/nextAttempt';
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

interface PlacementToWaitFor {
  placement: Placement;
  maxWaitMs: number;
}

/**
 * The outcome of a call that was placed. The customer was called whatever becomes of the reading, so
 * a failure to read stands in the item and ends no other item's waiting.
 */
async function outcomeOf(
  orderId: number,
  { placement, maxWaitMs }: PlacementToWaitFor,
  { context, service, cancelled, stop, presentation }: ItemExecution,
): Promise<IDataObject> {
  const signal = AbortSignal.any([cancelled, stop.signal]);
  const wait = { firstPauseMs: FIRST_PAUSE_MS, maxWaitMs, signal };
  const { request, simulatedOutcome: label } = placement;
  const { customerPhone } = request;
  const { reading, failure }: WaitResult =
    label === undefined
      ? await waitForOutcome(service, orderId, wait)
      : { reading: simulatedOutcome(label, { ...request, orderId }) };
  const item = outcomeItem(reading, orderId, presentation, { customerPhone });
  // Whatever the form: without them nobody finds the call again, or knows that another follows.
  const always = reading.finished
    ? await endedAttempt(placement, reading.result, context)
    : { orderId, customerPhone };
  const error = failure && { outcomeError: `${failure.message}. ${failure.advice}` };
  return { ...item, ...always, ...error };
}

/**
 * Has the log tell how the call ended, which puts on the do-not-call list who asked for it; gives what the
 * item says of second attempts. A simulated call puts nobody on the list.
 */
async function endedAttempt(
  { row, kept, request, simulatedOutcome: label }: Placement,
  outcome: Outcome,
  context: IExecuteFunctions,
): Promise<Partial<Attempt> & { doNotCallError?: string }> {
  if (row === undefined && label === undefined) {
    const doNotCallError = await listUnlogged(request, kept?.rules, outcome, context);
    return doNotCallError === undefined ? {} : { doNotCallError };
  }
  const nextAttemptAt =
    label === undefined
      ? row && (await recordEnd(row, outcome))
      : simulatedAttempt(kept?.retry, outcome);
  if (kept?.retry === undefined || nextAttemptAt === undefined) return {};
  return { attempt: 1, nextAttemptAt };
}

/** Without a log the execution itself puts on the list who asked for it; gives why it could not. */
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
  const told = await DataTables.open(context)
    .then(async (tables) => await putOnList(tables, entry))
    .catch((error: unknown) => `${phone} is not on the do-not-call list: ${errorMessage(error)}`);
  if (told !== undefined) tellHint(context, told, 'warning');
  return told;
}

/** When a call that was only simulated would be placed again. */
function simulatedAttempt(retry: RetryPlan | undefined, outcome: Outcome): string | null {
  const ended = { attempt: 1, retry, endKey: keyOfEnd(outcome), endedAt: Date.now() };
  const next = nextAttemptAfter(ended);
  return next === undefined ? null : isoTime(next.dueAt);
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
  execute: eachItem<PlacementToWaitFor>({
    ...placingWork(({ placement }) => placement),
    read: (parameters) => {
      const maxWaitMs = readMaxWait(parameters);
      return { placement: readPlacement(parameters, maxWaitMs), maxWaitMs };
    },
    async perform(request, item) {
      const { placement } = request;
      const placed = await placeCall(placement, item);
      if ('skipped' in placed) return asNotCalled(outputOf(placed.skipped, placement));
      const outcome = await outcomeOf(placed.read.result.orderId, request, item);
      return outputOf(outcome, placement);
    },
  }),
};

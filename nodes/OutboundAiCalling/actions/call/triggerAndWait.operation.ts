import type { IDataObject } from 'n8n-workflow';
import { maxWaitMinutes, options } from '../../fields';
import { callRules } from '../../rules/rules';
import { eachItem, type ItemExecution } from '../eachItem';
import type { Operation } from '../operation';
import { callLogFields } from './callLogging';
import { placingFields } from './callRequest';
import { asNotCalled } from './notCalledOutput';
import { OUTCOME_FIELDS, outcomeItem } from './outcomeItem';
import {
  outputOf,
  placeCall,
  placementOptions,
  placingWork,
  readPlacement,
  type Placement,
} from './placement';
import { FIRST_PAUSE_MS, readMaxWait, waitForOutcome } from './waiting';

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
  { service, cancelled, stop, presentation }: ItemExecution,
): Promise<IDataObject> {
  const signal = AbortSignal.any([cancelled, stop.signal]);
  const wait = { firstPauseMs: FIRST_PAUSE_MS, maxWaitMs, signal };
  const { reading, failure } = await waitForOutcome(service, orderId, wait);
  if (reading.finished) await placement.row?.ended(reading.result);
  const { customerPhone } = placement.request;
  const item = outcomeItem(reading, orderId, presentation, { customerPhone });
  if (failure === undefined) return item;
  return { ...item, outcomeError: `${failure.message}. ${failure.advice}` };
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
    options(...placementOptions, maxWaitMinutes),
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

import { eachItem } from '../eachItem';
import { maxWaitMinutes, options } from '../../fields';
import type { Operation } from '../operation';
import { callLogFields } from './callLogging';
import { placingFields } from './callRequest';
import { outcomeItem } from './outcomeItem';
import {
  logPlacements,
  placeCall,
  placementOptions,
  readPlacement,
  withLogProblem,
} from './placement';
import { readMaxWait, waitForOutcome } from './waiting';

export const triggerAndWait: Operation = {
  option: {
    name: 'Trigger and Wait',
    value: 'triggerAndWait',
    description: 'Call a customer now and wait until the call has ended',
    action: 'Trigger a call and wait for its outcome',
  },
  fields: [...placingFields, ...callLogFields, options(...placementOptions, maxWaitMinutes)],
  execute: eachItem({
    read: (parameters) => ({
      placement: readPlacement(parameters),
      maxWaitMs: readMaxWait(parameters),
    }),
    isCall: true,
    beforehand: async (context, requests) =>
      await logPlacements(
        context,
        requests.map(({ placement }) => placement),
      ),
    async perform({ placement, maxWaitMs }, desk) {
      const placed = await placeCall(placement, desk);
      if ('skipped' in placed) return withLogProblem({ ...placed }, placement);
      const { orderId } = placed.result;
      const reading = await waitForOutcome(desk.service, orderId, maxWaitMs, desk.signal);
      if (reading.finished) {
        await placement.logged?.write(
          async (log, entry) => await log.finished(entry, reading.result),
        );
      }
      const item = outcomeItem(reading, orderId, desk);
      const { customerPhone } = placement.request;
      return withLogProblem(desk.simplify ? { ...item, customerPhone } : item, placement);
    },
  }),
};

import { eachItem } from '../eachItem';
import { maxWaitMinutes, options } from '../fields';
import type { Operation } from '../operation';
import { placingFields } from './callRequest';
import { outcomeItem } from './outcomeItem';
import { placeCall, placementOptions, readPlacement } from './placement';
import { readMaxWait, waitForOutcome } from './waiting';

export const triggerAndWait: Operation = {
  option: {
    name: 'Trigger and Wait',
    value: 'triggerAndWait',
    description: 'Call a customer now and wait until the call has ended',
    action: 'Trigger a call and wait for its outcome',
  },
  fields: [...placingFields, options(...placementOptions, maxWaitMinutes)],
  execute: eachItem({
    read: (parameters) => ({
      placement: readPlacement(parameters),
      maxWaitMs: readMaxWait(parameters),
    }),
    isCall: true,
    async perform({ placement, maxWaitMs }, desk) {
      const placed = await placeCall(placement, desk);
      if ('skipped' in placed) return { ...placed };
      const { orderId } = placed.result;
      const reading = await waitForOutcome(desk.service, orderId, maxWaitMs, desk.signal);
      const item = outcomeItem(reading, orderId, desk);
      const { customerPhone } = placement.request;
      return desk.simplify ? { ...item, customerPhone } : item;
    },
  }),
};

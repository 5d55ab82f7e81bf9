import { eachItem } from '../eachItem';
import {
  concurrency,
  defaultCountry,
  maxWaitMinutes,
  options,
  requestTimeoutSeconds,
} from '../fields';
import type { Operation } from '../operation';
import { outcomeItem } from './outcomeItem';
import { placingFields, readCallRequest } from './placing';
import { readMaxWait, waitForOutcome } from './waiting';

export const triggerAndWait: Operation = {
  option: {
    name: 'Trigger and Wait',
    value: 'triggerAndWait',
    description: 'Call a customer now and wait until the call has ended',
    action: 'Trigger a call and wait for its outcome',
  },
  fields: [
    ...placingFields,
    options(concurrency, defaultCountry, maxWaitMinutes, requestTimeoutSeconds),
  ],
  execute: eachItem({
    read: (parameters) => ({
      request: readCallRequest(parameters),
      maxWaitMs: readMaxWait(parameters),
    }),
    async perform({ request, maxWaitMs }, desk, notePlaced) {
      const { result } = await desk.service.triggerCall(request);
      notePlaced(result);
      const { orderId } = result;
      const reading = await waitForOutcome(desk.service, orderId, maxWaitMs, desk.signal);
      const item = outcomeItem(reading, orderId, desk);
      return desk.simplify ? { ...item, customerPhone: request.customerPhone } : item;
    },
  }),
};

import { eachItem } from '../eachItem';
import { concurrency, defaultCountry, options, requestTimeoutSeconds } from '../fields';
import type { Operation } from '../operation';
import { placingFields, readCallRequest } from './placing';

export const trigger: Operation = {
  option: {
    name: 'Trigger',
    value: 'trigger',
    description: 'Call a customer now and go on without waiting for the outcome',
    action: 'Trigger a call',
  },
  fields: [...placingFields, options(concurrency, defaultCountry, requestTimeoutSeconds)],
  execute: eachItem({
    read: readCallRequest,
    async perform(request, { service, present }, notePlaced) {
      const { result, body } = await service.triggerCall(request);
      notePlaced(result);
      const { orderId, scriptId, callStatus, message } = result;
      const { customerPhone, orderNumber } = request;
      const tidy = {
        orderId,
        scriptId,
        callStatus,
        customerPhone,
        ...(orderNumber === undefined ? {} : { orderNumber }),
        message,
      };
      return present({ result: tidy, body });
    },
  }),
};

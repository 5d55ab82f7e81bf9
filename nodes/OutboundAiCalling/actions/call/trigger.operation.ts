import { eachItem } from '../eachItem';
import { options } from '../../fields';
import type { Operation } from '../operation';
import { callLogFields } from './callLogging';
import { placingFields } from './callRequest';
import {
  logPlacements,
  placeCall,
  placementOptions,
  readPlacement,
  withLogProblem,
} from './placement';

export const trigger: Operation = {
  option: {
    name: 'Trigger',
    value: 'trigger',
    description: 'Call a customer now and go on without waiting for the outcome',
    action: 'Trigger a call',
  },
  fields: [...placingFields, ...callLogFields, options(...placementOptions)],
  execute: eachItem({
    read: readPlacement,
    isCall: true,
    beforehand: logPlacements,
    async perform(placement, desk) {
      const placed = await placeCall(placement, desk);
      if ('skipped' in placed) return withLogProblem({ ...placed }, placement);
      const { orderId, scriptId, callStatus, message } = placed.result;
      const { customerPhone, orderNumber } = placement.request;
      const tidy = {
        orderId,
        scriptId,
        callStatus,
        customerPhone,
        ...(orderNumber === undefined ? {} : { orderNumber }),
        message,
      };
      return withLogProblem(desk.present({ result: tidy, body: placed.body }), placement);
    },
  }),
};

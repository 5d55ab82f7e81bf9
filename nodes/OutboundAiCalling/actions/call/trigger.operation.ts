import { options } from '../../fields';
import { callRules } from '../../rules/rules';
import { eachItem } from '../eachItem';
import type { Operation } from '../operation';
import { callLogFields } from './callLogging';
import { placingFields } from './callRequest';
import { asNotCalled } from './notCalledOutput';
import {
  outputOf,
  placeCall,
  placementOptions,
  placingWork,
  readPlacement,
  type Placement,
} from './placement';

export const trigger: Operation = {
  option: {
    name: 'Trigger',
    value: 'trigger',
    description: 'Call a customer now and go on without waiting for the outcome',
    action: 'Trigger a call',
  },
  fields: [...placingFields, ...callLogFields, callRules, options(...placementOptions)],
  hasNotCalledOutput: true,
  execute: eachItem<Placement>({
    ...placingWork((placement) => placement),
    read: readPlacement,
    async perform(placement, item) {
      const placed = await placeCall(placement, item);
      if ('skipped' in placed) return asNotCalled(outputOf(placed.skipped, placement));
      const { result, body } = placed.read;
      const { orderId, scriptId, callStatus, message } = result;
      const { customerPhone, orderNumber } = placement.request;
      const tidy = {
        orderId,
        scriptId,
        callStatus,
        customerPhone,
        ...(orderNumber === undefined ? {} : { orderNumber }),
        message,
      };
      return outputOf(item.present({ result: tidy, body }), placement);
    },
  }),
};

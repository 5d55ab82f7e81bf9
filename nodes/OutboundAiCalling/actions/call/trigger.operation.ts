import { options } from '../../fields';
import { callRules } from '../../rules/rules';
import { eachItem } from '../eachItem';
import type { Operation } from '../operation';
import { callLogFields } from './callLogging';
import { placingFields } from './callRequest';
import { placedItem } from './placedItem';
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
      if ('skipped' in placed) return outputOf(placed.skipped, placement);
      const { result, body } = placed.read;
      const tidy = placedItem(placement.request, result);
      return outputOf(item.present({ result: tidy, body }), placement);
    },
  }),
};

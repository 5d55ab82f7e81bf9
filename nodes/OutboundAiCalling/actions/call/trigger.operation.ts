import { options } from '../../fields';
import { callRules } from '../../rules/rules';
import { eachItem } from '../eachItem';
import { asNotCalled } from '../notCalled';
import type { Operation } from '../operation';
import { shown } from '../presentation';
import { callLogFields } from './callLogging';
import { PLACED_FIELDS } from './callOutput';
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
    name: 'Call Customer',
    value: 'trigger',
    description:
      'Telephone one real person now, by script, and go on without waiting. Returns orderId, the number of the call.',
    action: 'Call customer',
  },
  fields: [
    ...placingFields(PLACED_FIELDS),
    ...callLogFields,
    callRules,
    options(...placementOptions),
  ],
  hasNotCalledOutput: true,
  execute: eachItem<Placement>({
    ...placingWork,
    read: readPlacement,
    async perform(placement, item) {
      const placed = await placeCall(placement, item);
      if ('skipped' in placed) return asNotCalled(outputOf(placed.skipped, placement));
      const { result, body } = placed.read;
      const tidy = placedItem(placement.request, result);
      return outputOf(shown(item.presentation, { result: tidy, body }), placement);
    },
  }),
};

import { options } from '../../fields';
import { callRules } from '../../rules/rules';
import type { Operation } from '../operation';
import { shown } from '../../presentation';
import { callLogFields } from './callLogging';
import { PLACED_FIELDS, placedItem } from './callOutput';
import { placingFields } from './callRequest';
import { eachCall, placementOptions, readPlacement } from './placement';

export const trigger: Operation = {
  option: {
    name: 'Call Customer',
    value: 'trigger',
    description:
      'Telephone one real person now, following a script, and go on without waiting. Returns orderId, the number of the call.',
    action: 'Call customer',
  },
  fields: [
    ...placingFields(PLACED_FIELDS),
    ...callLogFields,
    callRules,
    options(...placementOptions),
  ],
  execute: eachCall(readPlacement, ({ result, body }, { request }, { presentation }) =>
    shown(presentation, { result: placedItem(request, result), body }),
  ),
};

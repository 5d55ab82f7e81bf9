import type { Resource } from '../operation';
import { cancelScheduled } from './cancelScheduled.operation';
import { getOutcome } from './getOutcome.operation';
import { placeScheduled } from './placeScheduled.operation';
import { schedule } from './schedule.operation';
import { trigger } from './trigger.operation';
import { triggerAndWait } from './triggerAndWait.operation';

export const call: Resource = {
  option: { name: 'Call', value: 'call' },
  operations: [trigger, triggerAndWait, schedule, placeScheduled, cancelScheduled, getOutcome],
  usual: trigger,
};

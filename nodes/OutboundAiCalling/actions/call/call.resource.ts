import type { Operation, Resource } from '../operation';
import { cancelScheduled } from './cancelScheduled.operation';
import { getOutcome } from './getOutcome.operation';
import { placeScheduled } from './placeScheduled.operation';
import { schedule } from './schedule.operation';
import { trigger } from './trigger.operation';
import { triggerAndWait } from './triggerAndWait.operation';

const operations: Operation[] = [
  trigger,
  triggerAndWait,
  schedule,
  placeScheduled,
  cancelScheduled,
  getOutcome,
];

export const call: Resource = {
  option: { name: 'Call', value: 'call' },
  operationList: {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    options: operations.map(({ option }) => option),
    default: 'trigger',
  },
  operations,
};

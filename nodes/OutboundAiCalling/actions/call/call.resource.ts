import type { Operation, Resource } from '../operation';
import { getOutcome } from './getOutcome.operation';
import { trigger } from './trigger.operation';
import { triggerAndWait } from './triggerAndWait.operation';

const operations: Operation[] = [trigger, triggerAndWait, getOutcome];

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

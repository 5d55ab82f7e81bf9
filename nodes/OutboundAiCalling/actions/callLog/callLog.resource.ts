import type { Operation, Resource } from '../operation';
import { prune } from './prune.operation';
import { report } from './report.operation';

const operations: Operation[] = [prune, report];

export const callLog: Resource = {
  option: { name: 'Call Log', value: 'callLog' },
  operationList: {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    options: operations.map(({ option }) => option),
    default: 'report',
  },
  operations,
};

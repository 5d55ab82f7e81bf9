import type { Operation, Resource } from '../operation';
import { create } from './create.operation';
import { pause } from './pause.operation';
import { resume } from './resume.operation';
import { start } from './start.operation';
import { stop } from './stop.operation';

const operations: Operation[] = [create, start, pause, resume, stop];

export const campaign: Resource = {
  option: { name: 'Campaign', value: 'campaign' },
  operationList: {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    options: operations.map(({ option }) => option),
    default: 'create',
  },
  operations,
};

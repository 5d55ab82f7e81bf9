import type { Resource } from '../operation';
import { prune } from './prune.operation';
import { report } from './report.operation';

export const callLog: Resource = {
  option: { name: 'Call Log', value: 'callLog' },
  operations: [prune, report],
  usual: report,
};

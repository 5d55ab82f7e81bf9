import type { Resource } from '../operation';
import { create } from './create.operation';
import { pause } from './pause.operation';
import { resume } from './resume.operation';
import { start } from './start.operation';
import { stop } from './stop.operation';

export const campaign: Resource = {
  option: { name: 'Campaign', value: 'campaign' },
  operations: [create, start, pause, resume, stop],
  usual: create,
};

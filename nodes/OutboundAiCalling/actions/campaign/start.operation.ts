import { controlOperation } from './control';

export const start = controlOperation('start', {
  name: 'Start',
  value: 'start',
  description: 'Start a campaign that has not been started: its people are called now',
  action: 'Start campaign',
});

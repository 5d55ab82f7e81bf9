import { controlOperation } from './control';

export const start = controlOperation('start', {
  name: 'Start',
  value: 'start',
  description: 'Start dialling a campaign that has not been started',
  action: 'Start campaign',
});

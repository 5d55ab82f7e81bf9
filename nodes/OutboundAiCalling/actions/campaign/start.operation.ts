import { controlOperation } from './control';

export const start = controlOperation('start', {
  name: 'Start',
  value: 'start',
  description: 'Have the people of a campaign telephoned now that has not been started',
  action: 'Start campaign',
});

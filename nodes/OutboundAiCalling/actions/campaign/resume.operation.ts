import { controlOperation } from './control';

export const resume = controlOperation('resume', {
  name: 'Resume',
  value: 'resume',
  description: 'Resume a paused campaign where it stopped: people are called again',
  action: 'Resume campaign',
});

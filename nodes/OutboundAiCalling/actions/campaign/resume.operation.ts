import { controlOperation } from './control';

export const resume = controlOperation('resume', {
  name: 'Resume',
  value: 'resume',
  description: 'Go on dialling where a paused campaign left off',
  action: 'Resume campaign',
});

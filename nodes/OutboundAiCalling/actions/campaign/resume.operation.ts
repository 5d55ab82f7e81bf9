import { controlOperation } from './control';

export const resume = controlOperation('resume', {
  name: 'Resume',
  value: 'resume',
  description: 'Have people telephoned again where a paused campaign left off',
  action: 'Resume campaign',
});

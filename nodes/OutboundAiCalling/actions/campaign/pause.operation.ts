import { controlOperation } from './control';

export const pause = controlOperation('pause', {
  name: 'Pause',
  value: 'pause',
  description: 'Have a campaign call nobody else for now; the progress is kept',
  action: 'Pause campaign',
});

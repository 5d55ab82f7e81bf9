import { controlOperation } from './control';

export const pause = controlOperation('pause', {
  name: 'Pause',
  value: 'pause',
  description: 'Stop dialling for now; the progress is kept',
  action: 'Pause campaign',
});

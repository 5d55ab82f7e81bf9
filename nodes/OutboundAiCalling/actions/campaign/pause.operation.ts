import { controlOperation } from './control';

export const pause = controlOperation('pause', {
  name: 'Pause',
  value: 'pause',
  description: 'Stop a campaign from calling anybody else until it is resumed',
  action: 'Pause campaign',
});

import { notice } from '../../fields';
import { controlOperation } from './control';

export const stop = controlOperation(
  'stop',
  {
    name: 'Stop',
    value: 'stop',
    description: 'End a campaign for good: it cannot be started again',
    action: 'Stop campaign',
  },
  notice(
    'stopNotice',
    'Stopping is final: a stopped campaign cannot be started again. To go on later, use Pause. Some services have no stop; the error then says so.',
  ),
);

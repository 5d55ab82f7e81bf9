import { NothingSent } from '../../service/failure';
import type { ExecutionMemory } from './executionMemory';

/**
 * Refuses once to do what a retried execution may have done before n8n, or a person, stopped it: nobody knows what it
 * has done.
 *
 * @throws NothingSent
 */
export function refuseIfLost({ isLost }: Pick<ExecutionMemory, 'isLost'>): void {
  if (!isLost) return;
  throw new NothingSent(
    'Nothing is stored of what an earlier try of this execution did here: n8n was stopped, or the execution was',
    'Look in the call log or in the dashboard of the calling service who was called. To call all of them all the same, retry the execution that has this error. With "Prevent Duplicates", a retry calls only the others.',
  );
}

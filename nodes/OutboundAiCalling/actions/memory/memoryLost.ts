import { NothingSent } from '../../service/failure';
import type { ExecutionMemory } from './executionMemory';

/** Nobody knows what an earlier try of the execution has done. */
class MemoryLost extends NothingSent {
  override readonly name = 'MemoryLost';
  readonly advice =
    'Look in the call log or in the dashboard of the calling service who was called. To call all of them all the same, retry the execution that has this error. With "Prevent Duplicates", a retry calls only the others.';

  constructor() {
    super(
      'Nothing is stored of what an earlier try of this execution did here: n8n was stopped, or the execution was',
    );
  }
}

/**
 * Refuses once to do what a retried execution may have done before n8n, or a person, stopped it.
 *
 * @throws MemoryLost
 */
export function refuseIfLost({ isLost }: Pick<ExecutionMemory, 'isLost'>): void {
  if (isLost) throw new MemoryLost();
}

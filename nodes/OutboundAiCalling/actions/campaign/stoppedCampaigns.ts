import { mayHaveBeenProcessed } from '../../service/failure';
import type { OperationExecution } from '../execution';
import { noteForStop, refuseAfterStop } from '../stoppedExecutions';
import type { Result } from './createAndStart';
import { stateToTell } from './createdOutput';

/** Remembers campaigns that were created, or may have been, if their execution is stopped. */
export function noteCampaignsForStop(execution: OperationExecution, result: Result): void {
  const { created, failure } = result;
  for (const part of created) {
    const { campaignId } = part.read.result;
    noteForStop(execution, campaignId, `${campaignId} (${stateToTell(part)})`);
  }
  const isLost = failure !== undefined && mayHaveBeenProcessed(failure);
  if (isLost && !created.some(({ mayRun }) => mayRun)) {
    noteForStop(execution, execution.memory.id, 'perhaps one whose answer was lost');
  }
}

/**
 * Refuses once to create campaigns after a stopped execution has created some, whatever their lists: a
 * corrected list has other people.
 *
 * @throws NothingSent, which names them
 */
export function refuseCampaignsAfterStop(execution: OperationExecution): void {
  const advice =
    'Stopping does not take a campaign back: pause it with Campaign > Pause and that ID. To create another one all the same, execute this once more.';
  refuseAfterStop(execution, undefined, 'created campaigns', advice);
}

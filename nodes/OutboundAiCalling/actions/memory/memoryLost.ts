import { NothingSent } from '../../service/failure';
import { isTool, type OperationExecution } from '../execution';

/**
 * Refuses once to do what a retried execution may have done before n8n, or a person, stopped it: nobody knows what it
 * has done.
 *
 * @param ofCalls whether it places calls one by one, and so may have a call log and Prevent Duplicates
 * @throws NothingSent
 */
export function refuseIfLost({ context, memory }: OperationExecution, ofCalls: boolean): void {
  if (!memory.isLost) return;
  // An execution whose agent has heard of this does not fail, and n8n retries failed ones only.
  const again = isTool(context)
    ? 'To call all of them all the same, begin a new execution.'
    : 'To call all of them all the same, retry the execution that has this error.';
  const advice = ofCalls
    ? `Look in the call log or in the dashboard of the calling service who was called. ${again} With "Prevent Duplicates", a retry calls only the others.`
    : `Look in the dashboard of the calling service which campaigns were created. ${again}`;
  throw new NothingSent(
    'Nothing is stored of what an earlier try of this execution did here: n8n was stopped, or the execution was',
    advice,
  );
}

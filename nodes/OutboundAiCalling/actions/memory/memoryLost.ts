import { NothingSent } from '../../service/failure';
import { isTool, type OperationExecution } from '../execution';

/** Where a person sees what was done; and what calls only those who were not called. */
const LOOK = {
  calls: ['Look in the dashboard of the calling service who was called.', ''],
  callsInLog: [
    'Look in the call log or in the dashboard of the calling service who was called.',
    ' With "Prevent Duplicates" and the currently saved workflow, a retry calls only the others.',
  ],
  campaigns: ['Look in the dashboard of the calling service which campaigns were created.', ''],
} as const;

/**
 * Refuses once to do what a retried execution may have done before n8n, or a person, stopped it: nobody knows what it
 * has done.
 *
 * @throws NothingSent
 */
export function refuseIfLost(
  { context, memory }: OperationExecution,
  what: keyof typeof LOOK,
): void {
  if (!memory.isLost) return;
  memory.noteLossTold();
  const [look, others] = LOOK[what];
  // An execution whose agent has heard of this does not fail, and n8n retries failed ones only.
  const again = isTool(context)
    ? 'begin a new execution'
    : 'retry the execution that has this error';
  throw new NothingSent(
    'Nothing is stored of what an earlier try of this execution did here: n8n was stopped, or the execution was',
    `${look} To call all of them all the same, ${again}.${others}`,
  );
}

import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';
import { NOBODY_CALLED } from '../nodeError';

/** Parts of a context that are not there outside of a workflow. */
interface Place {
  getWorkflow(): { id?: string | undefined };
  getExecutionId(): string | undefined;
}

function isOutside(context: IExecuteFunctions): boolean {
  const place: Place = context;
  if (context.getMode() !== 'internal') return false;
  return place.getWorkflow().id === undefined && place.getExecutionId() === undefined;
}

/**
 * Refuses to run outside of a workflow. Agents of n8n run their node tools so: each time as another node, without an
 * execution. Nothing would tell a second call from the first, or a trial from production.
 *
 * @throws NodeOperationError
 */
export function refuseOutsideWorkflow(context: IExecuteFunctions): void {
  if (!isOutside(context)) return;
  const message = `${NOBODY_CALLED}. n8n runs this node outside of a workflow, where it cannot know whom it has called`;
  throw new NodeOperationError(context.getNode(), message, {
    description: 'Put the node into a workflow, and give the agent that workflow as its tool.',
  });
}

import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';
import { NOBODY_CALLED } from '../nodeError';

/**
 * Refuses to run outside of a workflow. Agents of n8n run their node tools so: each time as another node, without an
 * execution. Nothing would tell a second call from the first, or a trial from production. n8n gives the agent the
 * message alone.
 *
 * @throws NodeOperationError
 */
export function refuseOutsideWorkflow(context: IExecuteFunctions): void {
  const place: { getExecutionId(): string | undefined } = context;
  if (context.getMode() !== 'internal' || place.getExecutionId() !== undefined) return;
  const message = `${NOBODY_CALLED}. n8n runs this node outside of a workflow, where the node cannot remember whom it has called. Put it into a workflow, and give the agent that workflow as its tool`;
  throw new NodeOperationError(context.getNode(), message);
}

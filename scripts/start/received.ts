import { type Execution, type N8nClient, errorOf, isOver, jsonOf } from '../n8n';
import type { PublishedWorkflows } from './workflows';

/** The outcomes with which the acting workflow was really started, read from its executions. */
export class ReceivedOutcomes {
  private readonly executionsRead = new Set<string>();
  /** What was decided, by order id; empty when the workflow did not come so far. */
  private readonly decisions = new Map<number, string>();
  /** What the last execution that failed, failed with. */
  lastError: string | undefined;

  constructor(
    private readonly client: N8nClient,
    private readonly workflow: PublishedWorkflows['orders'],
  ) {}

  /** Reads the executions that have ended since the last look. */
  async look(): Promise<void> {
    const summaries = await this.client.executionSummaries(this.workflow.workflowId);
    for (const summary of summaries) {
      if (!isOver(summary) || this.executionsRead.has(summary.id)) continue;
      this.read(await this.client.readExecution(summary.id));
      this.executionsRead.add(summary.id);
    }
  }

  /** @returns what was decided about a call; undefined when its outcome was not received */
  decisionOn(orderId: number): string | undefined {
    return this.decisions.get(orderId);
  }

  private read(execution: Execution): void {
    this.lastError = errorOf(execution)?.message ?? this.lastError;
    for (const { event, orderId } of jsonOf(execution, this.workflow.triggerNode)) {
      if (event === 'outcomeAvailable') this.decisions.set(Number(orderId), '');
    }
    const nodes = Object.keys(execution.data.resultData?.runData ?? {});
    for (const { orderId, decision } of nodes.flatMap((node) => jsonOf(execution, node))) {
      if (typeof decision !== 'string' || !this.decisions.has(Number(orderId))) continue;
      this.decisions.set(Number(orderId), decision);
    }
  }
}

import { type Execution, type N8nClient, errorOf, isOver, jsonOf } from '../n8n';
import type { PublishedWorkflows } from './workflows';

/** The outcomes with which the acting workflow was really started, read from its executions. */
export class ReceivedOutcomes {
  private readonly executionsRead = new Set<string>();
  /** What was decided, by order number; empty when the workflow did not come so far. */
  private readonly decisions = new Map<string, string>();
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

  /** @returns what was decided about an order; undefined when its last outcome was not received */
  decisionOn(orderNumber: string): string | undefined {
    return this.decisions.get(orderNumber);
  }

  private read(execution: Execution): void {
    this.lastError = errorOf(execution)?.message ?? this.lastError;
    for (const { event, orderNumber } of jsonOf(execution, this.workflow.triggerNode)) {
      if (event === 'outcomeAvailable') this.decisions.set(String(orderNumber), '');
    }
    const nodes = Object.keys(execution.data.resultData?.runData ?? {});
    for (const { orderNumber, decision } of nodes.flatMap((node) => jsonOf(execution, node))) {
      if (typeof decision !== 'string' || !this.decisions.has(String(orderNumber))) continue;
      this.decisions.set(String(orderNumber), decision);
    }
  }
}

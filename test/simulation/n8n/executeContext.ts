import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { commonContext, type ContextOptions } from './context';
import type { Database } from './database';
import { parameterOf } from './parameters';

export interface ExecuteContextOptions extends ContextOptions {
  database: Database;
  executionId: string;
  /** `trigger` unless it is given. */
  mode?: 'trigger' | 'manual' | 'retry';
  /** Whether n8n says of a retry that the node was executed before. */
  isExecuted?: boolean;
  items: INodeExecutionData[];
  /** Which round of a loop it is; the first, 0, when it is left out. */
  runIndex?: number;
  /** Whether the node leads to itself. */
  isInLoop?: boolean;
  /** What the node keeps through its tries. */
  nodeContext: IDataObject;
  cancelled: AbortSignal;
  hint(message: string): void;
  /** Takes as long as n8n's database does. */
  waitForDatabase(): Promise<void>;
}

/** What n8n gives to a node that is executed, as far as this package asks for it. */
export function executeContext(options: ExecuteContextOptions): IExecuteFunctions {
  const { items, database, workflow, runIndex = 0, waitForDatabase } = options;
  const { node, parameter, context } = commonContext(options);
  // Where a node has several runs, it is in a loop: each round follows from the one before.
  const sourcesOf = (round: number) =>
    round === 0 ? [] : [{ previousNode: node.name, previousNodeRun: round - 1 }];
  const earlierRounds = Array.from({ length: runIndex }, (_, round) => ({
    source: sourcesOf(round),
  }));
  const place = `${workflow.id} ${node.id}`;
  return {
    ...context,
    getExecutionId: () => options.executionId,
    getMode: () => options.mode ?? 'trigger',
    getInputData: () => items,
    getNodeParameter: (path: string, itemIndex: number, fallback?: unknown) =>
      parameter(path, items[itemIndex], fallback),
    evaluateExpression: (expression: string, itemIndex: number) =>
      parameterOf({ value: `=${expression}` }, 'value', items[itemIndex], undefined),
    continueOnFail: () => node.onError?.startsWith('continue') === true,
    getContext: () => options.nodeContext,
    getWorkflowDataProxy: () => ({
      $runIndex: runIndex,
      $: () => ({ isExecuted: options.isExecuted === true }),
    }),
    getParentNodes: (name: string) =>
      options.isInLoop === true && name === node.name ? [node] : [],
    getExecuteData: () => ({ source: { main: sourcesOf(runIndex) } }),
    runExecutionData: { resultData: { runData: { [node.name]: earlierRounds } } },
    getExecutionCancelSignal: () => options.cancelled,
    getExecutionContext: () => undefined,
    addExecutionHints: (...hints: Array<{ message: string }>) => {
      for (const { message } of hints) options.hint(message);
    },
    helpers: {
      ...context.helpers,
      async checkProcessedAndRecord(
        keys: unknown[],
        _scope: string,
        { maxEntries }: { maxEntries?: number },
      ) {
        await waitForDatabase();
        const output = database.claim(place, keys, maxEntries);
        await waitForDatabase();
        return output;
      },
      async removeProcessed(keys: unknown[]): Promise<void> {
        await waitForDatabase();
        database.release(place, keys);
        await waitForDatabase();
      },
    },
  } as unknown as IExecuteFunctions;
}

import type { IDataObject, INodeExecutionData, IPollFunctions, IRun } from 'n8n-workflow';
import { commonContext, type ContextOptions, type Deferred } from './context';

export interface PollContextOptions extends ContextOptions {
  staticData: IDataObject;
  budgetMs: number;
  /** Starts an execution. */
  emit(items: IDataObject[], done: Deferred<IRun | undefined> | undefined): void;
}

/** What n8n gives to a published trigger: one object for all its polls. */
export function pollContext(options: PollContextOptions): IPollFunctions {
  const { parameter, context } = commonContext(options);
  return {
    ...context,
    getMode: () => 'trigger',
    getActivationMode: () => 'activate',
    getNodeParameter: (path: string, fallback?: unknown) => parameter(path, undefined, fallback),
    getWorkflowStaticData: () => options.staticData,
    getPollBudgetMs: () => options.budgetMs,
    __emit: (data: INodeExecutionData[][], _response: unknown, done?: Deferred<IRun | undefined>) =>
      options.emit(data[0]?.map(({ json }) => json) ?? [], done),
  } as unknown as IPollFunctions;
}

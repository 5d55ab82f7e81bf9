import type {
  ExecutionError,
  ExecutionStatus,
  IDataObject,
  INodeExecutionData,
  IRunExecutionData,
  ITaskData,
} from 'n8n-workflow';

/** An execution as n8n's own list shows it. */
export interface ExecutionSummary {
  id: string;
  workflowId: string;
  status: ExecutionStatus;
  mode: string;
  finished: boolean;
  startedAt: string;
  stoppedAt?: string | null;
}

/** An execution with all that its nodes took in and gave out. */
export interface Execution extends ExecutionSummary {
  data: IRunExecutionData;
}

const STILL_GOING: ExecutionStatus[] = ['new', 'running', 'waiting', 'unknown'];

/** Whether an execution has come to its end, good or bad. */
export function isOver(execution: ExecutionSummary): boolean {
  return !STILL_GOING.includes(execution.status);
}

/** Whether an execution has ended and its data is there: n8n 1 writes the end first. */
export function isWhole(execution: Execution): boolean {
  const { data }: Partial<Execution> = execution;
  return isOver(execution) && data !== undefined;
}

/** The runs of one node, the first one first; none when it was not reached. */
export function runsOf(execution: Execution, node: string): ITaskData[] {
  return execution.data.resultData?.runData?.[node] ?? [];
}

/** The items that a node gave out, with their binary data, pairing and errors. */
export function itemsOf(
  execution: Execution,
  node: string,
  place: { run?: number; output?: number } = {},
): INodeExecutionData[] {
  return runsOf(execution, node)[place.run ?? 0]?.data?.main?.[place.output ?? 0] ?? [];
}

/** Only the JSON of the items that a node gave out. */
export function jsonOf(
  execution: Execution,
  node: string,
  place: { run?: number; output?: number } = {},
): IDataObject[] {
  return itemsOf(execution, node, place).map((item) => item.json);
}

/** The error that ended the execution, or with a name the one of that node's last run. */
export function errorOf(execution: Execution, node?: string): ExecutionError | undefined {
  if (node === undefined) return execution.data.resultData?.error;
  return runsOf(execution, node).at(-1)?.error;
}

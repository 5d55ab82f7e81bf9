import 'reflect-metadata';
import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
  createRunExecutionData,
  Workflow,
  type IDataObject,
  type INode,
  type INodeExecutionData,
  type INodeType,
  type INodeTypes,
  type IRun,
  type IWorkflowExecuteAdditionalData,
  type IWorkflowSettings,
} from 'n8n-workflow';
import { OutboundAiCalling } from '../../nodes/OutboundAiCalling/OutboundAiCalling.node';
import { OneCredential } from './oneCredential';

const NODE_NAME = 'Outbound AI Calling';

const nodeTypes: INodeTypes = {
  getByName: () => new OutboundAiCalling(),
  getByNameAndVersion: () => new OutboundAiCalling() as INodeType,
  getKnownTypes: () => ({}),
};

export interface Execution {
  /** What the node gave out, in order. */
  items: INodeExecutionData[];
  /** Why the execution failed, when it did. */
  error: (Error & { description?: string | null; context?: IDataObject }) | undefined;
  run: IRun;
}

export interface ExecutionRequest {
  parameters: IDataObject;
  credential: IDataObject;
  /** One empty item by default. */
  items?: INodeExecutionData[];
  /** Settings of the node, e.g. `onError` or `retryOnFail`. */
  settings?: Partial<INode>;
  /** Settings of the workflow besides its timezone. */
  workflowSettings?: IWorkflowSettings;
  /** Cancels the execution after so many milliseconds. */
  cancelAfterMs?: number;
}

/** Runs the node in n8n's own engine, over real HTTP. */
export async function execute(request: ExecutionRequest): Promise<Execution> {
  const { parameters, credential, items = [{ json: {} }], settings, cancelAfterMs } = request;
  const { workflowSettings } = request;
  const node: INode = {
    id: 'calling',
    name: NODE_NAME,
    type: 'n8n-nodes-outbound-ai-calling.outboundAiCalling',
    typeVersion: 1,
    position: [0, 0],
    parameters: parameters as INode['parameters'],
    credentials: { outboundAiCallingApi: { id: '1', name: 'Calling service' } },
    ...settings,
  };
  const workflow = new Workflow({
    id: 'workflow',
    nodes: [node],
    connections: {},
    active: false,
    nodeTypes,
    settings: { timezone: 'Asia/Kolkata', ...workflowSettings },
  });
  const hooks = new ExecutionLifecycleHooks('trigger', 'execution', {
    ...workflow,
    createdAt: new Date(),
    updatedAt: new Date(),
    nodes: [node],
    connections: {},
    isArchived: false,
    activeVersionId: null,
  } as never);
  const additionalData = {
    credentialsHelper: new OneCredential(credential),
    hooks,
    executionId: 'execution',
    currentNodeExecutionIndex: 0,
    currentNodeParameters: undefined,
    variables: {},
    webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
    formWaitingBaseUrl: 'http://localhost/form-waiting',
  } as unknown as IWorkflowExecuteAdditionalData;
  const data = createRunExecutionData({
    executionData: { nodeExecutionStack: [{ node, data: { main: [items] }, source: null }] },
  });
  const execution = new WorkflowExecute(additionalData, 'trigger', data).processRunExecutionData(
    workflow,
  );
  if (cancelAfterMs !== undefined) setTimeout(() => execution.cancel(), cancelAfterMs);
  const run = await execution;
  const output = run.data.resultData.runData[NODE_NAME]?.at(-1)?.data?.main ?? [];
  return {
    run,
    items: output.flatMap((branch) => branch ?? []),
    error: run.data.resultData.error as Execution['error'],
  };
}

/** The `json` of every item that came out. */
export function jsonOf({ items, error }: Execution): IDataObject[] {
  if (error !== undefined) throw error;
  return items.map(({ json }) => json);
}

import 'reflect-metadata';
import { ExecutionLifecycleHooks, SupplyDataContext, WorkflowExecute } from 'n8n-core';
import { makeHandleToolInvocation } from 'n8n-core/dist/execution-engine/node-execution-context/utils/get-input-connection-data';
import {
  createRunExecutionData,
  NodeConnectionTypes,
  Workflow,
  type IConnections,
  type IDataObject,
  type IExecuteContextData,
  type IExecuteFunctions,
  type INode,
  type INodeExecutionData,
  type INodeType,
  type INodeTypes,
  type IRun,
  type IRunExecutionData,
  type ISourceData,
  type IWorkflowExecuteAdditionalData,
  type IWorkflowSettings,
  type WorkflowExecuteMode,
} from 'n8n-workflow';
import { OutboundAiCalling } from '../../nodes/OutboundAiCalling/OutboundAiCalling.node';
import { OneCredential } from './oneCredential';

const NODE_NAME = 'Outbound AI Calling';
const NODE_TYPE = 'n8n-nodes-outbound-ai-calling.outboundAiCalling';
const BEFORE_NAME = 'Before';
const LOOP_NAME = 'Loop';
const BODY_NAME = 'In the Loop';
const LOOP_TYPE = 'loop';

const calling = new OutboundAiCalling();

/**
 * Gives out its input so many times, or an item of it a round as n8n's own; what comes back begins the next round. When
 * it has ended, its second output gives the input.
 */
class Loop implements INodeType {
  description = {
    displayName: LOOP_NAME,
    name: LOOP_TYPE,
    group: [],
    version: 1,
    description: '',
    defaults: {},
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
    properties: [
      { displayName: 'Rounds', name: 'rounds', type: 'number' as const, default: 1 },
      { displayName: 'One by One', name: 'oneByOne', type: 'boolean' as const, default: false },
    ],
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const context = this.getContext('node');
    const input = (context.input ??= this.getInputData()) as INodeExecutionData[];
    context.round = Number(context.round ?? 0) + 1;
    const rounds = this.getNodeParameter('rounds', 0) as number;
    if (Number(context.round) > rounds) return [[], input];
    if (this.getNodeParameter('oneByOne', 0) !== true) return [input];
    const sourceOverwrite = (context.source ??= this.getInputSourceData()) as ISourceData;
    const item = Number(context.round) - 1;
    return [
      input.slice(item, item + 1).map((one) => ({ ...one, pairedItem: { item, sourceOverwrite } })),
    ];
  }
}

const loop = new Loop();

/** The node as n8n offers it to agents: by its name, fields know that it is a tool. */
const callingTool: INodeType = Object.assign(new OutboundAiCalling(), {
  description: { ...calling.description, name: `${calling.description.name}Tool` },
});

function nodeTypeOf(type: string): INodeType {
  if (type === LOOP_TYPE) return loop;
  return type === `${NODE_TYPE}Tool` ? callingTool : calling;
}

const nodeTypes: INodeTypes = {
  getByName: nodeTypeOf,
  getByNameAndVersion: nodeTypeOf,
  getKnownTypes: () => ({}),
};

export interface Execution {
  /** What the node gave out, in order. */
  items: INodeExecutionData[];
  /** Why the execution failed, when it did. */
  error: (Error & { description?: string | null; context?: IDataObject }) | undefined;
  run: IRun;
  /** What n8n saves with the execution of what its nodes keep. */
  contextData: IExecuteContextData;
}

export interface ExecutionRequest {
  parameters: IDataObject;
  credential: IDataObject;
  /** One empty item by default. */
  items?: INodeExecutionData[];
  /** How it was started; by a trigger, as in production, by default. */
  mode?: WorkflowExecuteMode;
  /** n8n's number for it; one that no other has by default. */
  executionId?: string;
  /** What n8n stores of where the execution came from, e.g. of the parent of a sub-workflow. */
  origin?: Pick<IRunExecutionData, 'parentExecution' | 'manualData'>;
  /** Settings of the node, e.g. `onError` or `retryOnFail`. */
  settings?: Partial<INode>;
  /** Settings of the workflow besides its timezone. */
  workflowSettings?: IWorkflowSettings;
  /** Cancels the execution as soon as this is so. */
  cancelWhen?: () => boolean;
  /** Retries this execution as n8n does, with all that its nodes kept and the node as it is now. */
  retryOf?: Execution;
  /** The node runs so often in a loop; once, without a loop, by default. */
  rounds?: number;
  /** Each round has an item of its own. */
  oneByOne?: boolean;
  /** So many branches lead to the node, each with all items; with rounds, the branches alone lead back to the loop. */
  branches?: number;
  /** What leads to the node does so when the loop has ended. */
  isBehindLoop?: boolean;
  /** The parameters of another of our nodes, which runs before it, outside the loop. */
  before?: IDataObject;
}

function nodeOf({ parameters, settings }: ExecutionRequest): INode {
  return {
    id: 'calling',
    name: NODE_NAME,
    type: NODE_TYPE,
    typeVersion: 1,
    position: [0, 0],
    parameters: parameters as INode['parameters'],
    credentials: { outboundAiCallingApi: { id: '1', name: 'Calling service' } },
    ...settings,
  };
}

function workflowOf(nodes: INode[], connections: IConnections, settings?: IWorkflowSettings) {
  return new Workflow({
    id: 'workflow',
    nodes,
    connections,
    active: false,
    nodeTypes,
    settings: { timezone: 'Asia/Kolkata', ...settings },
  });
}

/** n8n numbers executions, also retries. */
let executions = 0;

function additionalDataOf(
  workflow: Workflow,
  nodes: INode[],
  credential: IDataObject,
  executionId = String(++executions),
) {
  const hooks = new ExecutionLifecycleHooks('trigger', executionId, {
    ...workflow,
    createdAt: new Date(),
    updatedAt: new Date(),
    nodes,
    connections: {},
    isArchived: false,
    activeVersionId: null,
  } as never);
  return {
    credentialsHelper: new OneCredential(credential),
    hooks,
    executionId,
    instanceBaseUrl: 'http://localhost:5678/',
    currentNodeExecutionIndex: 0,
    currentNodeParameters: undefined,
    variables: {},
    webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
    formWaitingBaseUrl: 'http://localhost/form-waiting',
  } as unknown as IWorkflowExecuteAdditionalData;
}

/** As n8n saves an execution and reads it again. */
function saved<T>(data: T): T {
  return JSON.parse(JSON.stringify(data)) as T;
}

/**
 * What n8n's retry of an execution goes on with, as its `ExecutionService` makes it: the failed run is
 * taken off, and the stack says what runs next. The items may be others, as a changed expression
 * before the node would give them.
 */
function retried({ run, contextData }: Execution, nodes: INode[], items?: INodeExecutionData[]) {
  const data = saved(run.data);
  delete data.resultData.error;
  const runs = data.resultData.runData[NODE_NAME];
  if (runs?.at(-1)?.error !== undefined) runs.pop();
  const stack = data.executionData?.nodeExecutionStack ?? [];
  for (const next of stack) {
    next.node = nodes.find(({ name }) => name === next.node.name) ?? next.node;
    if (items !== undefined && next.node.name === NODE_NAME) next.data = { main: [items] };
  }
  if (data.executionData !== undefined) data.executionData.contextData = saved(contextData);
  return data;
}

/** Whether n8n has something left to do in a retry: a node that was done before a cancellation is not. */
export function isRetriable({ run }: Execution): boolean {
  const stack = run.data.executionData?.nodeExecutionStack ?? [];
  return run.status !== 'success' && stack.length > 0;
}

/** Runs the node in n8n's own engine, over real HTTP. */
export async function execute(request: ExecutionRequest): Promise<Execution> {
  const {
    credential,
    items = [{ json: {} }],
    cancelWhen,
    retryOf,
    rounds,
    oneByOne = false,
    branches: branchCount = 0,
    isBehindLoop = false,
    before,
    mode = 'trigger',
  } = request;
  const node = nodeOf(request);
  const loopOf = (name: string, rounds = 1): INode => ({
    id: name,
    name,
    type: LOOP_TYPE,
    typeVersion: 1,
    position: [0, 0],
    parameters: { rounds, oneByOne },
  });
  const branchNames = Array.from({ length: branchCount }, (_, index) => `Branch ${index + 1}`);
  const beforeNode = { ...nodeOf(request), id: 'before', name: BEFORE_NAME, parameters: before };
  const nodes = [
    ...(before === undefined ? [] : [beforeNode as INode]),
    ...(rounds === undefined && branchCount === 0 ? [] : [loopOf(LOOP_NAME, rounds)]),
    ...(isBehindLoop ? [loopOf(BODY_NAME, rounds)] : []),
    ...branchNames.map((name) => loopOf(name, rounds)),
    node,
  ];
  const to = (...names: string[]) => ({
    main: [names.map((name) => ({ node: name, type: NodeConnectionTypes.Main, index: 0 }))],
  });
  const behindLoop = (names: string[]) => ({
    [LOOP_NAME]: { main: [...to(BODY_NAME).main, ...to(...names).main] },
    [BODY_NAME]: to(LOOP_NAME),
    ...Object.fromEntries(names.map((name) => [name, to(NODE_NAME)])),
  });
  const back = rounds === undefined ? [] : [LOOP_NAME];
  const connections: IConnections = {
    ...(before === undefined
      ? {}
      : { [BEFORE_NAME]: to(rounds === undefined ? NODE_NAME : LOOP_NAME) }),
    ...(rounds === undefined ? {} : { [LOOP_NAME]: to(NODE_NAME), [NODE_NAME]: to(LOOP_NAME) }),
    ...(branchCount === 0 ? {} : { [LOOP_NAME]: to(...branchNames), [NODE_NAME]: to() }),
    ...Object.fromEntries(branchNames.map((name) => [name, to(NODE_NAME, ...back)])),
    ...(isBehindLoop ? behindLoop(branchNames) : {}),
  };
  const workflow = workflowOf(nodes, connections, request.workflowSettings);
  const [first = node] = nodes;
  const data =
    retryOf === undefined
      ? createRunExecutionData({
          ...request.origin,
          executionData: {
            nodeExecutionStack: [{ node: first, data: { main: [items] }, source: null }],
          },
        })
      : retried(retryOf, nodes, request.items);
  const runsBefore = data.resultData.runData[NODE_NAME]?.length ?? 0;
  const execution = new WorkflowExecute(
    additionalDataOf(workflow, nodes, credential, request.executionId),
    mode,
    data,
  ).processRunExecutionData(workflow);
  const watch = () => {
    if (cancelWhen?.() === true) execution.cancel();
  };
  const watching = cancelWhen && setInterval(watch, 2);
  const run = await execution.finally(() => clearInterval(watching));
  const runs = (run.data.resultData.runData[NODE_NAME] ?? []).slice(runsBefore);
  const branches = runs.flatMap(({ data: output }) => output?.main ?? []);
  return {
    run,
    items: branches.flatMap((branch) => branch ?? []),
    error: run.data.resultData.error as Execution['error'],
    contextData: saved(data.executionData?.contextData ?? {}),
  };
}

/** The `json` of every item that came out. */
export function jsonOf({ items, error }: Execution): IDataObject[] {
  if (error !== undefined) throw error;
  return items.map(({ json }) => json);
}

/** Calls the node as a tool; what it answers is JSON. */
export type ToolCall = (args: IDataObject) => Promise<string>;

/** The node as the tool of an AI agent, in one execution. */
export class AgentTool {
  private readonly node: INode;
  private readonly workflow: Workflow;
  private readonly data: IRunExecutionData = createRunExecutionData({ executionData: {} });
  private readonly additionalData: IWorkflowExecuteAdditionalData;
  private readonly cancelling = new AbortController();

  /**
   * @param cutOff whether the execution is retried, after n8n was stopped while it went on
   * @param items those of the agent
   */
  constructor(
    request: Pick<ExecutionRequest, 'parameters' | 'credential' | 'settings'>,
    private readonly cutOff = false,
    private readonly items: IDataObject[] = [{}],
  ) {
    this.node = { ...nodeOf(request), type: `${NODE_TYPE}Tool` };
    const run = { startTime: 0, executionTime: 0, executionIndex: 0, source: [] };
    if (cutOff) this.data.resultData.runData[this.node.name] = [run];
    this.workflow = workflowOf([this.node], {});
    this.additionalData = additionalDataOf(this.workflow, [this.node], request.credential);
  }

  /** Prepares a call as n8n does when an agent asks for its tools. */
  prepare(): ToolCall {
    const { node, workflow, data, additionalData, cancelling, cutOff } = this;
    const contextOf = (runIndex: number) =>
      new SupplyDataContext(
        workflow,
        node,
        additionalData,
        cutOff ? 'retry' : 'trigger',
        data,
        runIndex,
        this.items.map((json) => ({ json })),
        {},
        NodeConnectionTypes.AiTool,
        { node, data: {}, source: null },
        [],
        cancelling.signal,
      );
    const invoke = makeHandleToolInvocation(contextOf, node, callingTool, data);
    return async (args) => (await invoke(args)) as string;
  }

  cancel(): void {
    this.cancelling.abort();
  }
}

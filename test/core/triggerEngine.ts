import 'reflect-metadata';
import { ExecutionLifecycleHooks, PollContext } from 'n8n-core';
import {
  Workflow,
  type IDataObject,
  type INode,
  type INodeType,
  type INodeTypes,
  type IPollFunctions,
  type IRun,
  type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { OutboundAiCallingTrigger } from '../../nodes/OutboundAiCalling/OutboundAiCallingTrigger.node';
import { OneCredential } from './oneCredential';

/** The trigger as one process has it: with what that process remembers. */
export type TriggerProcess = Pick<OutboundAiCallingTrigger, 'description' | 'poll'>;

const thisProcess: TriggerProcess = new OutboundAiCallingTrigger();

/** Another process, or the same after a restart: it shares nothing with this one in memory. */
export function anotherProcess(): TriggerProcess {
  let other = thisProcess;
  jest.isolateModules(() => {
    const path = '../../nodes/OutboundAiCalling/OutboundAiCallingTrigger.node';
    const module = jest.requireActual<{ OutboundAiCallingTrigger: new () => TriggerProcess }>(path);
    other = new module.OutboundAiCallingTrigger();
  });
  return other;
}

type Done = Parameters<IPollFunctions['__emit']>[2];

/** What n8n does with an execution that a poll starts; `silent`: it says nothing for now. */
export type Start = 'well' | 'never' | 'notStored' | 'silent';

export interface PublicationOptions {
  credential: IDataObject;
  parameters?: IDataObject;
  workflowId?: string;
  workflowName?: string;
  nodeId?: string;
  process?: TriggerProcess;
  /** The address at which n8n knows itself. */
  instanceUrl?: string;
  /** n8n's id of the credential, by which calls of this process are known. */
  credentialId?: string;
  mode?: 'trigger' | 'manual';
  /** Why n8n activates the workflow. */
  activation?: 'activate' | 'init' | 'leadershipChange';
  /** As the durable scheduler bounds a poll. */
  budgetMs?: number;
  staticData?: IDataObject;
}

/** A published workflow: one context of n8n for all polls, as in production. */
export class Publication {
  /** What each started execution was given. */
  readonly executions: IDataObject[][] = [];
  start: Start = 'well';
  readonly staticData: IDataObject;
  private readonly context: PollContext;
  private readonly process: TriggerProcess;
  /** Executions about which n8n has not said anything yet. */
  private readonly unsaid: Array<{ items: IDataObject[]; done: Done }> = [];

  constructor({
    credential,
    parameters = {},
    workflowId = 'workflow',
    workflowName = 'Workflow',
    nodeId = 'trigger',
    process = thisProcess,
    instanceUrl = 'http://localhost:5678/',
    credentialId = 'credential',
    mode = 'trigger',
    activation = 'activate',
    budgetMs = 300_000,
    staticData = {},
  }: PublicationOptions) {
    this.process = process;
    const type = process as INodeType;
    const nodeTypes: INodeTypes = {
      getByName: () => type,
      getByNameAndVersion: () => type,
      getKnownTypes: () => ({}),
    };
    const definition: INode = {
      id: nodeId,
      name: 'Outcome',
      type: 'n8n-nodes-outbound-ai-calling.outboundAiCallingTrigger',
      typeVersion: 1,
      position: [0, 0],
      parameters: parameters as INode['parameters'],
      credentials: { outboundAiCallingApi: { id: credentialId, name: 'Calling service' } },
    };
    const workflow = new Workflow({
      id: workflowId,
      name: workflowName,
      nodes: [definition],
      connections: {},
      active: true,
      nodeTypes,
      staticData,
    });
    this.staticData = staticData;
    const hooks = new ExecutionLifecycleHooks('trigger', 'execution', {
      ...workflow,
      createdAt: new Date(),
      updatedAt: new Date(),
      nodes: [definition],
      connections: {},
      isArchived: false,
      activeVersionId: null,
    } as never);
    const additionalData = {
      credentialsHelper: new OneCredential(credential),
      hooks,
      instanceBaseUrl: instanceUrl,
      currentNodeParameters: undefined,
      variables: {},
    } as unknown as IWorkflowExecuteAdditionalData;
    this.context = new PollContext(
      workflow,
      definition,
      additionalData,
      mode,
      mode === 'manual' ? 'manual' : activation,
      (data, _response, done) => this.emit(data[0]?.map(({ json }) => json) ?? [], done),
      undefined,
      undefined,
      undefined,
      () => this.staticData,
      () => budgetMs,
    );
  }

  async poll() {
    return await this.process.poll.call(this.context);
  }

  /** The items of all executions. */
  get fired(): IDataObject[] {
    return this.executions.flat();
  }

  /** What the trigger wrote into n8n's log. */
  get logger() {
    return this.context.logger;
  }

  /** n8n says at last what became of the executions about which it was silent. */
  say(start: 'well' | 'never'): void {
    for (const { items, done } of this.unsaid.splice(0)) {
      if (start === 'never') {
        done?.reject(new Error('The database is away'));
      } else {
        this.executions.push(items);
        done?.resolve({} as IRun);
      }
    }
  }

  private emit(items: IDataObject[], done?: Done): void {
    if (this.start === 'never') return done?.reject(new Error('The database is away'));
    if (this.start === 'silent') return void this.unsaid.push({ items, done });
    if (this.start === 'notStored') return done?.resolve(undefined);
    this.executions.push(items);
    done?.resolve({} as IRun);
  }
}

/** A trigger that fires for every call of a log, however it ends. */
export const publicationOfLog = (
  credential: PublicationOptions['credential'],
  callLogTable: IDataObject,
): Publication =>
  new Publication({
    credential,
    parameters: {
      ...{ watch: 'callLog', callLogTable, options: { fastChecks: false } },
      events: ['outcomeAvailable', 'outcomeUnavailable'],
    },
  });

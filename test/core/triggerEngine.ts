import 'reflect-metadata';
import { ExecutionLifecycleHooks, PollContext } from 'n8n-core';
import {
  Workflow,
  type IDataObject,
  type INode,
  type INodeTypes,
  type IPollFunctions,
  type IRun,
  type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { OutboundAiCallingTrigger } from '../../nodes/OutboundAiCalling/OutboundAiCallingTrigger.node';
import { OneCredential } from './oneCredential';

const node = new OutboundAiCallingTrigger();
const nodeTypes: INodeTypes = {
  getByName: () => node,
  getByNameAndVersion: () => node,
  getKnownTypes: () => ({}),
};

type Done = Parameters<IPollFunctions['__emit']>[2];

/** What n8n does with an execution that a poll starts. */
export type Start = 'well' | 'never' | 'notStored';

export interface PublicationOptions {
  credential: IDataObject;
  parameters?: IDataObject;
  workflowId?: string;
  /** n8n's id of the credential, by which calls of this process are known. */
  credentialId?: string;
  mode?: 'trigger' | 'manual';
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

  constructor({
    credential,
    parameters = {},
    workflowId = 'workflow',
    credentialId = 'credential',
    mode = 'trigger',
    budgetMs = 300_000,
    staticData = {},
  }: PublicationOptions) {
    const definition: INode = {
      id: 'trigger',
      name: 'Outcome',
      type: 'n8n-nodes-outbound-ai-calling.outboundAiCallingTrigger',
      typeVersion: 1,
      position: [0, 0],
      parameters: parameters as INode['parameters'],
      credentials: { outboundAiCallingApi: { id: credentialId, name: 'Calling service' } },
    };
    const workflow = new Workflow({
      id: workflowId,
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
      currentNodeParameters: undefined,
      variables: {},
    } as unknown as IWorkflowExecuteAdditionalData;
    this.context = new PollContext(
      workflow,
      definition,
      additionalData,
      mode,
      mode === 'manual' ? 'manual' : 'activate',
      (data, _response, done) => this.emit(data[0]?.map(({ json }) => json) ?? [], done),
      undefined,
      undefined,
      undefined,
      () => this.staticData,
      () => budgetMs,
    );
  }

  async poll() {
    return await node.poll.call(this.context);
  }

  /** The items of all executions. */
  get fired(): IDataObject[] {
    return this.executions.flat();
  }

  private emit(items: IDataObject[], done?: Done): void {
    if (this.start === 'never') return done?.reject(new Error('The database is away'));
    if (this.start === 'notStored') return done?.resolve(undefined);
    this.executions.push(items);
    done?.resolve({} as IRun);
  }
}

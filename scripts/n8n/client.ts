import { setTimeout as pause } from 'node:timers/promises';
import { parse as parseFlatted } from 'flatted';
import type {
  INodeListSearchResult,
  INodeParameters,
  INodePropertyOptions,
  INodeTypeDescription,
  IRunExecutionData,
  ResourceMapperFields,
} from 'n8n-workflow';
import { DATA_TABLE_SCOPES, DataTables } from './data-tables';
import { type Execution, type ExecutionSummary, isOver, isWhole } from './execution';
import { N8nRequestFailed, Session } from './session';
import { postJson, type PostOptions, type WebhookAnswer } from './webhook';
import type { SavedWorkflow, WorkflowFile } from './workflow';

/** The first pause between two looks at what is waited for; each is longer, up to the longest. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** So many executions are listed at once. */
const PAGE = '100';
/** Only for what hangs: on a busy machine an execution of seconds takes minutes. */
const WAIT_TIMEOUT_MS = 600_000;

/** Who owns an n8n that was set up here. */
export const OWNER = {
  email: 'owner@example.com',
  password: 'Outbound-calls-1',
  firstName: 'Olive',
  lastName: 'Owner',
};

export interface Credential {
  id: string;
  name: string;
  type: string;
}

/** What the editor shows under a credential after testing it. */
export interface CredentialTestResult {
  status: 'OK' | 'Error';
  message: string;
}

/** What a node in the editor asks for, such as the fields of a resource mapper. */
export interface EditorQuestion {
  nodeType: string;
  version?: number;
  /** The method of the node that answers. */
  method: string;
  /** The parameter that asks, such as `scriptVariables`. */
  parameter: string;
  parameters: INodeParameters;
  credentials?: Record<string, { id: string; name: string }>;
}

export interface ManualRun {
  /** The trigger to start from; by default the workflow's only one, a manual one first. */
  trigger?: string;
  /** The last node to run; by default all run. */
  destinationNode?: string;
  timeoutMs?: number;
}

/** Where the publishing of a workflow stands. */
interface Publication {
  status: 'in_progress' | 'published' | 'partial' | 'failed' | 'not_published';
  /** Each trigger, with what kept it from starting. */
  triggers: { errorMessage: string | null }[];
}

/** Does over HTTP what a person does in n8n's editor. */
export class N8nClient {
  readonly session: Session;

  /** Executions that have ended, by id: they change no more, and n8n takes a while to give one. */
  private readonly ended = new Map<string, Execution>();

  /** @param loginCookie of a client that is logged in, to be logged in too */
  constructor(baseUrl: string, loginCookie?: string) {
    this.session = new Session(baseUrl, loginCookie);
  }

  get baseUrl(): string {
    return this.session.baseUrl;
  }

  /** Creates the owner of a new n8n and stays logged in. */
  async setUpOwner(): Promise<void> {
    await this.session.rest('POST', '/owner/setup', { body: OWNER });
  }

  /** Logs in as the owner, as after a restart of an n8n that was set up before. */
  async logIn(): Promise<void> {
    const { email, password } = OWNER;
    await this.session.rest('POST', '/login', { body: { emailOrLdapLoginId: email, password } });
  }

  async createCredential(
    name: string,
    type: string,
    data: Record<string, unknown>,
  ): Promise<Credential> {
    return await this.session.rest('POST', '/credentials', { body: { name, type, data } });
  }

  /** Presses "test" on a credential that is not saved. */
  async testCredential(type: string, data: Record<string, unknown>): Promise<CredentialTestResult> {
    const credentials = { id: '', name: 'Under test', type, data };
    return await this.session.rest('POST', '/credentials/test', { body: { credentials } });
  }

  async createWorkflow(workflow: WorkflowFile): Promise<SavedWorkflow> {
    return await this.session.rest('POST', '/workflows', { body: { settings: {}, ...workflow } });
  }

  async readWorkflow(id: string): Promise<SavedWorkflow> {
    return await this.session.rest('GET', `/workflows/${id}`);
  }

  /**
   * Publishes the version that was saved and waits until its triggers have started; polling triggers
   * poll once before this returns.
   *
   * @throws N8nRequestFailed, or from n8n 2.40 on Error, with what kept a trigger from starting
   */
  async publish(workflow: SavedWorkflow): Promise<SavedWorkflow> {
    const body = { versionId: workflow.versionId };
    const published = await this.session.rest<SavedWorkflow>(
      'POST',
      `/workflows/${workflow.id}/activate`,
      { body },
    );
    const { status, triggers } = await this.publication(workflow);
    if (status !== 'published') {
      const objections = triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
      throw new Error(`"${workflow.name}" is ${status}: ${objections.join('; ')}`);
    }
    return published;
  }

  /** Unpublishes a workflow and waits until its triggers have ended. */
  async unpublish(workflow: SavedWorkflow): Promise<SavedWorkflow> {
    const path = `/workflows/${workflow.id}/deactivate`;
    const unpublished = await this.session.rest<SavedWorkflow>('POST', path, { body: {} });
    await this.publication(workflow);
    return unpublished;
  }

  /** Presses "execute workflow" and waits for the end of that execution. */
  async runManually(workflow: SavedWorkflow, run: ManualRun = {}): Promise<Execution> {
    return await this.waitForExecution(await this.startManually(workflow, run), run.timeoutMs);
  }

  /** Presses "execute workflow" and gives the execution's id at once. */
  async startManually(workflow: SavedWorkflow, run: ManualRun = {}): Promise<string> {
    const body = this.bodyOfRun(workflow, run);
    const started = await this.session.rest<{ executionId?: string; waitingForWebhook?: boolean }>(
      'POST',
      `/workflows/${workflow.id}/run`,
      { body },
    );
    if (started.executionId === undefined) {
      throw new Error(`"${workflow.name}" waits for its webhook and was not executed.`);
    }
    return started.executionId;
  }

  /** Presses "stop" on an execution. */
  async stopExecution(id: string): Promise<void> {
    await this.session.rest('POST', `/executions/${id}/stop`);
  }

  /** Presses "retry" on a failed execution; gives the id of the new one. */
  async retryExecution(id: string): Promise<string> {
    const before = await this.readExecution(id);
    await this.session.rest('POST', `/executions/${id}/retry`, { body: { loadWorkflow: false } });
    const [latest] = await this.executionSummaries(before.workflowId);
    if (latest === undefined) throw new Error(`The retry of execution ${id} cannot be found.`);
    return latest.id;
  }

  /** The executions of a workflow without their data, newest first. */
  async executionSummaries(workflowId: string): Promise<ExecutionSummary[]> {
    const filter = JSON.stringify({ workflowId });
    const all: ExecutionSummary[] = [];
    for (;;) {
      const last = all.at(-1);
      const query = { filter, limit: PAGE, ...(last === undefined ? {} : { lastId: last.id }) };
      const page = await this.session.rest<{ results: ExecutionSummary[] }>('GET', '/executions', {
        query,
      });
      all.push(...page.results);
      if (page.results.length < Number(PAGE)) return all;
    }
  }

  /** The executions of a workflow with their data, newest first. */
  async executions(workflowId: string): Promise<Execution[]> {
    const summaries = await this.executionSummaries(workflowId);
    return await Promise.all(summaries.map(async (summary) => await this.readOnce(summary)));
  }

  async readExecution(id: string): Promise<Execution> {
    const stored = await this.session.rest<ExecutionSummary & { data: string }>(
      'GET',
      `/executions/${id}`,
    );
    return { ...stored, data: parseFlatted(stored.data) as IRunExecutionData };
  }

  /** Waits until an execution has ended, well or with an error, and gives it with its data. */
  async waitForExecution(id: string, timeoutMs = WAIT_TIMEOUT_MS): Promise<Execution> {
    return await waitFor(`execution ${id} to end`, timeoutMs, async () => {
      const execution = await this.readExecution(id);
      return isWhole(execution) ? execution : undefined;
    });
  }

  /** Waits until a workflow has so many executions that have ended; newest first. */
  async waitForExecutions(
    workflowId: string,
    count: number,
    timeoutMs = WAIT_TIMEOUT_MS,
  ): Promise<Execution[]> {
    return await waitFor(`${count} executions to end`, timeoutMs, async () => {
      const over = (await this.executionSummaries(workflowId)).filter(isOver);
      if (over.length < count) return undefined;
      const executions = await Promise.all(
        over.map(async (summary) => await this.readOnce(summary)),
      );
      return executions.every(isWhole) ? executions : undefined;
    });
  }

  /** The fields that a resource mapper shows. */
  async resourceMapperFields(question: EditorQuestion): Promise<ResourceMapperFields> {
    return await this.ask('resource-mapper-fields', question);
  }

  /** What a drop-down list shows. */
  async options(question: EditorQuestion): Promise<INodePropertyOptions[]> {
    return await this.ask('options', question);
  }

  /** What the list of a resource locator shows. */
  async resourceLocatorResults(
    question: EditorQuestion & { filter?: string; paginationToken?: string },
  ): Promise<INodeListSearchResult> {
    return await this.ask('resource-locator-results', question);
  }

  /** All node types that n8n has loaded, such as those of the installed package. */
  async nodeTypes(): Promise<INodeTypeDescription[]> {
    return await this.session.send('GET', '/types/nodes.json');
  }

  /**
   * An API key of the owner, good for data tables unless other scopes are asked for.
   *
   * @param expiresAt seconds since 1970; null: never
   */
  async createApiKey(
    label: string,
    scopes: readonly string[] = DATA_TABLE_SCOPES,
    expiresAt: number | null = null,
  ): Promise<string> {
    const created = await this.session.rest<{ rawApiKey: string }>('POST', '/api-keys', {
      body: { label, expiresAt, scopes },
    });
    return created.rawApiKey;
  }

  /** n8n's data tables through its public interface. */
  dataTables(apiKey: string): DataTables {
    return new DataTables(this.session, apiKey);
  }

  /** Posts to the webhook of a published workflow and waits for its answer. */
  async postToWebhook(path: string, body: unknown, options?: PostOptions): Promise<WebhookAnswer> {
    return await postJson(`${this.baseUrl}/webhook/${path}`, body, options);
  }

  /** What n8n is sent to execute a workflow. */
  protected bodyOfRun(workflow: SavedWorkflow, run: ManualRun): Record<string, unknown> {
    return {
      triggerToStartFrom: { name: run.trigger ?? triggerOf(workflow) },
      ...(run.destinationNode === undefined
        ? {}
        : { destinationNode: { nodeName: run.destinationNode, mode: 'inclusive' } }),
    };
  }

  /**
   * What came of publishing or unpublishing. From 2.40 on n8n answers first and does it a moment
   * later. Before, it was done with the answer, and n8n answers this question with 404.
   */
  private async publication({ id, name }: SavedWorkflow): Promise<Publication> {
    const path = `/workflows/${id}/publication-status`;
    return await waitFor(`n8n to publish or unpublish "${name}"`, WAIT_TIMEOUT_MS, async () => {
      try {
        const publication = await this.session.rest<Publication>('GET', path);
        return publication.status === 'in_progress' ? undefined : publication;
      } catch (error) {
        if (!(error instanceof N8nRequestFailed) || error.status !== 404) throw error;
        return { status: 'published', triggers: [] };
      }
    });
  }

  private async readOnce({ id }: ExecutionSummary): Promise<Execution> {
    const known = this.ended.get(id);
    if (known !== undefined) return known;
    const execution = await this.readExecution(id);
    if (isWhole(execution)) this.ended.set(id, execution);
    return execution;
  }

  private async ask<T>(
    what: string,
    question: EditorQuestion & { filter?: string; paginationToken?: string },
  ): Promise<T> {
    const { nodeType, version = 1, method, parameter, parameters, ...rest } = question;
    return await this.session.rest('POST', `/dynamic-node-parameters/${what}`, {
      body: {
        ...rest,
        path: `parameters.${parameter}`,
        methodName: method,
        nodeTypeAndVersion: { name: nodeType, version },
        currentNodeParameters: parameters,
      },
    });
  }
}

function triggerOf(workflow: SavedWorkflow): string {
  const triggers = workflow.nodes.filter((node) => /trigger$|webhook$/i.test(node.type));
  const manual = triggers.find((node) => node.type.endsWith('.manualTrigger'));
  const trigger = manual ?? (triggers.length === 1 ? triggers[0] : undefined);
  if (trigger === undefined) {
    throw new Error(`"${workflow.name}" has ${triggers.length} triggers: say which one to start.`);
  }
  return trigger.name;
}

async function waitFor<T>(
  what: string,
  timeoutMs: number,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.3, LONGEST_PAUSE_MS)) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) {
      throw new Error(`Waited ${timeoutMs / 1000} s in vain for ${what}.`);
    }
    await pause(pauseMs);
  }
}

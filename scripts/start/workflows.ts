import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { SCOPES } from '../../nodes/OutboundAiCalling/dataTables/n8nApi';
import {
  type Credential,
  type N8nClient,
  PROJECT,
  type WorkflowFile,
  type WorkflowNode,
  withCredential,
  withScript,
} from '../n8n';
import { EMULATED_SCRIPT, type Service } from './demo';
import type { RealService } from './options';

const CALLING_CREDENTIAL = 'outboundAiCallingApi';
const HEADER_CREDENTIAL = 'httpHeaderAuth';
const BASIC_CREDENTIAL = 'httpBasicAuth';
const WEBHOOK = 'n8n-nodes-base.webhook';
/** The data table that the examples name. */
const LOG = 'Calls';
/** What the shop sends along, so that nobody else can have people called. */
const HEADER = { name: 'X-Shop-Key', value: randomUUID() };

/** Who may see the page of the report. */
const READER = { user: 'owner', password: randomUUID().slice(0, 8) };
/** The first calls are placed so soon after everything is published. */
const FIRST_CALLS_AFTER_MS = 8_000;

/** The example workflows at work, the call log that joins their parts, and who may see the page of the report. */
export type PublishedWorkflows = Awaited<ReturnType<typeof publishWorkflows>>;

/**
 * Makes the example quicker than a shop wants it: it calls at any hour, from now on every minute, and
 * again after seconds.
 */
function hurried(workflow: WorkflowFile): WorkflowFile {
  const second = new Date(Date.now() + FIRST_CALLS_AFTER_MS).getSeconds();
  const nodes = workflow.nodes.map((node) => {
    const { operation, rules, options } = node.parameters;
    if (node.type === 'n8n-nodes-base.scheduleTrigger') {
      const interval = [{ field: 'cronExpression', expression: `${second} * * * * *` }];
      return { ...node, parameters: { rule: { interval } } };
    }
    if (operation !== 'schedule') return node;
    const others = Object.fromEntries(
      Object.entries(rules as INodeParameters).filter(([name]) => name !== 'callingHours'),
    );
    const { retry } = options as { retry: { plan: INodeParameters } };
    const plan = { ...retry.plan, afterMinutes: '0.1, 0.2, 0.3' };
    const hurry = { rules: others, options: { ...(options as INodeParameters), retry: { plan } } };
    return { ...node, parameters: { ...node.parameters, ...hurry } };
  });
  return { ...workflow, nodes };
}

/** The example with a script of the emulated service. */
export function ofEmulation(workflow: WorkflowFile): WorkflowFile {
  return withScript(hurried(workflow), EMULATED_SCRIPT);
}

/** The example as a person fills it in. */
function ofAccount(workflow: WorkflowFile, { scriptId, timezone }: RealService): WorkflowFile {
  return { ...withScript(workflow, scriptId), settings: { ...workflow.settings, timezone } };
}

/**
 * Imports the examples as a person does, gives them their credentials, makes the call log that joins
 * their parts and publishes them.
 *
 * @param real the service that calls real people, if one does: then the example stays as careful as it is
 */
export async function publishWorkflows(
  client: N8nClient,
  service: Service,
  real: RealService | undefined,
) {
  const n8nApiKey = await client.createApiKey('Call log', SCOPES);
  const credential = await client.createCredential('Outbound AI Calling API', CALLING_CREDENTIAL, {
    ...service,
    headerForm: 'bearer',
    pathForm: 'versioned',
    allowHttp: false,
    n8nApiKey,
  });
  const log = { tables: client.dataTables(n8nApiKey), name: LOG };
  await log.tables.create(log.name, LOG_COLUMNS);
  const header = await client.createCredential('Header of the shop', HEADER_CREDENTIAL, HEADER);
  const reader = await client.createCredential('Reader of the report', BASIC_CREDENTIAL, READER);
  const report = await publish(client, 'report-page', [credential, reader]);
  const orders = await publish(
    client,
    'order-call-with-attempts',
    [credential, header],
    real === undefined ? ofEmulation : (workflow) => ofAccount(workflow, real),
  );
  const webhook = nodeOf(orders.file, WEBHOOK);
  const trigger = nodeOf(orders.file, 'n8n-nodes-outbound-ai-calling.outboundAiCallingTrigger');
  return {
    orders: {
      workflowId: orders.id,
      webhookNode: webhook.name,
      webhookPath: String(webhook.parameters.path),
      headers: { [HEADER.name]: HEADER.value },
      triggerNode: trigger.name,
    },
    log,
    report: { path: String(nodeOf(report.file, WEBHOOK).parameters.path), ...READER },
  };
}

async function publish(
  client: N8nClient,
  example: string,
  credentials: Credential[],
  change: (workflow: WorkflowFile) => WorkflowFile = (workflow) => workflow,
): Promise<{ id: string; file: WorkflowFile }> {
  const text = await readFile(join(PROJECT, 'examples', `${example}.json`), 'utf8');
  const file = credentials.reduce(
    (workflow, credential) => withCredential(workflow, credential.type, credential),
    change(JSON.parse(text) as WorkflowFile),
  );
  const { id } = await client.publish(await client.createWorkflow(file));
  return { id, file };
}

function nodeOf(workflow: WorkflowFile, type: string): WorkflowNode {
  const node = workflow.nodes.find((candidate) => candidate.type === type);
  if (node === undefined) throw new Error(`"${workflow.name}" has no node of type ${type}.`);
  return node;
}

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/columns';
import { SCOPES } from '../../nodes/OutboundAiCalling/callLog/n8nApi';
import {
  type Credential,
  type DataTables,
  type N8nClient,
  PROJECT,
  type WorkflowFile,
  type WorkflowNode,
  withCredential,
} from '../n8n';
import type { Service } from './demo';

const CALLING_CREDENTIAL = 'outboundAiCallingApi';
const HEADER_CREDENTIAL = 'httpHeaderAuth';
/** The data table that both examples name. */
const LOG = 'Calls';
/** What the shop sends along, so that nobody else can have people called. */
const HEADER = { name: 'X-Shop-Key', value: randomUUID() };

/** The two example workflows at work, and the call log that joins them. */
export interface PublishedWorkflows {
  calling: {
    workflowId: string;
    webhookNode: string;
    webhookPath: string;
    headers: Record<string, string>;
  };
  acting: { workflowId: string; triggerNode: string };
  log: { tables: DataTables; name: string };
}

/**
 * Imports the two examples as a person does, gives them their credentials, makes the call log that
 * joins them and publishes them: first the one that waits for outcomes.
 */
export async function publishWorkflows(
  client: N8nClient,
  service: Service,
): Promise<PublishedWorkflows> {
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
  const acting = await publish(client, 'act-on-outcome', credential);
  const calling = await publish(client, 'call-on-order', credential, header);
  const webhook = nodeOf(calling.file, 'n8n-nodes-base.webhook');
  const trigger = nodeOf(acting.file, 'n8n-nodes-outbound-ai-calling.outboundAiCallingTrigger');
  return {
    calling: {
      workflowId: calling.id,
      webhookNode: webhook.name,
      webhookPath: String(webhook.parameters.path),
      headers: { [HEADER.name]: HEADER.value },
    },
    acting: { workflowId: acting.id, triggerNode: trigger.name },
    log,
  };
}

async function publish(
  client: N8nClient,
  example: string,
  ...credentials: Credential[]
): Promise<{ id: string; file: WorkflowFile }> {
  const text = await readFile(join(PROJECT, 'examples', `${example}.json`), 'utf8');
  const file = credentials.reduce(
    (workflow, credential) => withCredential(workflow, credential.type, credential),
    JSON.parse(text) as WorkflowFile,
  );
  const { id } = await client.publish(await client.createWorkflow(file));
  return { id, file };
}

function nodeOf(workflow: WorkflowFile, type: string): WorkflowNode {
  const node = workflow.nodes.find((candidate) => candidate.type === type);
  if (node === undefined) throw new Error(`"${workflow.name}" has no node of type ${type}.`);
  return node;
}

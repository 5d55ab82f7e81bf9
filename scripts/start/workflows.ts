import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
/** The two example workflows at work, and the call log that joins them. */
export interface PublishedWorkflows {
  calling: { workflowId: string; webhookNode: string; webhookPath: string };
  acting: { workflowId: string; triggerNode: string };
  log: { tables: DataTables; name: string };
}

/**
 * Imports the two examples as a person does, gives them their credentials and publishes them: first
 * the one that waits for outcomes, which makes the call log.
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
  const acting = await publish(client, 'act-on-outcome', credential);
  const calling = await publish(client, 'call-on-order', credential);
  const webhook = nodeOf(calling.file, 'n8n-nodes-base.webhook');
  const trigger = nodeOf(acting.file, 'n8n-nodes-outbound-ai-calling.outboundAiCallingTrigger');
  return {
    calling: {
      workflowId: calling.id,
      webhookNode: webhook.name,
      webhookPath: String(webhook.parameters.path),
    },
    acting: { workflowId: acting.id, triggerNode: trigger.name },
    log: { tables: client.dataTables(n8nApiKey), name: tableNameOf(trigger) },
  };
}

async function publish(
  client: N8nClient,
  example: string,
  credential: Credential,
): Promise<{ id: string; file: WorkflowFile }> {
  const text = await readFile(join(PROJECT, 'examples', `${example}.json`), 'utf8');
  const file = withCredential(JSON.parse(text) as WorkflowFile, credential.type, credential);
  const { id } = await client.publish(await client.createWorkflow(file));
  return { id, file };
}

function nodeOf(workflow: WorkflowFile, type: string): WorkflowNode {
  const node = workflow.nodes.find((candidate) => candidate.type === type);
  if (node === undefined) throw new Error(`"${workflow.name}" has no node of type ${type}.`);
  return node;
}

function tableNameOf(trigger: WorkflowNode): string {
  const { value } = trigger.parameters.callLogTable as { value: string };
  return value;
}

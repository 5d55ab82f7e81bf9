import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type N8nClient,
  PROJECT,
  PreparedN8n,
  type WorkflowFile,
  firstFreePort,
  withCredential,
} from '../../test/n8n/runtime';
import { startCallingService } from '../../test/service';
import type { Cleanup } from './cleanup';

const WORKFLOW = join(PROJECT, 'examples', 'cod-order-confirmation.json');
const CREDENTIAL_TYPE = 'outboundAiCallingApi';
const EDITOR_PORT = 5678;

/** The emulated service's own default; opens nothing but the emulation. */
const EMULATED_KEY = 'test-key';

/**
 * How fast time passes for an emulated call, and how long one lasts in its own time: over after 5 to
 * 15 s, mostly before the node's first look.
 */
const EMULATED_SPEED = 5;
const EMULATED_SECONDS = { min: 25, max: 75 };

export interface Service {
  baseUrl: string;
  apiKey: string;
}

/** The example workflow, ready to take orders. */
export interface PublishedExample {
  workflowId: string;
  webhookNode: string;
  webhookPath: string;
}

/** Starts the emulated calling service. */
export async function startEmulatedService(cleanup: Cleanup): Promise<Service> {
  const service = await startCallingService({
    seed: 1,
    speed: EMULATED_SPEED,
    callSeconds: EMULATED_SECONDS,
  });
  cleanup.add(async () => await service.close());
  return { baseUrl: service.baseUrl, apiKey: EMULATED_KEY };
}

/** Starts n8n with the package, on the port that is liked best or the next one that is free. */
export async function startEditor(
  cleanup: Cleanup,
  wanted: number | undefined,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<PreparedN8n> {
  const best = wanted ?? EDITOR_PORT;
  const port = await firstFreePort(best);
  if (port !== best) say(`Port ${best} is already in use; n8n's editor takes ${port}.`);
  const n8n = await PreparedN8n.start({ port, progress: say, signal });
  cleanup.add(async () => await n8n.stop());
  return n8n;
}

/**
 * Imports the example, gives it a credential for the service and publishes it.
 */
export async function publishExample(
  client: N8nClient,
  service: Service,
): Promise<PublishedExample> {
  const credential = await client.createCredential('Outbound AI Calling API', CREDENTIAL_TYPE, {
    ...service,
    headerForm: 'bearer',
    pathForm: 'versioned',
    allowHttp: false,
  });
  const example = JSON.parse(await readFile(WORKFLOW, 'utf8')) as WorkflowFile;
  const workflow = await client.createWorkflow(
    withCredential(example, CREDENTIAL_TYPE, credential),
  );
  await client.publish(workflow);
  const webhook = webhookOf(example);
  return { workflowId: workflow.id, webhookNode: webhook.name, webhookPath: webhook.path };
}

function webhookOf(workflow: WorkflowFile): { name: string; path: string } {
  const webhook = workflow.nodes.find((node) => node.type === 'n8n-nodes-base.webhook');
  const path = webhook?.parameters.path;
  if (webhook === undefined || typeof path !== 'string') {
    throw new Error(`"${workflow.name}" has no webhook.`);
  }
  return { name: webhook.name, path };
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../nodes/OutboundAiCalling/http/json';
import {
  PROJECT,
  withCredential,
  withScript,
  type N8nClient,
  type SavedWorkflow,
  type WorkflowFile,
} from '../../scripts/n8n';
import type { CallingService } from '../service';
import { CALLING_CREDENTIAL, saveCredential } from './workflows';

/** A script that asks for the brand only. */
const SCRIPT = 21;
/** What the shop sends along. */
const HEADER_CREDENTIAL = 'httpHeaderAuth';
/** What a browser asks a person for. */
const PAGE_CREDENTIAL = 'httpBasicAuth';
export const PAGE_LOGIN = { user: 'owner', password: 'open sesame' };
export const HEADER = { name: 'X-Shop-Key', value: 'of the shop' };

/** So that an example may be tried at any time of the day. */
export function atAnyHour({ nodes }: WorkflowFile): void {
  for (const { parameters } of nodes) {
    if (!isRecord(parameters.rules)) continue;
    const rules = parameters.rules as IDataObject;
    delete rules.callingHours;
    delete rules.outsideCallingHours;
  }
}

/** Where examples are imported, and what they call with. */
export interface Place {
  client: N8nClient;
  service: CallingService;
  n8nApiKey: string;
}

/** Imports an example as a person does: the file, then the credentials in its nodes. */
export async function importExample(
  { client, service, n8nApiKey }: Place,
  name: string,
  change: (workflow: WorkflowFile) => void = atAnyHour,
): Promise<SavedWorkflow> {
  const text = await readFile(join(PROJECT, 'examples', `${name}.json`), 'utf8');
  const workflow = withScript(JSON.parse(text) as WorkflowFile, SCRIPT);
  workflow.pinData = {}; // the real data of the tests
  change(workflow);
  const calling = await saveCredential(client, service, { n8nApiKey });
  const shop = await client.createCredential('Header of the shop', HEADER_CREDENTIAL, HEADER);
  const page = await client.createCredential('Pages', PAGE_CREDENTIAL, PAGE_LOGIN);
  const credentials = {
    [CALLING_CREDENTIAL]: calling,
    [HEADER_CREDENTIAL]: shop,
    [PAGE_CREDENTIAL]: page,
  };
  return await client.createWorkflow(
    Object.entries(credentials).reduce(
      (file, [type, one]) => withCredential(file, type, one),
      workflow,
    ),
  );
}

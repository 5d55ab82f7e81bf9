import { readFile, readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { INode, INodeParameters } from 'n8n-workflow';
import pLimit from 'p-limit';
import { startCallingService, type CallingService, type Fault } from '../service';
import { freePort, PreparedN8n, type Credential } from '../../scripts/n8n';
import {
  CALLING_CREDENTIAL,
  CALLING_NODE,
  callingNode,
  saveCredential,
  workflowOf,
} from './workflows';

const API_KEY = 'sk_live/Nobody+May=Read&This:93af7c';
const PHONE = '+12025550177';
const HEADER_FORMS = ['bearer', 'xApiKey'];

/** The key in every dress in which it could lie around. */
const FORMS = [
  API_KEY,
  encodeURIComponent(API_KEY),
  API_KEY.replaceAll('/', '\\/'),
  Buffer.from(API_KEY).toString('base64').replace(/=+$/, ''),
  Buffer.from(`Bearer ${API_KEY}`).toString('base64').replace(/=+$/, ''),
  Buffer.from(API_KEY).toString('hex'),
];

const showsKey = (text: string) => FORMS.some((form) => text.includes(form));

const OPERATIONS: Array<[operation: string, parameters: INodeParameters]> = [
  ['call.trigger', { scriptId: 7, customerPhone: PHONE }],
  ['call.getOutcome', { orderId: '4001' }],
  ['campaign.create', { scriptId: 7, contactPhone: PHONE }],
  ['campaign.pause', { campaignId: '4001' }],
];

/** So many situations are lived through at once: n8n refuses what waits too long for its database. */
const AT_ONCE = 4;

const SILENCE = 'no answer comes';

/** What befalls every request of a service. */
const SITUATIONS: Record<string, Fault | undefined> = {
  'all is well': undefined,
  'the connection is broken': { kind: 'reset' },
  [SILENCE]: { kind: 'hang' },
  'a website answers': { kind: 'html' },
  'something else answers': { kind: 'json', body: { hello: 'world' } },
  'the service fails with status 200': { kind: 'successFalse', message: 'No' },
  'the request is refused': { kind: 'status', status: 400 },
  'the key is refused': { kind: 'status', status: 401 },
  'too much is asked': { kind: 'status', status: 429, headers: { 'retry-after': '600' } },
  'the service fails': { kind: 'status', status: 500 },
  'the service repeats the key in its refusal': {
    kind: 'status',
    status: 400,
    body: { success: false, message: `The key ${API_KEY} has no credit left` },
  },
  'the service repeats the key in its failure': {
    kind: 'status',
    status: 500,
    body: { success: false, message: `Internal error for key ${API_KEY}` },
  },
};

let n8n: PreparedN8n;
let elsewhere: Server;
const services: CallingService[] = [];

/** What n8n let be seen in each situation: its answers to the editor, and its executions. */
const shown = new Map<string, string>();

/** What n8n has logged, and what it has left on the disk, by file. */
let logs = '';
const files = new Map<string, string>();

async function execute(
  name: string,
  credential: Credential,
  operations: typeof OPERATIONS,
  settings: Partial<INode>,
): Promise<string> {
  const nodes = operations.map(([operation, parameters]) => {
    // Only a silent service is not waited for: a busy machine is slow as well.
    const all = { ...parameters, options: name === SILENCE ? { requestTimeoutSeconds: 1 } : {} };
    return callingNode(operation, operation, credential, all, settings);
  });
  const workflow = await n8n.client.createWorkflow(workflowOf(name, [{}], ...nodes));
  return JSON.stringify(await n8n.client.runManually(workflow));
}

/** Does everything with a credential that n8n can do with it. */
async function useCredential(name: string, baseUrl: string, headerForm: string): Promise<string> {
  const { client } = n8n;
  const fields = { apiKey: API_KEY, headerForm };
  const credential = await saveCredential(client, { baseUrl }, fields);
  const executions = [
    execute(name, credential, OPERATIONS, { onError: 'continueRegularOutput' }),
    ...OPERATIONS.map(async (one) => await execute(name, credential, [one], {})),
  ];
  // The editor waits for an answer longer than a test should.
  if (name === SILENCE) return JSON.stringify(await Promise.all(executions));
  const seen = await Promise.all([
    ...executions,
    client.testCredential(CALLING_CREDENTIAL, { ...fields, baseUrl }),
    client.resourceMapperFields({
      nodeType: CALLING_NODE,
      method: 'getScriptVariables',
      parameter: 'scriptVariables',
      parameters: { resource: 'call', operation: 'trigger', scriptId: 12 },
      credentials: { [CALLING_CREDENTIAL]: { id: credential.id, name: credential.name } },
    }),
  ]);
  return JSON.stringify(seen);
}

async function live(name: string, baseUrl: string): Promise<void> {
  const seen = HEADER_FORMS.map(async (form) => await useCredential(name, baseUrl, form));
  shown.set(name, (await Promise.all(seen)).join('\n'));
}

/** The files that n8n keeps, without the packages that were installed. */
async function readFilesOf(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths) files.set(path, (await readFile(path)).toString('latin1'));
}

beforeAll(async () => {
  elsewhere = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
  n8n = await PreparedN8n.start({ env: { N8N_LOG_LEVEL: 'debug', N8N_DISABLE_UI: 'true' } });
  const { port } = elsewhere.address() as AddressInfo;
  const redirect: Fault = { kind: 'redirect', location: `http://127.0.0.1:${port}/` };
  const situations = Object.entries({ ...SITUATIONS, 'the address redirects': redirect });
  const limit = pLimit(AT_ONCE);
  const lives = situations.map(async ([name, fault]) => {
    const service = await startCallingService({ apiKeys: [API_KEY] });
    services.push(service);
    if (fault !== undefined) service.faults.add({ ...fault, times: 1000 });
    await limit(live, name, service.baseUrl);
  });
  await Promise.all([
    ...lives,
    limit(live, 'nothing is at the address', `http://127.0.0.1:${await freePort()}`),
    limit(live, 'the credential is wrong', 'http://calls.example.com'),
  ]);

  const { n8n: running } = n8n;
  await running.stop(); // so that everything is written
  logs = running.logs();
  await readFilesOf(running.userFolder);
});

afterAll(async () => {
  await n8n?.stop();
  elsewhere?.close();
  await Promise.all(services.map(async (service) => await service.close()));
});

describe('the API key', () => {
  it('was sent in all situations in which there was somebody to send it to', () => {
    for (const { seen } of services) {
      const headers = seen.received.map(({ headers }) => headers);
      expect(headers.some(({ authorization }) => authorization === `Bearer ${API_KEY}`)).toBe(true);
      expect(headers.some((header) => header['x-api-key'] === API_KEY)).toBe(true);
    }
  });

  it.each([
    ...Object.keys(SITUATIONS),
    'the address redirects',
    'nothing is at the address',
    'the credential is wrong',
  ])('is in no execution, no test result and no editor field when %s', (name) => {
    const text = shown.get(name) ?? '';
    expect(text).toMatch(name === 'all is well' ? /Call started/ : /error/);
    expect(showsKey(text)).toBe(false);
  });

  it('is not in the log, even when n8n logs everything', () => {
    expect(logs).toMatch(/debug/);
    expect(logs).toMatch(/could not be reached/);
    expect(logs.split('\n').filter(showsKey)).toEqual([]);
  });

  it('is in no file of n8n, for the credential is encrypted', () => {
    const database = [...files].filter(([path]) => /\.sqlite/.test(path));
    expect(database.some(([, bytes]) => bytes.includes(PHONE))).toBe(true);
    expect([...files].filter(([, bytes]) => showsKey(bytes)).map(([path]) => path)).toEqual([]);
  });
});

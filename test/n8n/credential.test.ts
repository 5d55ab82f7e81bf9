import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import {
  freePort,
  sharedN8n,
  type CredentialTestResult,
  type SharedN8n,
  type WorkflowFile,
} from '../../scripts/n8n';
import { CALLING_CREDENTIAL, callingNode, saveCredential, workflowOf } from './workflows';

const API_KEY = 'key-that-nobody-may-read-5d1c';

let n8n: SharedN8n;
let service: CallingService;

/** Whoever a redirect leads to. */
let elsewhere: Server;
let requestsElsewhere = 0;

beforeAll(async () => {
  elsewhere = createServer((_request, response) => {
    requestsElsewhere++;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  service = await startCallingService({ apiKeys: [API_KEY] });
  n8n = await sharedN8n();
});

afterAll(async () => {
  await service?.close();
  elsewhere?.close();
});

beforeEach(() => {
  service.faults.clear();
  service.seen.resetRequests();
});

/** Presses "test" on a credential for the emulated service, in which `fields` are changed. */
async function pressTest(fields: IDataObject = {}): Promise<CredentialTestResult> {
  const data = { baseUrl: service.baseUrl, apiKey: API_KEY, ...fields };
  const result = await n8n.client.testCredential(CALLING_CREDENTIAL, data);
  expect(JSON.stringify(result)).not.toContain(API_KEY);
  return result;
}

async function refusal(fields: IDataObject = {}): Promise<string> {
  const { status, message } = await pressTest(fields);
  expect(status).toBe('Error');
  return message;
}

describe('a credential that is right', () => {
  it.each([
    { headerForm: 'bearer', pathForm: 'versioned' },
    { headerForm: 'bearer', pathForm: 'unversioned' },
    { headerForm: 'xApiKey', pathForm: 'versioned' },
    { headerForm: 'xApiKey', pathForm: 'unversioned' },
  ])('is accepted as $headerForm on $pathForm paths', async (forms) => {
    expect(await pressTest(forms)).toEqual({
      status: 'OK',
      message: 'The calling service accepted the API key',
    });
    const [request] = service.seen.received;
    expect(request?.route).toBe('outcome');
    expect(request?.url).toMatch(forms.pathForm === 'versioned' ? /^\/api\/v1\// : /^\/api\/o/);
    expect([request?.headers.authorization, request?.headers['x-api-key']]).toEqual(
      forms.headerForm === 'bearer' ? [`Bearer ${API_KEY}`, undefined] : [undefined, API_KEY],
    );
  });

  it.each(['/', '///', '/api', '/api/v1/'])(
    'is accepted with %p at the end of its base URL',
    async (ending) => {
      expect(await pressTest({ baseUrl: service.baseUrl + ending })).toMatchObject({
        status: 'OK',
      });
      expect(service.seen.received[0]?.url).not.toContain('//');
    },
  );

  it('is accepted with spaces around its API key, which are not sent', async () => {
    expect(await pressTest({ apiKey: `  ${API_KEY} ` })).toMatchObject({ status: 'OK' });
    expect(service.seen.received[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`);
  });

  it('is tested by reading only: nobody is called', async () => {
    await pressTest();
    expect(service.seen.requests).toMatchObject({ trigger: 0, outcome: 1, createCampaign: 0 });
  });
});

describe('a credential that is wrong', () => {
  const situations: Array<[name: string, words: RegExp, situation: () => Promise<string>]> = [
    [
      'the key is refused',
      /refused the API key.*copy the API key again/i,
      async () => await refusal({ apiKey: 'another-key' }),
    ],
    [
      'the port is closed',
      /could not be reached.*check the base URL/i,
      async () => await refusal({ baseUrl: `http://127.0.0.1:${await freePort()}` }),
    ],
    [
      'a website is at the address',
      /not as the calling service does.*another website/i,
      async () => {
        service.faults.add({ kind: 'html' });
        return await refusal();
      },
    ],
    [
      'the address redirects',
      /redirects to another address.*final address/i,
      async () => {
        const { port } = elsewhere.address() as AddressInfo;
        service.faults.add({ kind: 'redirect', location: `http://127.0.0.1:${port}/` });
        return await refusal();
      },
    ],
    [
      'the service is failing',
      /failed \(status 503/i,
      async () => {
        service.faults.add({ kind: 'status', status: 503, times: 10 });
        return await refusal();
      },
    ],
    ['there is no base URL', /has no base URL/i, async () => await refusal({ baseUrl: '' })],
    [
      'the base URL is no address',
      /is not an http\(s\) address/i,
      async () => await refusal({ baseUrl: 'calls example com' }),
    ],
    [
      'the base URL holds a user and a password',
      /contains a user name or password/i,
      async () => await refusal({ baseUrl: 'https://olive:secret@calls.example.com' }),
    ],
    [
      'the base URL has a query',
      /contains a \? or # part/i,
      async () => await refusal({ baseUrl: `${service.baseUrl}/?a=1` }),
    ],
    [
      'the base URL is not encrypted',
      /is not encrypted.*allow HTTP/i,
      async () => await refusal({ baseUrl: 'http://calls.example.com' }),
    ],
    ['there is no API key', /has no API key/i, async () => await refusal({ apiKey: ' ' })],
    [
      'the API key has a line break inside',
      /characters that cannot be sent/i,
      async () => await refusal({ apiKey: 'one\ntwo' }),
    ],
  ];
  const told = new Set<string>();

  it.each(situations)('is told in its own words when %s', async (_, words, situation) => {
    const message = await situation();
    expect(message).toMatch(words);
    expect(told).not.toContain(message);
    told.add(message);
  });

  it('is told as not reachable when the host is unknown', async () => {
    expect(await refusal({ baseUrl: 'https://no-such-host.invalid' })).toMatch(
      /no-such-host\.invalid could not be reached/,
    );
  });

  it.each([
    ['another kind of JSON', { hello: 'world' }],
    ['a list', [1, 2]],
    ['"success" as text', { success: 'yes' }],
  ])('is told as not the calling service when it answers with %s', async (_, body) => {
    service.faults.add({ kind: 'json', body });
    expect(await refusal()).toMatch(/not as the calling service does/);
  });

  it('sends nothing to where a redirect leads, so that the key stays where it belongs', async () => {
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    service.faults.add({ kind: 'redirect', location, times: 10 });
    await refusal();
    await refusal({ headerForm: 'xApiKey' });
    expect(requestsElsewhere).toBe(0);
  });
});

describe('a call with a credential that is wrong', () => {
  async function messageOf(fields: IDataObject): Promise<string> {
    const credential = await saveCredential(n8n.client, service, { apiKey: API_KEY, ...fields });
    const workflow: WorkflowFile = workflowOf(
      'Wrong credential',
      [{}],
      callingNode('Outcome', 'call.getOutcome', credential, { orderId: '4001' }),
    );
    const execution = await n8n.client.runManually(await n8n.client.createWorkflow(workflow));
    return execution.data.resultData.error?.message ?? '';
  }

  it('fails in the same words as the test', async () => {
    expect(await messageOf({ apiKey: 'another-key' })).toMatch(/refused the API key/);
    expect(await messageOf({ baseUrl: 'http://calls.example.com' })).toMatch(/is not encrypted/);
    expect(await messageOf({ baseUrl: `${service.baseUrl}/?a=1` })).toMatch(/a \? or # part/);
  });

  it('sends nothing to where a redirect leads', async () => {
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    service.faults.add({ kind: 'redirect', location, times: 10 });
    expect(await messageOf({})).toMatch(/redirects to another address/);
    expect(requestsElsewhere).toBe(0);
  });
});

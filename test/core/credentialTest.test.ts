import 'reflect-metadata';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CredentialTestContext } from 'n8n-core';
import type { ICredentialTestFunctions, IDataObject } from 'n8n-workflow';
import { testCredential } from '../../nodes/OutboundAiCalling/methods/credentialTest';
import { keyExpiringAt } from '../n8nKeys';
import { startCallingService, type CallingService } from '../service';
import { startBreakingServer } from '../service/breakingServer';
import { startDataTablesServer } from '../dataTables/dataTablesServer';

const API_KEY = 'key-that-nobody-may-read-5d1c';

/** Tests a credential with n8n's own context for such tests. */
async function test(fields: IDataObject): Promise<{ status: string; message: string }> {
  const context = new CredentialTestContext() as unknown as ICredentialTestFunctions;
  const credential = { id: '1', name: 'x', type: 'outboundAiCallingApi' };
  const data = { apiKey: API_KEY, ...fields } as never;
  const result = await testCredential.call(context, { ...credential, data });
  expect(JSON.stringify(result)).not.toContain(API_KEY);
  return result;
}

/** A server that gives one answer to every request. */
async function serverAnswering(status: number, content: string, type = 'application/json') {
  const server: Server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': type }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: async () => await new Promise((resolve) => server.close(resolve)),
  };
}

describe('the test of a credential', () => {
  let service: CallingService;
  beforeAll(async () => {
    service = await startCallingService({ apiKeys: [API_KEY] });
  });
  afterAll(async () => await service.close());

  it('accepts what the service itself says', async () => {
    expect(await test({ baseUrl: service.baseUrl })).toEqual({
      status: 'OK',
      message: 'The calling service accepted the API key',
    });
  });

  it('says on which day the n8n API key expires', async () => {
    const tables = await startDataTablesServer();
    const testKey = async (at: number | undefined) =>
      await test({
        baseUrl: service.baseUrl,
        n8nApiKey: keyExpiringAt(at),
        n8nApiUrl: `${tables.baseUrl}/api/v1`,
      });
    try {
      expect((await testKey(undefined)).message).toMatch(
        /n8n accepted the n8n API key for a call log$/,
      );
      expect(await testKey(Date.UTC(2099, 11, 1, 9))).toEqual({
        status: 'OK',
        message:
          'The calling service accepted the API key. n8n accepted the n8n API key for a call log. It expires on 2099-12-01 09:00 UTC: the call log stops then',
      });
      expect(await testKey(Date.UTC(2020, 0, 1))).toEqual({
        status: 'Error',
        message: expect.stringContaining('expired on 2020-01-01 00:00 UTC. Create a new key'),
      });
    } finally {
      await tables.close();
    }
  });

  it.each([
    [404, '{"message":"Not Found"}'],
    [404, '{"error":"Order not found"}'],
    [404, '{"success":true,"message":"Order not found"}'],
    [404, '"Order not found"'],
    [404, '<h1>Not found</h1>'],
    [200, '<h1>Welcome</h1>'],
    [200, '{"hello":"world"}'],
    [405, '{}'],
    [401, '<h1>Log in</h1>'],
    [403, '<h1>Forbidden</h1>'],
  ])('does not take %i %s for the calling service', async (status, content) => {
    const server = await serverAnswering(status, content);
    try {
      const { status: result, message } = await test({ baseUrl: server.baseUrl });
      expect(result).toBe('Error');
      expect(message).toMatch(/not as the calling service does/);
    } finally {
      await server.close();
    }
  });

  it.each([
    ['Not Found', /refused: Not Found\. .*base URL/],
    ['Route GET /api/order/1 not found', /has nothing at this address.*base URL/],
    ['Insufficient wallet balance', /balance of the account.*: Insufficient wallet balance\. /],
    ['Ask for a permit', /^The calling service refused: Ask for a permit\. /],
  ])('tells what the service itself says, whatever the status: %s', async (said, words) => {
    for (const status of [403, 404]) {
      const server = await serverAnswering(
        status,
        JSON.stringify({ success: false, message: said }),
      );
      try {
        const { status: result, message } = await test({ baseUrl: server.baseUrl });
        expect(result).toBe('Error');
        expect(message).toMatch(words);
      } finally {
        await server.close();
      }
    }
  });

  it.each([
    [401, '<h1>Log in</h1>', 'status 401, a web page'],
    [403, '<h1>Forbidden</h1>', 'status 403, a web page'],
    [403, '', 'status 403, no content'],
    [404, '{"a":1}', 'status 404, other JSON'],
  ])('tells %i %s as what it is', async (status, content, words) => {
    const server = await serverAnswering(status, content);
    try {
      const { message } = await test({ baseUrl: server.baseUrl });
      expect(message).toContain(words);
      expect(message).not.toContain('refused the API key');
    } finally {
      await server.close();
    }
  });

  it.each(['', '{"success":false}', '{"message":"No"}', 'Unauthorized'])(
    'takes a 401 without a web page for a refused key: %p',
    async (content) => {
      const server = await serverAnswering(401, content);
      try {
        const { message } = await test({ baseUrl: server.baseUrl });
        expect(message).toMatch(/^The calling service refused the API key/);
      } finally {
        await server.close();
      }
    },
  );

  it.each([
    ['versioned', 'Unversioned', '/api/order/'],
    ['unversioned', 'Versioned', '/api/v1/orders/'],
  ])('tells that %s is the wrong path form', async (pathForm, right, path) => {
    const server: Server = createServer((request, response) => {
      const isThere = request.url?.startsWith(path) === true;
      const message = isThere ? 'Order not found' : 'Not Found';
      response.writeHead(404).end(JSON.stringify({ success: false, message }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const { status, message } = await test({ baseUrl: `http://127.0.0.1:${port}`, pathForm });
      expect(status).toBe('Error');
      expect(message).toContain(`answers on ${right.toLowerCase()} paths`);
      expect(message).toContain(`Set "Path Form" to "${right}"`);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it.each([
    ['a refused key', 401, '{"success":false,"message":"Unauthorized"}', /refused the API key/],
    ['a failing service', 503, `{"success":false,"message":"${API_KEY}"}`, /failed \(status 503/],
    ['a refusal', 400, `{"success":false,"message":"No ${API_KEY}"}`, /refused: No \[API key\]/],
  ])('tells %s without the key', async (_what, status, content, words) => {
    const server = await serverAnswering(status, content);
    try {
      expect((await test({ baseUrl: server.baseUrl })).message).toMatch(words);
    } finally {
      await server.close();
    }
  });

  it('tells a host that cannot be reached', async () => {
    expect((await test({ baseUrl: 'http://127.0.0.1:1' })).message).toMatch(/could not be reached/);
  });

  it('ends in time when an answer drips', async () => {
    const fate = { stage: 'inBody', manner: 'drip', part: 0.5 } as const;
    const server = await startBreakingServer(Array.from({ length: 4 }, () => fate));
    try {
      const { message } = await test({ baseUrl: server.baseUrl });
      expect(message).toMatch(/did not answer in time/);
      expect(message).not.toContain('options');
    } finally {
      await server.close();
    }
  });
});

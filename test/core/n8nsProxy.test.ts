import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execute, jsonOf } from './engine';
import { itemsOf, loggedCall } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 100_000 });

const PAGE = '<html><h1>Access denied</h1>Squid</html>';
const asked: IncomingMessage[] = [];
const proxy = createServer((request, reply) => {
  asked.push(request);
  request.resume();
  reply.writeHead(403, { 'content-type': 'text/html' }).end(PAGE);
});
const before = { ...process.env };

beforeAll(async () => {
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  process.env.HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
beforeEach(() => void asked.splice(0));
afterAll(async () => {
  process.env = before;
  await new Promise((resolve) => proxy.close(resolve));
});

/** What an execution gives that logs a call, while n8n has such a list of hosts without a proxy. */
async function callWith(noProxy: string) {
  process.env.NO_PROXY = noProxy;
  return await execute({
    parameters: loggedCall,
    items: itemsOf(1),
    credential: world.credential(),
  });
}

describe('the proxy that n8n itself uses, in HTTP_PROXY', () => {
  it('gets requests over http, also those to this machine, and what it answers is told as its word', async () => {
    const { error } = await callWith('');
    expect(asked[0]?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/data-tables/);
    expect(asked[0]?.headers['x-n8n-api-key']).toBe('n8n-key');
    expect(error?.message).toMatch(/^Nobody was called\. .* \(status 403, a web page\)$/);
    expect(error?.description).toContain('NO_PROXY');
    expect(world.service.seen.received).toEqual([]);
  });

  it('gets no request to a host that NO_PROXY names', async () => {
    jsonOf(await callWith('localhost,127.0.0.1'));
    expect(world.service.seen.received).toHaveLength(1);
    expect(asked).toEqual([]);
  });
});

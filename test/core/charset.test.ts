import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execute } from './engine';

let server: Server;
let contentType: string | undefined;
let encoding: BufferEncoding;
beforeAll(async () => {
  server = createServer((_, response) => {
    const outcome = { callStatus: 'completed', callOutcome: 'Bestätigt' };
    const body = JSON.stringify({ success: true, orderId: 5, ...outcome });
    if (contentType !== undefined) response.setHeader('content-type', contentType);
    response.end(Buffer.from(body, encoding));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(() => server.close());

it.each<[string | undefined, BufferEncoding]>([
  ['application/json; charset=iso-8859-1', 'latin1'],
  ['application/json; charset="Windows-1252"', 'latin1'],
  ['application/json; charset=utf-16le', 'utf16le'],
  ['application/json; charset=nonsense', 'utf8'],
  ['application/json', 'utf8'],
  [undefined, 'utf8'],
])('an answer with the content type %j is read as it was written', async (type, written) => {
  [contentType, encoding] = [type, written];
  const { items } = await execute({
    parameters: { resource: 'call', operation: 'getOutcome', orderId: 5 },
    credential: {
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: 'test-key',
    },
  });
  expect(items[0]?.json).toMatchObject({ callOutcome: 'Bestätigt', outcomeKey: 'bestätigt' });
});

import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes requests on to a server on loopback, and counts them. */
export interface CountingProxy {
  baseUrl: string;
  /** How many requests came, by method and path without ids, e.g. `GET /api/v1/data-tables`. */
  requests: Map<string, number>;
  /** How many requests came in all. */
  count(): number;
  close(): Promise<void>;
}

export async function startCountingProxy(targetUrl: string): Promise<CountingProxy> {
  const requests = new Map<string, number>();
  const server = createServer((incoming, reply) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const path = url.replace(/\?.*/, '').replace(/data-tables\/\w+/, 'data-tables/*');
    const name = `${method} ${path}`;
    requests.set(name, (requests.get(name) ?? 0) + 1);
    const passedOn = ask(new URL(url, targetUrl), { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    passedOn.on('error', () => reply.destroy());
    incoming.pipe(passedOn);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    count: () => [...requests.values()].reduce((sum, count) => sum + count, 0),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

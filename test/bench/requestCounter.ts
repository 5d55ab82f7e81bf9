import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RequestCounter {
  baseUrl: string;
  /** How many requests have passed since the last reset. */
  count(): number;
  reset(): void;
  close(): Promise<void>;
}

/** Hands requests on to an address, unchanged, and counts them. */
export async function countRequests(target: string): Promise<RequestCounter> {
  const { hostname, port } = new URL(target);
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    count++;
    const { method, url, headers } = incoming;
    const asked = forward({ hostname, port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    asked.on('error', () => outgoing.destroy());
    incoming.pipe(asked);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    reset: () => {
      count = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

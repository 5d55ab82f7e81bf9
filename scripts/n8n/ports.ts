import { createServer } from 'node:net';

const HOST = '127.0.0.1';

/** Someone else listens on the port that was asked for. */
export class PortTaken extends Error {
  constructor(readonly port: number) {
    super(`Port ${port} is already in use. Choose another one, or end the program that uses it.`);
    this.name = 'PortTaken';
  }
}

/** Whether nobody listens on the port. */
export async function isFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== undefined;
}

/** Any port that is free now. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === undefined) throw new Error('This machine has no free port left.');
  return port;
}

/** The first free port, counting up from the one that is liked best. */
export async function firstFreePort(from: number): Promise<number> {
  for (let port = from; port <= 65_535; port++) {
    if (await isFree(port)) return port;
  }
  return await freePort();
}

async function listenOnce(port: number): Promise<number | undefined> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, HOST, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}

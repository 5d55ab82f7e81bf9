import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { N8nClient } from './client';
import { PreparedN8n } from './prepared';

/** The variable that tells the processes of a test run where to ask for the shared n8n. */
const ADDRESS = 'OUTBOUND_AI_CALLING_SHARED_N8N';

/** A prepared n8n that several test files use at once, each as its owner. None may restart it. */
export interface SharedN8n {
  readonly client: N8nClient;
}

/** What another process needs to use an n8n as its owner. */
interface Access {
  baseUrl: string;
  loginCookie: string | undefined;
}

/**
 * Lets this process, and those that it starts from now on, share one n8n: it is started when the
 * first of them asks for it.
 *
 * @returns what ends it
 */
export async function offerSharedN8n(): Promise<() => Promise<void>> {
  let starting: Promise<PreparedN8n> | undefined;
  const server = createServer((_request, response) => {
    starting ??= PreparedN8n.start();
    starting.then(
      ({ client }) => {
        const access: Access = {
          baseUrl: client.baseUrl,
          loginCookie: client.session.loginCookie,
        };
        response.end(JSON.stringify(access));
      },
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env[ADDRESS] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async () => {
    delete process.env[ADDRESS];
    server.close();
    const n8n = await starting?.catch(() => undefined);
    await n8n?.stop();
  };
}

/**
 * The n8n that all test files share which need none of their own. They have its data tables,
 * webhooks and API keys in common: each file gives them names that no other file uses.
 *
 * @throws Error when it could not be started, with its log's end
 */
export async function sharedN8n(): Promise<SharedN8n> {
  const address = process.env[ADDRESS];
  if (address === undefined) throw new Error('Nobody offers an n8n to share here.');
  const response = await fetch(address);
  if (!response.ok) throw new Error(await response.text());
  const { baseUrl, loginCookie } = (await response.json()) as Access;
  return { client: new N8nClient(baseUrl, loginCookie) };
}

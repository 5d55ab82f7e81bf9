import { Readable } from 'node:stream';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { mayPass } from '../../nodes/OutboundAiCalling/dataTables/dataTableError';
import type { DataTablesContext } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import type { TableLocator } from '../../nodes/OutboundAiCalling/dataTables/findTable';

/** Lets this test process use a call log as a node does, over HTTP and with n8n's answers. */
export function dataTablesContext(baseUrl: string, n8nApiKey: string): DataTablesContext {
  const request = async ({ url, method, qs, body }: IHttpRequestOptions) => {
    const address = new URL(url);
    // n8n refuses a plus in place of a space.
    address.search = Object.entries((qs ?? {}) as IDataObject)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
      .join('&');
    const headers = { 'content-type': 'application/json', 'X-N8N-API-KEY': n8nApiKey };
    const response = await fetch(address, {
      method: method ?? 'GET',
      // Where time leaps, n8n closes a connection that this process believes to be fresh.
      headers: { ...headers, connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: Readable.from(Buffer.from(await response.arrayBuffer())),
    };
  };
  return {
    getCredentials: async () => ({ n8nApiKey }),
    getInstanceBaseUrl: () => `${baseUrl}/`,
    getTimezone: () => 'UTC',
    helpers: {
      httpRequestWithAuthentication: async (_type, options) => await request(options),
    },
  };
}

/** The fingerprint under which tests write rows of their own. */
export const TEST_ACCOUNT = '0123456789abcdef';

/** An n8n that has just started, and works for other files too, may not answer for more than a minute. */
const OPENINGS = 3;

/** Opens a call log, making it when it is not there. */
export async function openCallLog(
  baseUrl: string,
  n8nApiKey: string,
  locator: TableLocator,
  account = TEST_ACCOUNT,
): Promise<CallLog> {
  const context = dataTablesContext(baseUrl, n8nApiKey);
  const open = async (left: number): Promise<CallLog> =>
    await CallLog.open(context, locator, account).catch(async (error: unknown) =>
      left > 1 && mayPass(error) ? await open(left - 1) : await Promise.reject(error),
    );
  return await open(OPENINGS);
}

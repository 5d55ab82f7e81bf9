import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { CallLog, type TableLocator } from '../../nodes/OutboundAiCalling/callLog/callLog';
import type { CallLogContext } from '../../nodes/OutboundAiCalling/callLog/dataTables';

/** Lets this test process use a call log as a node does, over HTTP and with n8n's answers. */
export function callLogContext(baseUrl: string, apiKey: string): CallLogContext {
  const request = async ({ url, method, qs, body }: IHttpRequestOptions) => {
    const address = new URL(url);
    for (const [name, value] of Object.entries((qs ?? {}) as IDataObject)) {
      address.searchParams.set(name, String(value));
    }
    const response = await fetch(address, {
      method: method ?? 'GET',
      headers: { 'content-type': 'application/json', 'X-N8N-API-KEY': apiKey },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: isJson ? (JSON.parse(text) as unknown) : text,
    };
  };
  return {
    getCredentials: async () => ({ baseUrl: `${baseUrl}/api/v1`, apiKey }),
    helpers: {
      httpRequestWithAuthentication: async (_type, options) => await request(options),
    },
  };
}

export async function openCallLog(
  baseUrl: string,
  apiKey: string,
  locator: TableLocator,
): Promise<CallLog> {
  return await CallLog.open(callLogContext(baseUrl, apiKey), locator);
}

import { request as requestOverHttp } from 'node:http';
import { request as requestOverHttps } from 'node:https';
import type { IDataObject } from 'n8n-workflow';
import { authenticationHeader } from '../../nodes/OutboundAiCalling/service/account';
import type { Answer } from '../../nodes/OutboundAiCalling/http/exchange';
import { faultOf } from '../../nodes/OutboundAiCalling/http/networkFault';
import type { Send, OutgoingRequest } from '../../nodes/OutboundAiCalling/http/transport';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function exchange(
  { method, url, body, timeoutMs }: OutgoingRequest,
  authentication: Record<string, string>,
): Promise<Answer> {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const open = url.startsWith('https:') ? requestOverHttps : requestOverHttp;
  return await new Promise((resolve, reject) => {
    const request = open(url, {
      method,
      // A connection of its own for each request, so that a broken one breaks no other.
      agent: false,
      headers: {
        ...authentication,
        ...(content === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
    });
    const timer = setTimeout(() => {
      request.destroy(Object.assign(new Error('No answer in time'), { code: 'ETIMEDOUT' }));
    }, timeoutMs);
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    request.on('error', fail);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(timer);
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, headers, body: parsed(Buffer.concat(chunks).toString()) });
      });
    });
    request.end(content);
  });
}

/** Sends over real sockets, with the header of the credential; redirects come back as answers. */
export function sendOverHttp(credential: IDataObject): Send {
  const authentication = authenticationHeader(credential);
  return async (request) => await exchange(request, authentication).catch(faultOf);
}

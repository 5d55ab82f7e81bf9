import { request } from 'node:http';
import { parsed } from './session';

/** What a workflow answered to whoever called its webhook. */
export interface WebhookAnswer {
  status: number;
  /** Parsed when it is JSON, else the text as it came. */
  body: unknown;
}

/** What a post needs beside its body. */
export interface PostOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * Posts JSON to a webhook and waits for the answer for as long as the workflow takes. `fetch` would
 * give up after five minutes, and a telephone call may last longer.
 */
export async function postJson(
  url: string,
  body: unknown,
  { headers = {}, signal }: PostOptions = {},
): Promise<WebhookAnswer> {
  return await new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        agent: false,
        signal,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parsed(text) }));
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

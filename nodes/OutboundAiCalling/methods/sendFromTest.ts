import type { ICredentialTestFunctions } from 'n8n-workflow';
import { faultOf, type Answer, type NetworkFault } from '../service/transport';

interface TestAnswer {
  statusCode: number;
  headers: Record<string, unknown>;
  body: unknown;
}

/** A person waits for the result of a credential test. */
export const TEST_TIMEOUT_MS = 5_000;

/**
 * Sends from a credential test. n8n gives such tests this one way to send, without authentication
 * of its own.
 */
export async function sendFromTest(
  { request }: ICredentialTestFunctions['helpers'],
  asked: { method: string; url: string; headers: Record<string, string> },
): Promise<Answer | NetworkFault> {
  const { method, url, headers } = asked;
  return await request({
    method,
    uri: url,
    headers,
    json: true,
    simple: false,
    resolveWithFullResponse: true,
    followRedirect: false,
    timeout: TEST_TIMEOUT_MS,
  }).then(
    ({ statusCode, headers: received, body }: TestAnswer): Answer => ({
      status: statusCode,
      headers: received,
      body,
    }),
    faultOf,
  );
}

import type { ICredentialTestFunctions } from 'n8n-workflow';
import { exchange, type Answer } from '../http/exchange';
import type { NetworkFault } from '../http/networkFault';
import type { OutgoingRequest } from '../http/transport';

/** Short, because a person waits for the result of a credential test. */
export const TEST_TIMEOUT_MS = 5_000;

export interface TestRequest extends OutgoingRequest {
  /** Are cut out of the answer. */
  secrets: readonly string[];
}

/**
 * Sends from a credential test, with the same bounds as all other requests. n8n gives such tests
 * only this way to send. It adds no authentication, and cannot be stopped.
 */
export async function sendFromTest(
  { request }: ICredentialTestFunctions['helpers'],
  { method, url, qs, body, headers, secrets }: TestRequest,
): Promise<Answer | NetworkFault> {
  const options = {
    method,
    uri: url,
    headers,
    ...(qs === undefined ? {} : { qs }),
    ...(body === undefined ? {} : { body }),
    json: true,
    useStream: true,
    simple: false,
    resolveWithFullResponse: true,
    followRedirect: false,
    timeout: TEST_TIMEOUT_MS,
  };
  return await exchange(async () => await request(options), {
    timeoutMs: TEST_TIMEOUT_MS,
    secrets,
  });
}

import type { ICredentialTestFunctions } from 'n8n-workflow';
import { exchange, type Answer } from '../service/exchange';
import type { NetworkFault } from '../service/networkFault';

/** A person waits for the result of a credential test. */
export const TEST_TIMEOUT_MS = 5_000;

export interface TestRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Are cut out of the answer. */
  secrets: readonly string[];
}

/**
 * Sends from a credential test, with the same bounds as all other requests. n8n gives such tests
 * this one way to send, without authentication of its own and without a way to stop it.
 */
export async function sendFromTest(
  { request }: ICredentialTestFunctions['helpers'],
  { method, url, headers, secrets }: TestRequest,
): Promise<Answer | NetworkFault> {
  const options = {
    method,
    uri: url,
    headers,
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

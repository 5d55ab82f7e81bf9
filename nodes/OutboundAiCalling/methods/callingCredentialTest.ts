import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { authenticationHeader, readAccount, secretsOf } from '../service/account';
import { CallingService } from '../service/callingService';
import { CallingServiceError } from '../service/failure';
import type { Send } from '../service/transport';
import { sendFromTest, TEST_TIMEOUT_MS } from './sendFromTest';

/**
 * Tests an `outboundAiCallingApi` credential by reading the outcome of an order that cannot exist:
 * harmless, and answered differently by a service that accepts the key, one that refuses it, and
 * whatever else may be at the address.
 */
export async function testCallingCredential(
  this: ICredentialTestFunctions,
  credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  const data = credential.data ?? {};
  const secrets = secretsOf(data);
  const send: Send = async ({ method, url }) => {
    const headers = authenticationHeader(data);
    return await sendFromTest(this.helpers, { method, url, headers, secrets });
  };
  return await Promise.resolve(data)
    .then(readAccount)
    .then(async (account) => {
      const patience = { timeoutMs: TEST_TIMEOUT_MS, firstPauseMs: 250 };
      await new CallingService(account, send, patience).checkAccess();
    })
    .then(
      () => ({ status: 'OK' as const, message: 'The calling service accepted the API key' }),
      (error: unknown) => ({
        status: 'Error' as const,
        message:
          error instanceof CallingServiceError
            ? `${error.message}. ${error.advice}`
            : 'The calling service could not be asked',
      }),
    );
}

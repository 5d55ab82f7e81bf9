import type {
  ICredentialDataDecryptedObject,
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { authenticationHeader, readAccount } from '../service/account';
import { CallingService } from '../service/callingService';
import { CallingServiceError } from '../service/failure';
import { faultOf, withoutKey, type Answer, type Send } from '../service/transport';

interface TestAnswer {
  statusCode: number;
  headers: Record<string, unknown>;
  body: unknown;
}

/** A person waits for the result. */
const TIMEOUT_MS = 5_000;

/** n8n gives credential tests this one way to send, without authentication of its own. */
function sendFromTest(
  { request }: ICredentialTestFunctions['helpers'],
  credential: ICredentialDataDecryptedObject,
): Send {
  return async ({ method, url, timeoutMs }) =>
    await request({
      method,
      uri: url,
      headers: authenticationHeader(credential),
      json: true,
      simple: false,
      resolveWithFullResponse: true,
      followRedirect: false,
      timeout: timeoutMs,
    }).then(
      ({ statusCode, headers, body }: TestAnswer): Answer => ({
        status: statusCode,
        headers,
        body: withoutKey(body, credential),
      }),
      faultOf,
    );
}

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
  const { helpers } = this;
  return await Promise.resolve(data)
    .then(readAccount)
    .then(async (account) => {
      const send = sendFromTest(helpers, data);
      await new CallingService(account, send, {
        timeoutMs: TIMEOUT_MS,
        firstPauseMs: 250,
      }).checkAccess();
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

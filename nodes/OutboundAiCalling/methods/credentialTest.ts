import type {
  ICredentialDataDecryptedObject,
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { checkN8nAccess } from '../dataTables/checkN8nAccess';
import { DataTableError } from '../dataTables/dataTableError';
import { instanceUrl } from '../dataTables/instanceUrl';
import { expiryOf, minuteOf } from '../dataTables/keyExpiry';
import { readN8nApi } from '../dataTables/n8nApi';
import { authenticationHeader, readAccount, secretsOf } from '../service/account';
import { CallingService } from '../service/callingService';
import { CallingServiceError } from '../service/failure';
import { exchange } from '../http/exchange';
import { defined } from '../http/json';
import type { Send } from '../http/transport';

type Helpers = ICredentialTestFunctions['helpers'];

/** Short, because a person waits for the result. */
const TIMEOUT_MS = 5_000;

/** The only way for credential tests to send, with the usual bounds. It adds no key, and cannot be stopped. */
function senderFor({ request }: Helpers, data: ICredentialDataDecryptedObject): Send {
  return async ({ method, url, qs, body, headers }) => {
    const options = {
      method,
      uri: url,
      headers,
      ...defined({ qs, body }),
      json: true,
      useStream: true,
      simple: false,
      resolveWithFullResponse: true,
      followRedirect: false,
      timeout: TIMEOUT_MS,
    };
    const bounds = { timeoutMs: TIMEOUT_MS, secrets: secretsOf(data) };
    return await exchange(async () => await request(options), bounds);
  };
}

/** Reads the outcome of an order that cannot exist, which is harmless. */
async function testCallingService(helpers: Helpers, data: ICredentialDataDecryptedObject) {
  const account = readAccount(data);
  const send = senderFor(helpers, data);
  const authenticated: Send = async (request) =>
    await send({ ...request, headers: authenticationHeader(data) });
  const patience = { timeoutMs: TIMEOUT_MS, firstPauseMs: 250 };
  await new CallingService(account, authenticated, patience).checkAccess();
  return 'The calling service accepted the API key';
}

/** Checks that n8n allows everything that a call log needs, and changes nothing. */
async function testN8n(helpers: Helpers, data: ICredentialDataDecryptedObject) {
  if (String(data.n8nApiKey ?? '').trim() === '') return undefined;
  const isAddressGiven = String(data.n8nApiUrl ?? '').trim() !== '';
  if (!isAddressGiven && instanceUrl() === undefined) {
    return 'The n8n API key was not tested, because n8n does not give its address here: enter it as "n8n API URL" to test the key';
  }
  const api = readN8nApi(data, instanceUrl());
  await checkN8nAccess(senderFor(helpers, data), api);
  const accepted = 'n8n accepted the n8n API key for a call log';
  const expiry = expiryOf(api.key);
  return expiry === undefined
    ? accepted
    : `${accepted}. It expires on ${minuteOf(expiry)}: the call log stops then`;
}

/** Tests both halves of the credential: first the calling service's, then n8n's. */
export async function testCredential(
  this: ICredentialTestFunctions,
  credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  const data = credential.data ?? {};
  return await testCallingService(this.helpers, data)
    .then(async (accepted) => [accepted, await testN8n(this.helpers, data)])
    .then(
      (sentences) => ({ status: 'OK' as const, message: sentences.filter(Boolean).join('. ') }),
      (error: unknown) => ({
        status: 'Error' as const,
        message:
          error instanceof CallingServiceError || error instanceof DataTableError
            ? `${error.message}. ${error.advice}`
            : 'The credential could not be tested',
      }),
    );
}

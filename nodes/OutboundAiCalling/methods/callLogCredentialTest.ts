import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { CallLogFailure } from '../callLog/callLogFailure';
import { failureOfAnswer, readApiAddress } from '../callLog/dataTables';
import { sendFromTest } from './sendFromTest';

/**
 * Tests an `n8nCallLogApi` credential by listing data tables: accepted, key refused, scope missing,
 * not reachable and not n8n are told apart.
 */
export async function testCallLogCredential(
  this: ICredentialTestFunctions,
  credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  const data = credential.data ?? {};
  const ask = async (address: string) =>
    await sendFromTest(this.helpers, {
      method: 'GET',
      url: `${address}/data-tables?limit=1`,
      headers: { 'X-N8N-API-KEY': String(data.apiKey ?? '').trim() },
      secrets: [String(data.apiKey ?? '').trim()],
    });
  return await Promise.resolve(data)
    .then(readApiAddress)
    .then(async (address) => {
      const failure = failureOfAnswer(await ask(address), new URL(address).host, 'dataTable:list');
      if (failure !== undefined) throw failure;
    })
    .then(
      () => ({ status: 'OK' as const, message: 'n8n accepted the API key' }),
      (failure: unknown) => ({
        status: 'Error' as const,
        message:
          failure instanceof CallLogFailure
            ? `${failure.message}. ${failure.advice}`
            : 'n8n could not be asked',
      }),
    );
}

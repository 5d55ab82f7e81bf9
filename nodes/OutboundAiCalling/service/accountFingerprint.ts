import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { readAccount, readApiKey } from './account';

/** Long enough that two accounts never meet, short enough for a column of a table. */
const LENGTH = 16;

/**
 * Which account of which service a credential leads to, without telling the key: ids of orders and
 * campaigns mean something only under the key that made them ("Authentication", 6).
 *
 * @returns 16 hexadecimal digits, the same for every credential that leads to the same account
 * @throws CallingServiceError `invalidAccount` as {@link readAccount}
 */
export function accountFingerprint(credential: IDataObject): string {
  const { baseUrl } = readAccount(credential);
  const identity = JSON.stringify([baseUrl, readApiKey(credential)]);
  return createHash('sha256').update(identity).digest('hex').slice(0, LENGTH);
}

import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { memoized } from '../collections';
import { readAccount, readApiKey } from './account';

/** Long enough that two accounts never share one, short enough for a column of a table. */
const LENGTH = 16;

/**
 * Identifies the service and the account of a credential without revealing the key. An order or
 * campaign id is valid only with the key that created it ("Authentication", 6). Cached: a poll asks
 * several times.
 *
 * @returns 16 hexadecimal digits, the same for every credential that leads to the same account
 * @throws CallingServiceError `invalidAccount` as {@link readAccount}
 */
export const accountFingerprint = memoized((credential: IDataObject): string => {
  const { baseUrl } = readAccount(credential);
  const identity = JSON.stringify([baseUrl, readApiKey(credential)]);
  return createHash('sha256').update(identity).digest('hex').slice(0, LENGTH);
}, new WeakMap());

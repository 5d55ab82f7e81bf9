import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { isOfService } from '../service/account';
import { DataTableError } from './dataTableError';
import { expiryOf, minuteOf, NEW_KEY } from './keyExpiry';

export interface N8nApi {
  /** Without a trailing slash, e.g. `http://localhost:5678/api/v1`. */
  address: string;
  key: string;
}

/** The scopes that an API key needs for the call log. */
export const SCOPES = [
  'dataTable:create',
  'dataTable:list',
  'dataTableColumn:create',
  'dataTableRow:create',
  'dataTableRow:delete',
  'dataTableRow:read',
  'dataTableRow:update',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Hosts of a private network. No public host can have such a name or number. */
const PRIVATE_HOST = [
  /^localhost$/,
  // A name without a dot, as containers have. Top-level domains are left out (two letters, or xn--
  // and more): some of them answer.
  /^(?![a-z]{2}$|xn--)[^.:]+$/,
  /\.(localhost|local|internal|lan|home\.arpa)$/,
  /^(127|10)(\.\d{1,3}){3}$/,
  /^192\.168(\.\d{1,3}){2}$/,
  /^172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}$/,
  /^\[(::1|f[cd][\da-f]{2}:[\da-f:]*)\]$/, // fc00::/7
];
/** The marks by which n8n abbreviates a key. */
const CUT_OFF = /…|\.{3}|\*{3}/;
/** The characters that a header can carry. */
const SENDABLE = /^[\u0021-\u007e]+$/;

function invalid(message: string, advice: string): DataTableError {
  return new DataTableError('invalidCredential', message, advice);
}

/**
 * Reads n8n's half of an `outboundAiCallingApi` credential.
 *
 * @param instanceUrl the address that this n8n has for itself, used when the credential names none
 * @throws DataTableError `keyMissing` without a key, `keyRefused` for an expired key,
 * `invalidCredential` for an unusable address or key, or an address that would send the key
 * unencrypted through a public network
 */
export function readN8nApi(credential: IDataObject, instanceUrl: string | undefined): N8nApi {
  const key = String(credential.n8nApiKey ?? '').trim();
  if (key === '') {
    throw new DataTableError(
      'keyMissing',
      'The credential has no n8n API key',
      `Create a key under Settings > n8n API (Expiration "Never", Scopes "Custom", tick "Data tables"), and enter it as "n8n API Key" in the credential.`,
    );
  }
  if (CUT_OFF.test(key)) {
    throw invalid(
      'The n8n API key in the credential is cut off',
      'n8n shows only a part of a key. Create one, and copy it with its button.',
    );
  }
  if (!SENDABLE.test(key)) {
    throw invalid(
      'The n8n API key in the credential contains characters that cannot be sent',
      'Copy the key again: a space, a line break or another invisible character came along.',
    );
  }
  const expiry = expiryOf(key);
  if (expiry !== undefined && expiry <= Date.now()) {
    const message = `The n8n API key in the credential expired on ${minuteOf(expiry)}`;
    throw new DataTableError('keyRefused', message, NEW_KEY);
  }
  return { key, address: addressOf(credential, instanceUrl) };
}

function addressOf(credential: IDataObject, instanceUrl: string | undefined): string {
  const own = String(credential.n8nApiUrl ?? '').trim();
  const text = own === '' ? (instanceUrl ?? '').replace(/\/*$/, '/api/v1') : own;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable =
    url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (!isUsable) {
    throw invalid(
      own === ''
        ? 'The address of this n8n is not known'
        : 'The n8n API URL of the credential is not usable',
      'Enter the address of the public API of this n8n as "n8n API URL" in the credential, e.g. http://localhost:5678/api/v1',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid(
      'The n8n API URL of the credential contains a user name or password',
      'Remove everything between // and @ from it.',
    );
  }
  if (isOfService(url, credential)) {
    throw invalid(
      'The n8n API URL and the base URL of the credential are one address',
      'Enter the address of the calling service as "Base URL", and that of n8n as "n8n API URL", e.g. http://localhost:5678/api/v1, or leave the latter empty.',
    );
  }
  const isPrivate = PRIVATE_HOST.some((pattern) => pattern.test(url.hostname));
  if (url.protocol === 'http:' && !isPrivate && credential.allowHttp !== true) {
    throw invalid(
      'The address of n8n is not encrypted, and the n8n API key would travel through a public network',
      'Enter an https address as "n8n API URL" in the credential, or the one at which n8n reaches itself, e.g. http://localhost:5678/api/v1',
    );
  }
  return (url.origin + url.pathname).replace(/\/*(?:\/data-tables\/*)?$/, '');
}

export const N8N_KEY_HEADER = 'X-N8N-API-KEY';

/** Whether a request goes to n8n itself: only such a request has the header for n8n's key. */
export function isForN8n({ headers }: Pick<IHttpRequestOptions, 'headers'>): boolean {
  return headers !== undefined && N8N_KEY_HEADER in headers;
}

export function n8nKeyHeader({ n8nApiKey }: IDataObject): Record<string, string> {
  return { [N8N_KEY_HEADER]: String(n8nApiKey ?? '').trim() };
}

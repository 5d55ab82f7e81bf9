import type { IDataObject } from 'n8n-workflow';
import { CallingServiceError } from './failure';
import { claimsOf } from '../http/jwt';
import { withoutSecrets } from '../http/redaction';
import { memoized } from '../collections';

/** The address of the service, and the one of its two forms of paths to use. */
export interface CallingAccount {
  /** Without a trailing slash. */
  baseUrl: string;
  /** The host of the address for messages, with any API key in it removed. */
  host: string;
  pathForm: 'versioned' | 'unversioned';
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** The characters that a header can carry: Latin-1 without its control characters. */
const SENDABLE = /^[\u0020-\u007e\u00a0-\u00ff]+$/;

function invalid(message: string, advice: string): CallingServiceError {
  return new CallingServiceError('invalidAccount', message, {
    advice,
    mayHaveBeenProcessed: false,
  });
}

/** The path of the API, which people copy along from an example; the node adds it itself. */
const API_PATH = /\/api(\/v\d+)?$/;

/** Names in addresses of pages, which people copy from their browser. No API path has them. */
const PAGES = new Set([
  ...['dashboard', 'login', 'log-in', 'signin', 'sign-in', 'signup', 'sign-up', 'logout'],
  ...['settings', 'api-keys', 'index.html', 'index.php'],
]);

/** Removes from an address the page that it shows, and final slashes. */
function withoutPage({ origin, pathname }: URL): string {
  const parts = pathname.split('/');
  const page = parts.findIndex((part) => PAGES.has(part.toLowerCase()));
  return origin + (page === -1 ? parts : parts.slice(0, page)).join('/').replace(/\/+$/, '');
}

const WITH_SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;

/** Reads an address, even without `https://` at its beginning: then its host has a dot or a port. */
function parseUrl(text: string): URL | undefined {
  const isWhole = text === '' || WITH_SCHEME.test(text);
  const [place = ''] = text.split(/[/?#]/);
  const host = place.replace(/:\d+$/, '');
  // A word may be the API key: to look for its host would publish it.
  if (!isWhole && host === place && !host.includes('.') && !LOOPBACK.test(host)) return undefined;
  const whole = isWhole ? text : `${LOOPBACK.test(host) ? 'http' : 'https'}://${text}`;
  return URL.canParse(whole) ? new URL(whole) : undefined;
}

/** The host and path below which an address has its API. One API at one place is one server. */
function placeOf({ host, pathname }: URL): string {
  return host + pathname.replace(/\/+$/, '').replace(API_PATH, '').replace(/\/+$/, '');
}

/** Whether an address is the base URL of a credential, in another form or of another path of its API. */
export function isOfService(address: URL, { baseUrl }: IDataObject): boolean {
  const url = parseUrl(String(baseUrl ?? '').trim());
  return url !== undefined && placeOf(url) === placeOf(address);
}

/** To look for the host of such an address would publish the key. A short key may be a word of any address. */
function holdsSecret(address: string, secret: string): boolean {
  const [text, key] = [address.toLowerCase(), secret.toLowerCase()];
  return secret.length < LONG_WORD ? text === key : text.includes(key);
}

/** The chosen one of two forms; the first without the field. Throws `invalidAccount` for others. */
function formOf<Form>(value: unknown, forms: [Form, Form], field: string): Form {
  const chosen = value === undefined ? forms[0] : forms.find((form) => form === value);
  if (chosen === undefined) {
    throw invalid(
      `"${field}" of the credential is none of its choices`,
      `Open the credential and choose "${field}" again.`,
    );
  }
  return chosen;
}

/**
 * Reads the fields of an `outboundAiCallingApi` credential. An address without a scheme is https,
 * or http on this machine. The API's own path at the end of the address is removed. Whether the service has the other
 * form of paths: `checkAccess.ts`.
 *
 * @throws CallingServiceError `invalidAccount` for an address that is no http(s) address, contains
 * a key, a user or a query, leads to a page such as a dashboard, or would send the key over plain http, and
 * for a path form that does not exist. Also as {@link authenticationHeader}
 */
export function readAccount(credential: IDataObject): CallingAccount {
  authenticationHeader(credential);
  const address = String(credential.baseUrl ?? '').trim();
  const secrets = secretsOf(credential);
  if (secrets.some((secret) => holdsSecret(address, secret))) {
    throw invalid(
      'The base URL of the credential holds a key',
      'Enter the address of the calling service as "Base URL", e.g. https://calls.example.com. The keys have fields of their own.',
    );
  }
  const url = parseUrl(address);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalid(
      address === ''
        ? 'The credential has no base URL'
        : 'The base URL of the credential is not an http(s) address',
      'Enter the address of the calling service in the credential, e.g. https://calls.example.com',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid(
      'The base URL of the credential contains a user name or password',
      'Remove everything between // and @ from the base URL. The API key has a field of its own.',
    );
  }
  const base = withoutPage(url);
  const advice = () =>
    `Keep only ${String(withoutSecrets(base, secrets))} of the base URL in the credential.`;
  if (url.search !== '' || url.hash !== '') {
    throw invalid('The base URL of the credential contains a ? or # part', advice());
  }
  if (base !== url.origin + url.pathname.replace(/\/+$/, '')) {
    throw invalid(
      'The base URL of the credential is the address of a page, such as a dashboard',
      advice(),
    );
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && credential.allowHttp !== true) {
    throw invalid(
      'The base URL of the credential is not encrypted',
      'Use an https address. Over http anybody on the way could read the API key; turn on "Allow HTTP" in the credential only in a network that you trust.',
    );
  }
  return {
    baseUrl: `${url.protocol}//${placeOf(url)}`,
    host: String(withoutSecrets(url.host, secrets)),
    pathForm: formOf(credential.pathForm, ['versioned', 'unversioned'], 'Path Form'),
  };
}

/** Whether a key is one of n8n's own API, which n8n signs as a JWT: it must not leave n8n. */
function isKeyOfN8n(key: string): boolean {
  const { iss, aud } = claimsOf(key);
  return iss === 'n8n' && aud === 'public-api';
}

/** What people copy along with a key: its header, or the quotes around it. */
const LABELLED = /^(?:(?:bearer|(?:x-)?api[-_ ]?key|authorization)[\s:=]|["'`])|["'`;,]$/i;

/**
 * The API key as it is sent: complete, without outer spaces ("Authentication", 3).
 *
 * @throws CallingServiceError `invalidAccount` when it is empty, when no header can carry it, when it
 * is an address or a key of n8n, and when its header or quotes were copied along
 */
export function readApiKey(credential: IDataObject): string {
  const key = String(credential.apiKey ?? '').trim();
  if (key === '') {
    throw invalid(
      'The credential has no API key',
      'Copy the API key from the dashboard of the calling service into the credential.',
    );
  }
  if (!SENDABLE.test(key)) {
    throw invalid(
      'The API key in the credential contains characters that cannot be sent',
      'Copy the API key again: a line break or another invisible character came along.',
    );
  }
  if (WITH_SCHEME.test(key)) {
    throw invalid(
      'The API key in the credential is an address',
      'Enter the address of the service as "Base URL", and the key as "API Key".',
    );
  }
  if (isKeyOfN8n(key)) {
    throw invalid(
      'The API key in the credential is a key of n8n, not of the calling service',
      'Enter it as "n8n API Key", and the key from the dashboard of the calling service as "API Key".',
    );
  }
  if (LABELLED.test(key)) {
    throw invalid(
      'The API key in the credential has more around it than the key',
      'Enter the key alone, without "Bearer", the name of a header, quotes or a comma.',
    );
  }
  return key;
}

/** A shorter word of a key is no secret of its own. */
const LONG_WORD = 8;

/** The keys of a credential, and their words, which may be quoted alone: no message may show them. */
export const secretsOf = memoized(
  ({ apiKey, n8nApiKey }: IDataObject): readonly string[] =>
    [apiKey, n8nApiKey].flatMap((given) => {
      const key = String(given ?? '').trim();
      const words = key.split(/[\s"'`,;:=]+/).filter(({ length }) => length >= LONG_WORD);
      return key === '' ? [] : [...new Set([key, ...words])];
    }),
  // The same array for the same credential: the patterns for an array are dear to build.
  new WeakMap(),
);

/**
 * The one header that carries the API key ("Authentication", 2: exactly one, never both).
 *
 * @throws CallingServiceError `invalidAccount` as {@link readApiKey}, and for a header form that does
 * not exist
 */
export function authenticationHeader(credential: IDataObject): Record<string, string> {
  const key = readApiKey(credential);
  const form = formOf(credential.headerForm, ['bearer', 'xApiKey'], 'Header Form');
  return form === 'xApiKey' ? { 'X-API-Key': key } : { Authorization: `Bearer ${key}` };
}

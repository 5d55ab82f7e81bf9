import pLimit from 'p-limit';
import {
  sleep,
  type ICredentialDataDecryptedObject,
  type ICredentialsDecrypted,
  type IDataObject,
  type IHttpRequestOptions,
  type IN8nHttpFullResponse,
} from 'n8n-workflow';
import { readApiKey } from './account';

/** One request to the calling service; the API key is added by whoever sends it. */
export interface ServiceRequest {
  method: 'GET' | 'POST';
  url: string;
  body?: Record<string, unknown>;
  timeoutMs: number;
}

/** An answer of any status, its body parsed when it was JSON and a string otherwise. */
export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: unknown;
}

/**
 * A request that got no answer. `noConnection`: it could not leave. `untrusted`: the certificate
 * was refused, before anything was sent. `timedOut`, `lost` and `cancelled`: it may have arrived.
 * `notSent`: the execution had been cancelled before.
 */
export interface NetworkFault {
  fault: 'noConnection' | 'untrusted' | 'timedOut' | 'lost' | 'cancelled' | 'notSent';
}

/** Sends one request once. It never rejects, so that no raw error, which holds the key, gets on. */
export type Send = (request: ServiceRequest) => Promise<Answer | NetworkFault>;

const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
]);
const TIMED_OUT = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT']);

interface ErrorLike {
  code?: unknown;
  syscall?: unknown;
  name?: unknown;
  message?: unknown;
  cause?: unknown;
  errors?: unknown;
}

/** The error, its causes, and the attempts that a failed connection to several addresses lists. */
function chainOf(error: unknown, depth = 0): ErrorLike[] {
  if (typeof error !== 'object' || error === null || depth > 6) return [];
  const link: ErrorLike = error;
  const attempts: unknown[] = Array.isArray(link.errors) ? link.errors : [];
  return [link, ...[link.cause, ...attempts].flatMap((next) => chainOf(next, depth + 1))];
}

/** Tells from a failed request whether it can have reached the service. */
export function faultOf(error: unknown): NetworkFault {
  const chain = chainOf(error);
  const codes = chain.map(({ code }) => String(code ?? ''));
  const has = (test: (code: string) => boolean) => codes.some(test);
  if (has((code) => code === 'ERR_CANCELED')) return { fault: 'cancelled' };
  const connecting = chain.some(
    ({ syscall, name }) => syscall === 'connect' || String(name).startsWith('SsrfBlocked'),
  );
  if (has((code) => NOT_CONNECTED.has(code)) || connecting) return { fault: 'noConnection' };
  // A server without TLS answers the handshake, so nothing was sent yet; a bare EPROTO may come later.
  const speaksNoTls = chain.some(({ message }) => /wrong version number/i.test(String(message)));
  if (speaksNoTls || has((code) => /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL/.test(code))) {
    return { fault: 'untrusted' };
  }
  if (has((code) => TIMED_OUT.has(code))) return { fault: 'timedOut' };
  return { fault: 'lost' };
}

/**
 * The body of an answer without the API key: a service that repeats the key in what it says must
 * not bring it into an error, a log or an output.
 */
export function withoutKey(body: unknown, credential: IDataObject): unknown {
  const key = readApiKey(credential);
  const text = JSON.stringify(body) ?? '';
  const written = JSON.stringify(key).slice(1, -1);
  return text.includes(written) ? JSON.parse(text.replaceAll(written, '[API key]')) : body;
}

/** What n8n's contexts offer for sending with a credential. */
export interface AuthenticatedHttp {
  helpers: {
    httpRequestWithAuthentication(
      this: unknown,
      credentialsType: string,
      options: IHttpRequestOptions,
      credentialOptions: { credentialsDecrypted: ICredentialsDecrypted },
    ): Promise<unknown>;
  };
}

/**
 * Sends through n8n, so that its proxy settings, its limits and the credential's authentication
 * apply. Redirects come back as answers: followed, they would carry the key to another host.
 *
 * @param credential as n8n decrypted it; handed on, for n8n would read it anew for every request
 */
export function sendThrough(
  context: AuthenticatedHttp,
  credential: ICredentialDataDecryptedObject,
): Send {
  const type = 'outboundAiCallingApi';
  const credentialsDecrypted = { id: '', name: type, type, data: credential };
  return async ({ method, url, body, timeoutMs }) => {
    const options: IHttpRequestOptions = {
      method,
      url,
      json: true,
      timeout: timeoutMs,
      disableFollowRedirect: true,
      ignoreHttpStatusErrors: true,
      returnFullResponse: true,
      ...(body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
    };
    return await context.helpers.httpRequestWithAuthentication
      .call(context, type, options, { credentialsDecrypted })
      .then((response) => {
        const { statusCode, headers, body: received } = response as IN8nHttpFullResponse;
        return { status: statusCode, headers, body: withoutKey(received, credential) };
      }, faultOf);
  };
}

/** Between the starts of two requests, in milliseconds. */
const START_INTERVAL_MS = 1;

/**
 * Lets at most `concurrency` requests be under way at once, first come, first served. A request
 * whose turn comes after `signal` was aborted is not sent.
 *
 * Requests start a moment apart. Those that start together are answered together, and then each
 * waits until the answers of all others have been worked through before it goes on.
 */
export function bounded(send: Send, concurrency: number, signal?: AbortSignal): Send {
  const limit = pLimit(concurrency);
  let nextStartAt = 0;
  let started = Promise.resolve();
  const start = async () => {
    const at = Math.max(Date.now(), nextStartAt);
    nextStartAt = at + START_INTERVAL_MS;
    started = started.then(async () => {
      const early = at - Date.now();
      if (early > 0) await sleep(early);
    });
    await started;
  };
  return async (request) =>
    await limit(async () => {
      if (!signal?.aborted) await start();
      return signal?.aborted ? { fault: 'notSent' } : await send(request);
    });
}

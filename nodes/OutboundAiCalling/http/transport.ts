import pLimit from 'p-limit';
import {
  sleep,
  type ICredentialDataDecryptedObject,
  type ICredentialsDecrypted,
  type IDataObject,
  type IHttpRequestOptions,
} from 'n8n-workflow';
import { exchange, type Answer } from './exchange';
import { defined } from './json';
import { faultOf, type NetworkFault } from './networkFault';

/** One request. The sender adds the authentication. */
export interface OutgoingRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: string;
  qs?: IDataObject;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Milliseconds from the start of the request to the end of its answer. */
  timeoutMs: number;
}

/** Sends one request once. It never rejects, because a raw error holds the key. */
export type Send = (request: OutgoingRequest) => Promise<Answer | NetworkFault>;

/** The part of n8n's contexts that sends with a credential. */
export interface AuthenticatedHttp {
  helpers: {
    httpRequestWithAuthentication(
      this: unknown,
      credentialsType: string,
      options: IHttpRequestOptions,
      credentialOptions: { credentialsDecrypted: ICredentialsDecrypted },
    ): Promise<unknown>;
  };
  /** Only executions can be cancelled. */
  getExecutionCancelSignal?(): AbortSignal | undefined;
}

/** n8n's name of the credential type, whose `authenticate` is applied to every request. */
const CREDENTIAL = 'outboundAiCallingApi';

/**
 * Sends through n8n, so that its proxy settings, its limits and the credential's authentication
 * apply. Every request has a deadline, and a limit on the length of its answer. It ends with the
 * execution. Redirects are returned as answers: following them would carry the key to another host.
 *
 * @param data as n8n decrypted it: otherwise n8n would read the credential for every request
 * @param secrets are cut out of every answer
 */
export function sendWithCredential(
  context: AuthenticatedHttp,
  data: ICredentialDataDecryptedObject,
  secrets: readonly string[],
): Send {
  const credentialsDecrypted = { id: '', name: CREDENTIAL, type: CREDENTIAL, data };
  const cancelled = context.getExecutionCancelSignal?.();
  return async ({ method, url, qs, body, headers, timeoutMs }) =>
    await exchange(
      async (signal) => {
        // n8n replaces the signal of a request with that of its context.
        const ending = withSignal(context, signal);
        return await ending.helpers.httpRequestWithAuthentication.call(
          ending,
          CREDENTIAL,
          {
            method,
            url,
            json: true,
            // A stream, so that its bytes can be counted as they arrive.
            encoding: 'stream',
            timeout: timeoutMs,
            abortSignal: signal,
            disableFollowRedirect: true,
            ignoreHttpStatusErrors: true,
            returnFullResponse: true,
            headers: {
              ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
              ...headers,
            },
            ...defined({ qs, body }),
          },
          { credentialsDecrypted },
        );
      },
      { timeoutMs, cancelled, secrets },
    );
}

function withSignal<Context extends AuthenticatedHttp>(
  context: Context,
  signal: AbortSignal | undefined,
): Context {
  const own = Object.create(context) as Context;
  return Object.defineProperty(own, 'getExecutionCancelSignal', { value: () => signal });
}

/** The same context, for requests that go on when the execution is cancelled. */
export function uncancelled<Context extends AuthenticatedHttp>(context: Context): Context {
  return withSignal(context, undefined);
}

/** Is called just before a request leaves. When it throws, nothing is sent. */
export type BeforeSend = () => void | Promise<void>;

/** As {@link Send}, but rejects with what `before` throws. */
export type BoundedSend = (
  request: OutgoingRequest,
  before?: BeforeSend,
) => Promise<Answer | NetworkFault>;

/** The time between the starts of two requests, in milliseconds. */
const START_INTERVAL_MS = 1;

export interface Pace {
  /** At most this many requests are under way at once. */
  concurrency: number;
  /** Whether one request goes alone until the server has answered one: it may be down. */
  isInDoubt?: boolean;
  /** Once aborted, no further request is sent. */
  signal?: AbortSignal;
}

/** Statuses from this one on are of a server that fails. */
const FAILING = 500;

/**
 * Lets at most `concurrency` requests be under way at once, first come, first served.
 *
 * Requests start a moment apart. Those that start together are answered together. Each would then
 * wait until the answers of all the others have been processed.
 */
export function bounded(send: Send, { concurrency, isInDoubt = false, signal }: Pace): BoundedSend {
  const limit = pLimit(isInDoubt ? 1 : concurrency);
  let nextStartAt = 0;
  let started = Promise.resolve();
  const start = async () => {
    // By a clock that nobody sets back.
    const at = Math.max(performance.now(), nextStartAt);
    nextStartAt = at + START_INTERVAL_MS;
    started = started.then(async () => {
      const early = at - performance.now();
      if (early > 0) await sleep(early);
    });
    await started;
  };
  return async (request, before) =>
    await limit(async () => {
      if (!signal?.aborted) await start();
      if (!signal?.aborted) await before?.();
      if (signal?.aborted) return { fault: 'notSent' };
      const answer = await send(request).catch(faultOf);
      if ('status' in answer && answer.status < FAILING) limit.concurrency = concurrency;
      return answer;
    });
}

import { jsonParse } from 'n8n-workflow';
import { atDeadline } from './deadline';
import { faultOf, type NetworkFault } from './networkFault';
import { mayHoldSecrets, withoutSecrets } from './redaction';

/** An answer of any status, its body parsed when it was JSON and a string otherwise. */
export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: unknown;
}

export interface ExchangeOptions {
  /** Ends the exchange after this many milliseconds, even while data arrives. */
  timeoutMs: number;
  /** Ends the exchange at once. */
  cancelled?: AbortSignal;
  /** Are cut out of the answer. */
  secrets: readonly string[];
}

/** A response as n8n's helpers give it when they are asked for a stream. */
interface Response {
  statusCode: number;
  headers?: object;
  body: unknown;
}

interface BodyStream extends AsyncIterable<Uint8Array> {
  destroy(): void;
}

/** An answer with a longer body is not read to its end. */
export const LARGEST_ANSWER_BYTES = 10 * 1024 * 1024;
/** Objects and arrays nested deeper are removed from an answer: n8n could not store them. */
export const DEEPEST_NESTING = 100;

function isStream(body: unknown): body is BodyStream {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

type Decoder = InstanceType<typeof TextDecoder>;

/** A decoder for the charset that an answer names; UTF-8 when it names none, or an unknown one. */
function decoderOf(headers: object = {}): Decoder {
  const type = String((headers as Record<string, unknown>)['content-type'] ?? '');
  const charset = /;\s*charset=["']?([\w-]+)/i.exec(type)?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** @returns undefined when the body is longer than {@link LARGEST_ANSWER_BYTES} */
async function textOf(stream: BodyStream, decoder: Decoder): Promise<string | undefined> {
  let bytes = 0;
  let text = '';
  for await (const chunk of stream) {
    bytes += chunk.byteLength;
    if (bytes > LARGEST_ANSWER_BYTES) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

const isNested = (entry: unknown): entry is object => typeof entry === 'object' && entry !== null;

/** Removes, in place, objects and arrays nested deeper than {@link DEEPEST_NESTING}. */
function cutOffDepths(container: object, depth = 1): void {
  for (const name of Object.keys(container)) {
    const entry = (container as Record<string, unknown>)[name];
    if (!isNested(entry)) continue;
    if (depth < DEEPEST_NESTING) cutOffDepths(entry, depth + 1);
    else Reflect.deleteProperty(container, name);
  }
}

function parsed(text: string): unknown {
  const value = jsonParse<unknown>(text, { fallbackValue: text });
  if (isNested(value)) cutOffDepths(value);
  return value;
}

async function answerOf(
  { statusCode, headers, body }: Response,
  secrets: readonly string[],
): Promise<Answer | NetworkFault> {
  const received = isStream(body) ? await textOf(body, decoderOf(headers)) : body;
  if (isStream(body) && received === undefined) return { fault: 'tooLong' };
  const content = typeof received === 'string' ? parsed(received) : received;
  const isClean = typeof received === 'string' && !mayHoldSecrets(received, secrets);
  return {
    status: Number(statusCode),
    headers: withoutSecrets({ ...headers }, secrets) as Record<string, unknown>,
    body: isClean ? content : withoutSecrets(content, secrets),
  };
}

/**
 * Sends one request and reads its answer, within a deadline. n8n's helpers end a request only when
 * nothing arrives for a while, so an answer that drips would never end.
 *
 * @param ask sends the request, and resolves to n8n's full response when its head arrives; it
 * should stop when its signal is aborted
 * @returns the answer without secrets, or why there is none; it never rejects, because a raw error
 * may hold a key
 */
export async function exchange(
  ask: (signal: AbortSignal) => Promise<unknown>,
  { timeoutMs, cancelled, secrets }: ExchangeOptions,
): Promise<Answer | NetworkFault> {
  if (cancelled?.aborted) return { fault: 'notSent' };
  const ended = new AbortController();
  const end = () => ended.abort();
  const over = new Promise<NetworkFault>((resolve) => {
    ended.signal.addEventListener('abort', () =>
      resolve({ fault: cancelled?.aborted ? 'cancelled' : 'timedOut' }),
    );
  });
  const done = atDeadline(timeoutMs, end);
  cancelled?.addEventListener('abort', end);
  const asked = async () => {
    try {
      const response = (await ask(ended.signal)) as Response;
      const { body } = response;
      if (!isStream(body)) return await answerOf(response, secrets);
      const close = () => body.destroy();
      if (ended.signal.aborted) close();
      ended.signal.addEventListener('abort', close);
      return await answerOf(response, secrets).finally(close);
    } catch (error) {
      return faultOf(error);
    }
  };
  try {
    return await Promise.race([asked(), over]);
  } finally {
    done();
    cancelled?.removeEventListener('abort', end);
  }
}

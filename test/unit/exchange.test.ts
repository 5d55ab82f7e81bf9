import {
  DEEPEST_NESTING,
  exchange,
  LARGEST_ANSWER_BYTES,
  type ExchangeOptions,
} from '../../nodes/OutboundAiCalling/http/exchange';

const SECRET = 'key-0123456789abcdef';

const options = (more: Partial<ExchangeOptions> = {}): ExchangeOptions => ({
  timeoutMs: 1_000,
  secrets: [SECRET],
  ...more,
});

/** The body of a response that arrives in pieces, and notes whether it was closed. */
class Body {
  isClosed = false;
  piecesRead = 0;
  constructor(
    private readonly pieces: Array<string | Uint8Array>,
    private readonly end: 'ends' | 'hangs' | Error = 'ends',
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (const piece of this.pieces) {
      this.piecesRead++;
      yield typeof piece === 'string' ? Buffer.from(piece) : piece;
    }
    if (this.end === 'hangs') await new Promise(() => {});
    if (this.end instanceof Error) throw this.end;
  }

  destroy(): void {
    this.isClosed = true;
  }
}

const answering =
  (body: unknown, headers?: object, statusCode: unknown = 200) =>
  async () => ({ statusCode, body, ...(headers && { headers }) });

const nested = (levels: number): string => '[1,'.repeat(levels) + '2' + ']'.repeat(levels);
const depthOf = (value: unknown): number => (Array.isArray(value) ? 1 + depthOf(value[1]) : 0);

describe('an answer', () => {
  it.each([
    ['an object', '{"a":[1,null]}', { a: [1, null] }],
    ['null', 'null', null],
    ['a number', '7', 7],
    ['text that is no JSON', '<h1>Welcome</h1>', '<h1>Welcome</h1>'],
    ['nothing', '', ''],
  ])('that holds %s is read from one text and from a stream', async (_label, text, body) => {
    const expected = { status: 200, headers: {}, body };
    expect(await exchange(answering(text), options())).toEqual(expected);
    const stream = new Body([text.slice(0, 3), text.slice(3)]);
    expect(await exchange(answering(stream), options())).toEqual(expected);
    expect(stream.isClosed).toBe(true);
  });

  it('keeps its status, also one that n8n gives as text, and its headers', async () => {
    const headers = { 'retry-after': '2' };
    const answer = await exchange(answering({ a: 1 }, headers, '429'), options());
    expect(answer).toEqual({ status: 429, headers, body: { a: 1 } });
  });

  it.each([
    ['windows-1254', 'text/html; charset=windows-1254', [0xfe, 0xfd], 'şı'],
    ['windows-1254 in quotes', 'text/html;Charset="windows-1254"', [0xfe], 'ş'],
    ['windows-1254 in single quotes', "text/html; charset='windows-1254'", [0xfe], 'ş'],
    ['UTF-8 without a charset', 'text/html', [0xc5, 0x9f], 'ş'],
    ['UTF-8 with an unknown charset', 'text/html; charset=klingon', [0xc5, 0x9f], 'ş'],
  ])('is read as %s', async (_label, type, bytes, text) => {
    const stream = new Body(bytes.map((byte) => Uint8Array.of(byte)));
    expect(await exchange(answering(stream, { 'content-type': type }), options())).toMatchObject({
      body: text,
    });
  });

  it('is UTF-8 when it has no headers, also where a piece ends within a letter', async () => {
    const stream = new Body([Uint8Array.of(0xc5), Uint8Array.of(0x9f)]);
    expect(await exchange(answering(stream), options())).toMatchObject({ body: 'ş' });
    const torn = new Body([Uint8Array.of(0x61, 0xc5)]);
    expect(await exchange(answering(torn), options())).toMatchObject({ body: 'a\ufffd' });
  });

  it('is read up to the largest size, and no further', async () => {
    const half = ' '.repeat(LARGEST_ANSWER_BYTES / 2);
    const largest = new Body([half, `${half.slice(1)}7`]);
    expect(await exchange(answering(largest), options())).toMatchObject({ body: 7 });
    const longer = new Body([half, half, '7', 'never read']);
    expect(await exchange(answering(longer), options())).toEqual({ fault: 'tooLong' });
    expect(longer).toMatchObject({ isClosed: true, piecesRead: 3 });
  });

  it('loses what is nested too deep', async () => {
    const depth = async (levels: number) => {
      const answer = await exchange(answering(nested(levels)), options());
      return depthOf('body' in answer ? answer.body : undefined);
    };
    expect(await depth(DEEPEST_NESTING)).toBe(DEEPEST_NESTING);
    expect(await depth(DEEPEST_NESTING + 1)).toBe(DEEPEST_NESTING);
    expect(await depth(DEEPEST_NESTING + 500)).toBe(DEEPEST_NESTING);
  });

  it.each([
    ['text', `{"a":"${SECRET}"}`],
    ['parsed content', { a: SECRET }],
  ])('has no secrets in its %s', async (_label, body) => {
    const answer = await exchange(answering(body, { 'x-echo': SECRET }), options());
    expect(JSON.stringify(answer)).not.toContain(SECRET);
    expect(answer).toMatchObject({ body: { a: '[API key]' }, headers: { 'x-echo': '[API key]' } });
  });

  it('that n8n gives as parsed content keeps what holds no secret', async () => {
    const body = { a: [1, 'two'] };
    expect(await exchange(answering(body), options())).toMatchObject({ body });
  });
});

describe('a request without an answer', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const error = (code: string) => Object.assign(new Error(SECRET), { code });

  it.each([
    ['refused', error('ECONNREFUSED'), 'noConnection'],
    ['broken off', error('ECONNRESET'), 'lost'],
    ['anything', 'a text', 'lost'],
  ])('says why: %s', async (_label, thrown, fault) => {
    const failing = async () => await Promise.reject(thrown as Error);
    expect(await exchange(failing, options())).toEqual({ fault });
  });

  it('says that an answer was broken off, and closes it', async () => {
    const stream = new Body(['{"a":'], error('ECONNRESET'));
    expect(await exchange(answering(stream), options())).toEqual({ fault: 'lost' });
    expect(stream.isClosed).toBe(true);
  });

  it('ends at its deadline, and not before, while an answer drips', async () => {
    const stream = new Body(['{'], 'hangs');
    let told: unknown;
    const done = exchange(answering(stream), options()).then((answer) => (told = answer));
    await jest.advanceTimersByTimeAsync(900);
    expect(told).toBeUndefined();
    expect(stream.isClosed).toBe(false);
    await jest.advanceTimersByTimeAsync(300);
    await done;
    expect(told).toEqual({ fault: 'timedOut' });
    expect(stream.isClosed).toBe(true);
  });

  it('has its signal aborted at the deadline, and closes what arrives afterwards', async () => {
    const late = new Body(['7']);
    let signal: AbortSignal | undefined;
    const asking = exchange(async (given) => {
      signal = given;
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      return { statusCode: 200, body: late };
    }, options());
    await jest.advanceTimersByTimeAsync(1_200);
    expect(await asking).toEqual({ fault: 'timedOut' });
    expect(signal?.aborted).toBe(true);
    expect(late.isClosed).toBe(false);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(late.isClosed).toBe(true);
  });

  it('is not sent when it was cancelled before', async () => {
    const ask = jest.fn();
    const cancelled = AbortSignal.abort();
    expect(await exchange(ask, options({ cancelled }))).toEqual({ fault: 'notSent' });
    expect(ask).not.toHaveBeenCalled();
  });

  it('ends at once when it is cancelled', async () => {
    const cancelling = new AbortController();
    const stream = new Body([], 'hangs');
    const asking = exchange(answering(stream), options({ cancelled: cancelling.signal }));
    await jest.advanceTimersByTimeAsync(10);
    cancelling.abort();
    expect(await asking).toEqual({ fault: 'cancelled' });
    expect(stream.isClosed).toBe(true);
  });

  it('leaves nothing behind when it is answered', async () => {
    const cancelling = new AbortController();
    const removed = jest.spyOn(cancelling.signal, 'removeEventListener');
    let signal: AbortSignal | undefined;
    const ask = async (given: AbortSignal) => {
      signal = given;
      return { statusCode: 200, body: '7' };
    };
    await exchange(ask, options({ cancelled: cancelling.signal }));
    expect(removed).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(5_000);
    cancelling.abort();
    expect(signal?.aborted).toBe(false);
    expect(jest.getTimerCount()).toBe(0);
  });
});

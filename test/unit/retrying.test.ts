import { sleep } from 'n8n-workflow';
import {
  retryAfterSeconds,
  sendWithRetries,
  type Repeat,
} from '../../nodes/OutboundAiCalling/http/retry';
import type { Answer } from '../../nodes/OutboundAiCalling/http/exchange';
import { faultOf, type NetworkFault } from '../../nodes/OutboundAiCalling/http/networkFault';
import { bounded } from '../../nodes/OutboundAiCalling/http/transport';
import { repeatOf } from '../../nodes/OutboundAiCalling/service/processed';

const request = { method: 'GET', url: 'http://localhost/', timeoutMs: 1000 } as const;
const status = (code: number): Answer => ({ status: code, headers: {}, body: {} });
const fault = (kind: NetworkFault['fault']): NetworkFault => ({ fault: kind });

const IDEMPOTENT: Repeat = { idempotent: true };
const DIALS = repeatOf('trigger');

async function triesOn(result: Answer | NetworkFault, repeat: Repeat): Promise<number> {
  let tries = 0;
  const send = async () => {
    tries++;
    return result;
  };
  await sendWithRetries(send, request, repeat, { firstPauseMs: 1 });
  return tries;
}

describe('a request that changes nothing', () => {
  it.each([408, 429, 500, 502, 503, 504])('is sent 4 times on %p', async (code) => {
    expect(await triesOn(status(code), IDEMPOTENT)).toBe(4);
  });
  it.each(['noConnection', 'timedOut', 'lost'] as const)('is sent 4 times on %p', async (kind) => {
    expect(await triesOn(fault(kind), IDEMPOTENT)).toBe(4);
  });
  it.each([200, 302, 400, 401, 404, 501])('is sent once on %p', async (code) => {
    expect(await triesOn(status(code), IDEMPOTENT)).toBe(1);
  });
});

describe('a change that may be made twice', () => {
  const answerAfter = async (method: 'GET' | 'PATCH', ...answers: Array<Answer | NetworkFault>) => {
    const send = async () => await Promise.resolve(answers.shift() ?? status(200));
    return await sendWithRetries(send, { ...request, method }, IDEMPOTENT, { firstPauseMs: 1 });
  };

  it('is in doubt when its answer was lost and n8n refuses it then', async () => {
    const lost = fault('lost');
    expect(await answerAfter('PATCH', lost, status(400))).toBe(lost);
    expect(await answerAfter('PATCH', status(502), status(429), status(401))).toEqual(status(502));
    expect(await answerAfter('PATCH', lost, status(200))).toEqual(status(200));
  });

  it('is refused when it was surely not made before', async () => {
    expect(await answerAfter('PATCH', status(429), status(400))).toEqual(status(400));
    expect(await answerAfter('PATCH', fault('noConnection'), status(400))).toEqual(status(400));
    expect(await answerAfter('GET', status(502), status(400))).toEqual(status(400));
  });
});

describe('a request for which no time is left to be sent again', () => {
  const results = (...given: Array<Answer | NetworkFault>) => {
    const left = [...given];
    return async () => await Promise.resolve(left.shift() ?? fault('notSent'));
  };
  const sent = async (...given: Array<Answer | NetworkFault>) =>
    await sendWithRetries(results(...given), request, IDEMPOTENT, { firstPauseMs: 1 });

  it('says why it has failed before', async () => {
    expect(await sent(status(504))).toEqual(status(504));
    expect(await sent(fault('timedOut'))).toEqual(fault('timedOut'));
    expect(await sent(status(429), fault('noConnection'))).toEqual(fault('noConnection'));
  });

  it('says so when it was never sent', async () => {
    expect(await sent()).toEqual(fault('notSent'));
  });
});

describe('a request that dials', () => {
  it('is sent again when no connection was made, and on 429', async () => {
    expect(await triesOn(fault('noConnection'), DIALS)).toBe(4);
    expect(await triesOn(status(429), DIALS)).toBe(4);
  });
  it('is never sent again on a 429 that says that it was taken', async () => {
    const answer = { ...status(429), body: { success: true, order_id: 5 } };
    expect(await triesOn(answer, DIALS)).toBe(1);
  });
  it('is checked again before each try, and not sent when the check objects', async () => {
    const tries: string[] = [];
    const objection = new Error('It is night');
    const send = bounded(
      async () => {
        tries.push('sent');
        return status(429);
      },
      { concurrency: 1 },
    );
    const beforeEachTry = () => {
      tries.push('asked');
      if (tries.length > 4) throw objection;
    };
    const sent = sendWithRetries(send, request, DIALS, { firstPauseMs: 1, beforeEachTry });
    await expect(sent).rejects.toBe(objection);
    expect(tries).toEqual(['asked', 'sent', 'asked', 'sent', 'asked']);
  });
  it.each(['timedOut', 'lost', 'tooLong', 'cancelled', 'untrusted'] as const)(
    'is never sent again on %p',
    async (kind) => expect(await triesOn(fault(kind), DIALS)).toBe(1),
  );
  it.each([408, 500, 502, 503, 504])('is never sent again on %p', async (code) => {
    expect(await triesOn(status(code), DIALS)).toBe(1);
  });
});

describe('Retry-After', () => {
  const answer = (value: unknown): Answer => ({
    ...status(429),
    headers: { 'retry-after': value },
  });
  it('is read as seconds or as a date', () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-05-03T10:00:00Z'));
    expect(retryAfterSeconds(answer('7'))).toBe(7);
    expect(retryAfterSeconds(answer('Sun, 03 May 2026 10:00:09 GMT'))).toBe(9);
    expect(retryAfterSeconds(answer('soon'))).toBeUndefined();
    expect(retryAfterSeconds(answer('-7'))).toBe(0);
    expect(retryAfterSeconds(answer(' '))).toBeUndefined();
    expect(retryAfterSeconds(answer(7))).toBeUndefined();
    expect(retryAfterSeconds(status(429))).toBeUndefined();
    clock.mockRestore();
  });
  it('longer than a minute is not waited for', async () => {
    expect(await triesOn(answer('61'), IDEMPOTENT)).toBe(1);
  });

  describe('and the pauses between tries', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    /** Milliseconds between the tries of a request whose answers are all the same. */
    async function pausesOn(result: Answer, firstPauseMs: number): Promise<number[]> {
      const times: number[] = [];
      const send = async () => {
        times.push(Date.now());
        return await Promise.resolve(result);
      };
      const sent = sendWithRetries(send, request, IDEMPOTENT, { firstPauseMs });
      await jest.runAllTimersAsync();
      await sent;
      return times.slice(1).map((time, index) => time - (times[index] ?? NaN));
    }

    it('are as long as it asks, up to a minute', async () => {
      expect(await pausesOn(answer('3'), 10)).toEqual([3_000, 3_000, 3_000]);
      expect(await pausesOn(answer('60'), 10)).toEqual([60_000, 60_000, 60_000]);
    });
    it('double where it asks for less, and are up to half as long by chance', async () => {
      const pauses = await pausesOn(answer('0'), 1_000);
      expect(pauses).toHaveLength(3);
      for (const [index, pause] of pauses.entries()) {
        expect(pause).toBeGreaterThanOrEqual(500 * 2 ** index);
        expect(pause).toBeLessThanOrEqual(1_000 * 2 ** index);
      }
    });
  });
});

describe('a failed request', () => {
  const error = (fields: object, cause?: unknown) =>
    Object.assign(new Error('x', { cause }), fields);
  it.each([
    [error({ code: 'ECONNREFUSED' }), 'noConnection'],
    [error({}, error({ code: 'ENOTFOUND' })), 'noConnection'],
    [error({ code: 'ETIMEDOUT', syscall: 'connect' }), 'noConnection'],
    [error({ errors: [error({ code: 'ECONNREFUSED' })] }), 'noConnection'],
    [error({ code: 'ETIMEDOUT' }), 'timedOut'],
    [error({ code: 'ECONNABORTED' }), 'timedOut'],
    [error({ code: 'ECONNRESET', syscall: 'read' }), 'lost'],
    [error({ code: 'EHOSTUNREACH', syscall: 'connect' }), 'noConnection'],
    [error({ code: 'EHOSTUNREACH', syscall: 'read' }), 'lost'],
    [error({ code: 'EHOSTUNREACH' }), 'lost'],
    [error({ code: 'ENETDOWN', syscall: 'write' }), 'lost'],
    [error({ code: 'EAI_AGAIN' }), 'noConnection'],
    [error({ code: 'EPROTO', message: 'SSL routines: wrong version number' }), 'lost'],
    [error({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }), 'lost'],
    [error({ code: 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR' }), 'lost'],
    [error({ code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' }), 'lost'],
    [error({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }), 'untrusted'],
    [error({ code: 'CERT_HAS_EXPIRED' }), 'untrusted'],
    [error({ code: { toString: 1 } }), 'lost'],
    [error({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), 'untrusted'],
    [error({ code: 'ERR_CANCELED' }), 'cancelled'],
    ['nonsense', 'lost'],
  ])('%# is a fault of kind %2$s', (raw, kind) => expect(faultOf(raw)).toEqual({ fault: kind }));
});

describe('concurrency', () => {
  it('is never exceeded, and requests leave in order', async () => {
    let underWay = 0;
    let most = 0;
    const order: string[] = [];
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const send = bounded(
      async ({ url }) => {
        order.push(url);
        most = Math.max(most, ++underWay);
        await answered;
        underWay--;
        return status(200);
      },
      { concurrency: 7 },
    );
    const urls = Array.from({ length: 100 }, (_, index) => String(index));
    const all = Promise.all(urls.map(async (url) => await send({ ...request, url })));
    // Long enough for one too many.
    while (underWay < 7) await sleep(1);
    await sleep(30);
    answer();
    await all;
    expect(most).toBe(7);
    expect(order).toEqual(urls);
  });

  it('does not wait for a clock that was set back', async () => {
    const send = bounded(async () => status(200), { concurrency: 7 });
    await send(request);
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    await send(request);
    now.mockRestore();
    expect(await send(request)).toEqual(status(200));
  }, 5_000);

  it.each([
    ['an answer', status(400), 7],
    ['no answer', fault('timedOut'), 1],
    ['a failing server', status(503), 1],
  ])('is one in doubt, until the server has answered: %s', async (_, first, then) => {
    let underWay = 0;
    let sent = 0;
    const most = [0, 0];
    const send = bounded(
      async () => {
        const isFirst = sent++ === 0;
        const index = isFirst ? 0 : 1;
        most[index] = Math.max(most[index] ?? 0, ++underWay);
        await sleep(20);
        underWay--;
        return isFirst ? first : status(503);
      },
      { concurrency: 7, isInDoubt: true },
    );
    await Promise.all(Array.from({ length: 12 }, async () => await send(request)));
    expect(most).toEqual([1, then]);
  });

  it('lets what has arrived be read between two requests', async () => {
    const sent: string[] = [];
    const send = bounded(
      async ({ url }) => {
        sent.push(url);
        return status(200);
      },
      { concurrency: 10 },
    );
    const urls = Array.from({ length: 10 }, (_, index) => String(index));
    // On a busy machine real time would bring two requests together.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const all = Promise.all(urls.map(async (url) => await send({ ...request, url })));
    await new Promise((resolve) => process.nextTick(resolve));
    expect(sent).toEqual(['0']);
    await all;
    expect(sent).toEqual(urls);
    clock.mockRestore();
  });

  it('sends nothing more once aborted', async () => {
    const stop = new AbortController();
    let sent = 0;
    const send = bounded(
      async () => {
        if (++sent === 3) stop.abort();
        return status(200);
      },
      { concurrency: 1, signal: stop.signal },
    );
    const results = await Promise.all(Array.from({ length: 9 }, async () => await send(request)));
    expect(sent).toBe(3);
    expect(results.slice(3)).toEqual(Array(6).fill({ fault: 'notSent' }));
  });
});

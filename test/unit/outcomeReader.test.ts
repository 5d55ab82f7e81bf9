import { CallingServiceError } from '../../nodes/OutboundAiCalling/service/failure';
import { OutcomeReader } from '../../nodes/OutboundAiCalling/trigger/outcomeReader';

const NOON = Date.parse('2026-11-21T12:00:00Z');

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => void jest.useRealTimers());

const rateLimited = (retryAfterSeconds?: number) =>
  new CallingServiceError('rateLimited', 'Too many requests', {
    advice: '',
    mayHaveBeenProcessed: false,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });

describe('reading outcomes in a poll', () => {
  it.each([
    [undefined, 5_000],
    [1, 5_000],
    [60, 60_000],
  ])('asks nothing for a while after a rate limit of %s s', async (seconds, quietMs) => {
    const readOutcome = jest
      .fn()
      .mockRejectedValueOnce(rateLimited(seconds))
      .mockResolvedValue({ finished: false, body: {} });
    const reader = new OutcomeReader({ readOutcome });
    const [read, readOther] = [reader.lane(), reader.lane()];
    expect(await read(1)).toMatchObject({ kind: 'rateLimited' });
    expect(reader.quietUntil).toBe(NOON + quietMs);
    jest.setSystemTime(NOON + quietMs - 1);
    expect(await readOther(2)).toBeUndefined();
    jest.setSystemTime(NOON + quietMs);
    expect(await readOther(2)).toMatchObject({ finished: false });
    expect(readOutcome).toHaveBeenCalledTimes(2);
  });

  it('asks for ten at once, and then only for those still wanted', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const readOutcome = jest.fn(async () => {
      await answered;
      return { finished: false as const, body: {} };
    });
    const reader = new OutcomeReader({ readOutcome });
    const read = reader.lane();
    let isOver = false;
    const readings = Array.from({ length: 12 }, async (_, id) => read(id, () => !isOver));
    await jest.advanceTimersByTimeAsync(0);
    expect(readOutcome).toHaveBeenCalledTimes(10);
    // Those in another lane do not wait for these.
    void reader.lane()(13);
    await jest.advanceTimersByTimeAsync(0);
    expect(readOutcome).toHaveBeenCalledTimes(11);
    isOver = true;
    answer();
    expect((await Promise.all(readings)).slice(9)).toEqual([
      { finished: false, body: {} },
      undefined,
      undefined,
    ]);
  });

  it('throws what is no failure of the service', async () => {
    const readOutcome = async () => await Promise.reject(new TypeError('a fault of ours'));
    await expect(new OutcomeReader({ readOutcome }).lane()(1)).rejects.toThrow(TypeError);
  });
});

import { getEventListeners } from 'node:events';
import { pause } from '../../nodes/OutboundAiCalling/http/pause';

describe('a pause', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const begin = (signal?: AbortSignal) => {
    const over = jest.fn();
    void pause(1_000, signal).then(over);
    return over;
  };

  it.each([
    ['without a signal', undefined],
    ['with one that nobody aborts', new AbortController().signal],
  ])('lasts as long as it is asked to, %s', async (_, signal) => {
    const over = begin(signal);
    await jest.advanceTimersByTimeAsync(999);
    expect(over).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(over).toHaveBeenCalledTimes(1);
  });

  it('ends when its signal is aborted', async () => {
    const controller = new AbortController();
    const over = begin(controller.signal);
    await jest.advanceTimersByTimeAsync(500);
    expect(over).not.toHaveBeenCalled();
    controller.abort();
    await jest.advanceTimersByTimeAsync(0);
    expect(over).toHaveBeenCalledTimes(1);
  });

  it('does not begin when its signal was aborted before', async () => {
    const over = begin(AbortSignal.abort());
    await jest.advanceTimersByTimeAsync(0);
    expect(over).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('leaves no listener to a signal that outlives many pauses', async () => {
    const { signal } = new AbortController();
    begin(signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

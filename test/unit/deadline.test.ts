import { atDeadline } from '../../nodes/OutboundAiCalling/http/deadline';

describe('a deadline', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(async () => {
    await jest.advanceTimersByTimeAsync(60_000);
    jest.useRealTimers();
  });

  it('comes once, at its time and at most a tenth of a second late', async () => {
    const end = jest.fn();
    atDeadline(1_000, end);
    await jest.advanceTimersByTimeAsync(999);
    expect(end).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(101);
    expect(end).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('does not come when it is over before', async () => {
    const end = jest.fn();
    const over = atDeadline(1_000, end);
    await jest.advanceTimersByTimeAsync(500);
    over();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(end).not.toHaveBeenCalled();
  });

  it('shares one timer with all others, which ends with the last of them', async () => {
    const ended: number[] = [];
    const later = [300, 100, 200].map((ms) => atDeadline(ms, () => void ended.push(ms)));
    expect(jest.getTimerCount()).toBe(1);
    await jest.advanceTimersByTimeAsync(250);
    expect(ended).toEqual([100, 200]);
    expect(jest.getTimerCount()).toBe(1);
    later.forEach((over) => over());
    await jest.advanceTimersByTimeAsync(100);
    expect(jest.getTimerCount()).toBe(0);
    expect(ended).toEqual([100, 200]);
  });

  it('is noticed in time also when it is set while another is waited for', async () => {
    const [first, second] = [jest.fn(), jest.fn()];
    atDeadline(5_000, first);
    await jest.advanceTimersByTimeAsync(1_050);
    atDeadline(20, second);
    await jest.advanceTimersByTimeAsync(120);
    expect(second).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(3_900);
    expect(first).toHaveBeenCalledTimes(1);
  });
});

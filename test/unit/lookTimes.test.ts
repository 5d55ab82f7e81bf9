import {
  intervalAt,
  LONGEST_INTERVAL_MS,
  nextLookAt,
  pollTime,
  SHORTEST_INTERVAL_MS,
} from '../../nodes/OutboundAiCalling/trigger/lookTimes';
import { fc } from '../generators';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
const length = fc.integer({ min: 0, max: 40 * 24 * HOUR });

/** The looks at a call that lasts so long, by a watch that is never late. */
function looksUntilEnd(lastsMs: number): number[] {
  const looks = [15 * SECOND];
  for (let last = looks[0] ?? 0; last < lastsMs; looks.push(last)) last = nextLookAt(0, last);
  return looks;
}

describe('the time of the next look', () => {
  it('follows the advice of the interface while a call is young', () => {
    expect(looksUntilEnd(42 * SECOND).map((at) => at / SECOND)).toEqual([
      15, 20, 25, 30, 35, 40, 45,
    ]);
  });

  it('never asks more often than the interface advises', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 * MINUTE }), (lastsMs) => {
        const advised = 1 + Math.max(0, Math.ceil((lastsMs - 15 * SECOND) / (5 * SECOND)));
        expect(looksUntilEnd(lastsMs).length).toBeLessThanOrEqual(advised);
      }),
    );
  });

  it.each([
    [MINUTE, 5 * SECOND],
    [2.5 * MINUTE, 5 * SECOND],
    [5 * MINUTE, 30 * SECOND],
    [HOUR, 9 * MINUTE + 40 * SECOND],
    [3 * HOUR, 15 * MINUTE],
    [48 * HOUR, 15 * MINUTE],
  ])('at an age of %d ms is %d ms later', (age, interval) => {
    expect(intervalAt(age)).toBe(interval);
  });

  it('comes less and less often, and stays within 5 seconds and 15 minutes', () => {
    fc.assert(
      fc.property(length, length, (a, b) => {
        const [young = 0, old = 0] = [a, b].sort((x, y) => x - y);
        expect(intervalAt(old)).toBeGreaterThanOrEqual(intervalAt(young));
        expect(intervalAt(young)).toBeGreaterThanOrEqual(SHORTEST_INTERVAL_MS);
        expect(intervalAt(old)).toBeLessThanOrEqual(LONGEST_INTERVAL_MS);
      }),
    );
  });

  it('is always ahead, and as late as the service asked, but for an hour at most', () => {
    fc.assert(
      fc.property(time, length, length, (placedAt, age, asked) => {
        const lookedAt = placedAt + age;
        const next = nextLookAt(placedAt, lookedAt, asked);
        const rest = Math.max(SHORTEST_INTERVAL_MS, Math.min(asked, 60 * MINUTE));
        expect(next).toBeGreaterThanOrEqual(lookedAt + rest);
        expect(next - lookedAt).toBeLessThanOrEqual(60 * MINUTE);
      }),
    );
  });
});

describe('the time of a poll', () => {
  it('is 58.5 seconds at most, so that polls a minute apart do not overlap', () => {
    expect(pollTime(0, 5 * MINUTE)).toEqual({ lookUntil: 55.5 * SECOND, endAt: 58.5 * SECOND });
  });

  it('is 80% of a smaller budget', () => {
    expect(pollTime(1000, 36 * SECOND)).toEqual({ lookUntil: 26_800, endAt: 29_800 });
  });

  it('leaves time for the last request, whatever the budget', () => {
    fc.assert(
      fc.property(time, fc.integer({ min: 1000, max: HOUR }), (now, budget) => {
        const { lookUntil, endAt } = pollTime(now, budget);
        expect(lookUntil).toBeGreaterThan(now);
        expect(endAt).toBeGreaterThan(lookUntil);
        expect(endAt - now).toBeLessThanOrEqual(budget * 0.8);
      }),
    );
  });
});

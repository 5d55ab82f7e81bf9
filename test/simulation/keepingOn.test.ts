import { aHistory, type History } from './history';
import { runHistory } from './simulation';
import { PackageText } from './world/package';

const MINUTE_MS = 60_000;

/** Two calls are placed by an execution that keeps on for an hour. They end within a minute. */
const forAnHour = (given: Partial<History>): History =>
  aHistory({
    callSeconds: { min: 40, max: 50 },
    steps: [
      { do: 'schedule', process: 0, orders: { from: 1, to: 2 }, when: { at: 0 } },
      { do: 'place', process: 0, keepOnSeconds: 3_600, when: { at: 5_000 } },
    ],
    ...given,
  });

describe('Place Scheduled Calls that keeps on for an hour', () => {
  it('looks again soon when a look has failed', async () => {
    const failing = { kind: 'status', status: 500 } as const;
    // Each request is tried several times.
    const faults = Array.from({ length: 12 }, (_, index) => index + 1).map((nth) => ({
      to: 'service' as const,
      method: 'GET',
      nth,
      when: 'before' as const,
      befalls: failing,
    }));
    const { executions } = await runHistory(await PackageText.bundle(), forAnHour({ faults }));
    const [, placing] = executions;
    expect(placing?.state).toBe('success');
    // It is over when no call goes on.
    expect((placing?.endedAt ?? Infinity) - (placing?.startedAt ?? 0)).toBeLessThan(4 * MINUTE_MS);
  });

  it('leaves its calls to a trigger soon when it is killed', async () => {
    const { steps } = forAnHour({});
    const minutes = Array.from({ length: 10 }, (_, minute) => minute + 1);
    const history = forAnHour({
      skews: [0, 0],
      triggers: [{ process: 1, fastChecks: true }],
      steps: [
        ...steps,
        { do: 'kill', process: 0, when: { at: 20_000 } },
        ...minutes.map((minute) => ({
          do: 'poll' as const,
          process: 1,
          when: { at: minute * MINUTE_MS },
        })),
      ],
    });
    const { fired, startedAt } = await runHistory(await PackageText.bundle(), history);
    expect(fired.map(({ at }) => at - startedAt < 4 * MINUTE_MS)).toEqual([true, true]);
  });
});

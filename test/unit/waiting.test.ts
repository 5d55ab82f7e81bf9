import { waitForOutcome } from '../../nodes/OutboundAiCalling/actions/call/waiting';
import type { OutcomeReading } from '../../nodes/OutboundAiCalling/service/callingService';
import {
  CallingServiceError,
  type FailureKind,
} from '../../nodes/OutboundAiCalling/service/failure';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';

const ended: OutcomeReading = { finished: true, body: {}, result: readOutcome({}, 1) };

/** Waits for a call whose first look fails, and whose second finds its end. */
async function waitedAfter(kind: FailureKind, isKnown = true) {
  let looks = 0;
  const readings = async () => {
    looks++;
    if (looks > 1) return await Promise.resolve(ended);
    throw new CallingServiceError(kind, 'It failed', { advice: '', mayHaveBeenProcessed: false });
  };
  const service = { readOutcome: readings } as unknown as Parameters<typeof waitForOutcome>[0];
  const signal = new AbortController().signal;
  const wait = { firstPauseMs: 0, isKnown, maxWaitMs: 20, signal };
  const { reading } = await waitForOutcome(service, 1, wait);
  return { looks, finished: reading.finished };
}

describe('waiting for a call that was placed', () => {
  it.each<FailureKind>([
    ...(['notTheService', 'unknown', 'serviceFailing', 'unreachable', 'redirected'] as const),
    ...(['orderNotFound', 'otherRecord', 'certificateRefused', 'poolExhausted'] as const),
  ])('goes on after a look that fails: %s', async (kind) => {
    expect(await waitedAfter(kind)).toEqual({ looks: 2, finished: true });
  });

  it('ends when the service refuses the API key', async () => {
    expect(await waitedAfter('keyRefused')).toEqual({ looks: 1, finished: false });
  });

  it.each<FailureKind>(['serviceFailing', 'notTheService', 'unknown', 'unreachable'])(
    'goes on after such a look also when no call is known yet: %s',
    async (kind) => expect(await waitedAfter(kind, false)).toEqual({ looks: 2, finished: true }),
  );

  it.each<FailureKind>(['orderNotFound', 'keyRefused', 'redirected', 'certificateRefused'])(
    'ends when no call is known yet and a person has to do something: %s',
    async (kind) => expect(await waitedAfter(kind, false)).toEqual({ looks: 1, finished: false }),
  );

  it('ends in time when the clock is set back meanwhile', async () => {
    const before = Date.now();
    const reading: OutcomeReading = { finished: false, body: {} };
    const service = {
      readOutcome: async () => {
        jest.spyOn(Date, 'now').mockReturnValue(before - 2 * 3_600_000);
        return await Promise.resolve(reading);
      },
    } as unknown as Parameters<typeof waitForOutcome>[0];
    const signal = AbortSignal.timeout(4_000);
    const waited = waitForOutcome(service, 1, {
      ...{ firstPauseMs: 0, isKnown: true, maxWaitMs: 50, signal },
    });
    expect((await waited).reading).toBe(reading);
    expect(signal.aborted).toBe(false);
    jest.restoreAllMocks();
  });
});

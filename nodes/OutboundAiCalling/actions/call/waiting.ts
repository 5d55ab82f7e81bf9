import { maxWaitMinutes } from '../../fields';
import type { CallingService, OutcomeReading } from '../../service/callingService';
import { CallingServiceError } from '../../service/failure';
import { pause } from '../../http/pause';
import type { ItemParameters } from '../itemParameters';

/** The rhythm that the interface advises ("Get call outcome", rule 2), in milliseconds. */
export const FIRST_PAUSE_MS = 15_000;
export const PAUSE_MS = 5_000;

export interface Wait {
  /** The pause before the first look; later looks come every 5 seconds. */
  firstPauseMs: number;
  /** How long to wait, in milliseconds; the last look is at the end of this time. */
  maxWaitMs: number;
  /** Ends the waiting. */
  signal: AbortSignal;
}

/** The last reading, and the failure of the last look when it failed. */
export interface WaitResult {
  reading: OutcomeReading;
  failure?: CallingServiceError;
}

/**
 * Looks for the outcome of a call until the call has ended, the time is up, the service refuses the
 * API key, or `signal` is aborted.
 */
export async function waitForOutcome(
  service: CallingService,
  orderId: number,
  { firstPauseMs, maxWaitMs, signal }: Wait,
): Promise<WaitResult> {
  // A clock that nobody can set: otherwise the wait would last as long as the clock is set back.
  const deadline = performance.now() + maxWaitMs;
  const open = { success: false, message: 'Call is still in progress' };
  const last: WaitResult = { reading: { finished: false, body: open } };
  for (let wait = firstPauseMs; ; wait = PAUSE_MS) {
    const left = deadline - performance.now();
    await pause(Math.max(0, Math.min(wait, left)), signal);
    if (signal.aborted) return last;
    const isLastLook = left <= wait;
    const isOver = await service.readOutcome(orderId).then(
      (reading) => {
        last.reading = reading;
        delete last.failure;
        return reading.finished;
      },
      (failure: unknown) => {
        if (!(failure instanceof CallingServiceError)) throw failure;
        last.failure = failure;
        // After any other failure, look again: the call was placed.
        return failure.kind === 'keyRefused';
      },
    );
    if (isOver || isLastLook) return last;
  }
}

/** "Max Wait (Minutes)" in milliseconds; a week at most. */
export function readMaxWait(parameters: ItemParameters): number {
  return parameters.numberOption(maxWaitMinutes, { min: 0, max: 7 * 24 * 60 }) * 60_000;
}

import { MINUTE_MS } from '../../clocks';
import { maxWaitMinutes } from '../../fields';
import type { CallingService, OutcomeReading } from '../../service/callingService';
import { CallingServiceError } from '../../service/failure';
import { LABEL_COMES_WITHIN_MS, LOOK_EVERY_MS, mayGetLabel } from '../../service/outcome';
import { Stopwatch } from '../../stopwatch';
import { pause } from '../../http/pause';
import { isBlocking } from '../../trigger/lookResult';
import type { ItemParameters } from '../itemParameters';

/** The last reading, and the failure of the last look when it failed. */
export interface WaitResult {
  reading: OutcomeReading;
  failure?: CallingServiceError;
  /** Whether the call was placed here, or has been read. */
  isKnown: boolean;
}

/**
 * Looks until the call has ended and has a label, or gets none for some time, the time is up, the
 * key is refused, or `signal` is aborted. An id
 * may be mistyped: until its call is known, the wait also ends when a person has to do something.
 */
export async function waitForOutcome(
  service: CallingService,
  orderId: number,
  wait: {
    firstPauseMs: number;
    isKnown: boolean;
    maxWaitMs: number;
    signal: AbortSignal;
    beforeLook?: () => Promise<void>;
  },
): Promise<WaitResult> {
  const { firstPauseMs, isKnown, maxWaitMs, signal } = wait;
  // A clock that nobody can set: otherwise the wait would last as long as the clock is set back.
  const deadline = performance.now() + maxWaitMs;
  const open = { success: false, message: 'Call is still in progress' };
  let sinceUnlabelled: Stopwatch | undefined;
  const isLabelLate = () => (sinceUnlabelled?.passedMs ?? 0) >= LABEL_COMES_WITHIN_MS;
  const last: WaitResult = { reading: { finished: false, body: open }, isKnown };
  for (let pauseMs = firstPauseMs; ; pauseMs = LOOK_EVERY_MS) {
    const left = deadline - performance.now();
    await pause(Math.max(0, Math.min(pauseMs, left)), signal);
    if (signal.aborted) return last;
    await wait.beforeLook?.();
    const isLastLook = left <= pauseMs;
    const isOver = await service.readOutcome(orderId).then(
      (reading) => {
        Object.assign(last, { reading, isKnown: true });
        delete last.failure;
        if (!reading.finished || !mayGetLabel(reading.result)) return reading.finished;
        sinceUnlabelled ??= new Stopwatch();
        return isLabelLate();
      },
      (failure: unknown) => {
        if (!(failure instanceof CallingServiceError)) throw failure;
        // Only the label was asked for: the end is known.
        if (last.reading.finished) return isBlocking(failure) || isLabelLate();
        last.failure = failure;
        if (last.isKnown) return failure.kind === 'keyRefused';
        return isBlocking(failure) || failure.kind === 'orderNotFound';
      },
    );
    if (isOver || isLastLook) return last;
  }
}

/** "Max Wait (Minutes)" in milliseconds; a week at most. */
export function readMaxWait(parameters: ItemParameters): number {
  return parameters.numberOption(maxWaitMinutes, { min: 0, max: 7 * 24 * 60 }) * MINUTE_MS;
}

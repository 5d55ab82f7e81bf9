import type { CallingService, OutcomeReading } from '../../service/callingService';
import { CallingServiceError, type FailureKind } from '../../service/failure';
import { pause } from '../../service/pause';
import type { ItemParameters } from '../itemParameters';

/** The rhythm that the interface advises ("Get call outcome", rule 2), in milliseconds. */
const FIRST_PAUSE_MS = 15_000;
const PAUSE_MS = 5_000;

/** What may pass while a call goes on: the call is placed, so its outcome is worth another look. */
const PASSING = new Set<FailureKind>([
  'unreachable',
  'timedOut',
  'connectionLost',
  'rateLimited',
  'serviceFailing',
  'orderNotFound',
]);

function isPassing(error: unknown): boolean {
  return error instanceof CallingServiceError && PASSING.has(error.kind);
}

/**
 * Looks for the outcome of a call after 15 seconds and then every 5, until the call has ended, the
 * time is up or `signal` is aborted.
 *
 * @param maxWaitMs milliseconds from now; the last look is at their end
 */
export async function waitForOutcome(
  service: CallingService,
  orderId: number,
  maxWaitMs: number,
  signal: AbortSignal,
): Promise<OutcomeReading> {
  const deadline = Date.now() + maxWaitMs;
  for (let wait = FIRST_PAUSE_MS; ; wait = PAUSE_MS) {
    const left = deadline - Date.now();
    await pause(Math.max(0, Math.min(wait, left)), signal);
    const isLastLook = left <= wait;
    const reading = await service.readOutcome(orderId).catch((error: unknown) => {
      if (isLastLook || !isPassing(error)) throw error;
      return undefined;
    });
    if (reading !== undefined && (reading.finished || isLastLook)) return reading;
  }
}

/** "Max Wait" in milliseconds; 10 minutes when left empty, a week at most. */
export function readMaxWait(parameters: ItemParameters): number {
  const bounds = { min: 0, max: 7 * 24 * 60 };
  return parameters.number('options.maxWaitMinutes', 'Max Wait', bounds, 10) * 60_000;
}

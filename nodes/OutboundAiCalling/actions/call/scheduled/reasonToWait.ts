import type { CallLog } from '../../../callLog/callLog';
import { doubtsIn, type ReasonToWait } from '../../../callLog/reading/whyPlacingStops';
import { pauseIn } from './askedPause';
import { refusalsIn } from './refusedCalls';

/** Finds out why calls may not begin side by side: a pause that the service asks for, refusals, or doubts. */
export async function reasonToWait(
  log: CallLog,
  maxInProgress: number,
  timezone: string,
): Promise<ReasonToWait | undefined> {
  return (
    pauseIn(log, timezone) ??
    refusalsIn(log, timezone) ??
    (await doubtsIn(log, maxInProgress, timezone))
  );
}

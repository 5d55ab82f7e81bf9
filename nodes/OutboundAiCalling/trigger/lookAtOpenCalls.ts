import type { CallLog } from '../callLog/callLog';
import type { CallingService } from '../service/callingService';
import { PollRun, type PollReport } from './pollRun';
import { LoggedOpenCalls, type WrittenEnd } from './watch/loggedOpenCalls';

const LOOKS_AT_ONCE = 10;

export interface LookAtOpenCallsOptions {
  log: CallLog;
  service: Pick<CallingService, 'readOutcome'>;
  /**
   * No look begins after this time, in milliseconds since 1970. A killed execution locks its calls
   * until shortly after.
   */
  lookUntil: number;
  /** Whether to return after one round of looks. */
  oneRound: boolean;
  /** Ends the looks earlier. */
  signal: AbortSignal;
  /** How long to wait for an outcome; see `giveUpAfterMsOf` in `callLog/ends/cursors.ts`. */
  giveUpAfterMs: number;
  /** Is called with the `callKey` of each call whose end was written: its channel is free. */
  onEnd(key: string): void;
}

/**
 * Looks at the open calls of a log until a given time, and writes their ends, as a poll of the
 * trigger does. It also looks at calls that are placed meanwhile. It skips calls that a trigger has
 * locked.
 *
 * @returns how it went; `blocked` when no look can succeed before a person does something
 * @throws DataTableError
 */
export async function lookAtOpenCalls(options: LookAtOpenCallsOptions): Promise<PollReport> {
  const { log, service, lookUntil, oneRound, signal, giveUpAfterMs, onEnd } = options;
  const written = (ends: WrittenEnd[]) => ends.forEach(({ key }) => onEnd(key));
  return await new PollRun({
    service,
    calls: await LoggedOpenCalls.open(log, lookUntil, written),
    fastChecks: true,
    giveUpAfterMs,
    lookUntil,
    signal,
    looksAtOnce: LOOKS_AT_ONCE,
    oneRound,
    isSuperseded: () => false,
  }).run();
}

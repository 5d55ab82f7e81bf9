import type { CallLog } from '../callLog/callLog';
import type { CallingService } from '../service/callingService';
import { PollRun, type PollReport } from './pollRun';
import { LoggedOpenCalls, type WrittenEnd } from './watch/loggedOpenCalls';

const LOOKS_AT_ONCE = 10;

export interface LookAtOpenCallsOptions {
  log: CallLog;
  service: Pick<CallingService, 'readOutcome'>;
  /** No look begins after it, in milliseconds since 1970; a killed execution holds calls until then. */
  lookUntil: number;
  /** Whether each call that is due is looked at once. */
  oneRound: boolean;
  /** Ends the looks before. */
  signal: AbortSignal;
  /** How long calls are waited for; see `giveUpAfterMsOf` in `callLog/ends/cursors.ts`. */
  giveUpAfterMs: number;
  /** Is told of each call whose end was written, by `callKey`: its channel is free. */
  onEnd(key: string): void;
}

/**
 * Looks at the open calls of a log as a poll of the trigger does, and writes their ends into it, until a
 * given time. Calls that are placed meanwhile are looked at too; what triggers look at is left to them.
 *
 * @returns how it went; `hopeless` when no look can succeed before a person does something
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

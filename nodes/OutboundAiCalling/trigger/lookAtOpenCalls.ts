import type { CallLog } from '../callLog/callLog';
import { PollRun, type PollReport, type PollRunOptions } from './pollRun';
import { LoggedOpenCalls, type WrittenEnd } from './watch/loggedOpenCalls';

/** As for a poll. A killed execution locks its calls until shortly after `lookUntil`. */
export interface LookAtOpenCallsOptions extends Pick<
  PollRunOptions,
  'service' | 'lookUntil' | 'oneRound' | 'signal' | 'giveUpAfterMs'
> {
  log: CallLog;
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
export async function lookAtOpenCalls({
  log,
  onEnd,
  ...options
}: LookAtOpenCallsOptions): Promise<PollReport> {
  const written = (ends: WrittenEnd[]) => ends.forEach(({ key }) => onEnd(key));
  return await new PollRun({
    ...options,
    calls: await LoggedOpenCalls.open(log, options.lookUntil, written),
    fastChecks: true,
    isSuperseded: () => false,
  }).run();
}

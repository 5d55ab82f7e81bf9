import type { CallLog } from '../callLog/callLog';
import type { CallingService } from '../service/callingService';
import { OutcomeReader } from './outcomeReader';
import { PollRun, type PollReport, type PollRunOptions } from './pollRun';
import { readLog, LoggedOpenCalls } from './watch/loggedOpenCalls';

/**
 * Looks at the open calls of a log until a given time, and writes their ends, as a poll of the
 * trigger does. It also looks at calls that are placed meanwhile. It skips calls that a trigger has
 * locked. A killed execution locks its calls until shortly after `lookUntil`.
 *
 * @param onEnd as in {@link LoggedOpenCalls}: the channel of the call is free
 * @returns how it went; `blocked` when no look can succeed before a person does something
 * @throws DataTableError
 */
export async function lookAtOpenCalls(
  log: CallLog,
  onEnd: LoggedOpenCalls['onEnd'],
  {
    service,
    ...options
  }: Pick<PollRunOptions, 'lookUntil' | 'oneRound' | 'signal' | 'giveUpAfterMs'> & {
    service: Pick<CallingService, 'readOutcome'>;
  },
): Promise<PollReport> {
  const calls = new LoggedOpenCalls(log, options.lookUntil, await readLog(log));
  calls.onEnd = onEnd;
  const reader = new OutcomeReader(service);
  const isSuperseded = () => false;
  return await new PollRun({ ...options, reader, calls, fastChecks: true, isSuperseded }).run();
}

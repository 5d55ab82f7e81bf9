import type { CallLog } from '../callLog/callLog';
import type { CallingService } from '../service/callingService';
import { OutcomeReader } from './outcomeReader';
import { PollRun, type PollReport, type PollRunOptions } from './pollRun';
import { readLog, LoggedOpenCalls } from './watch/loggedOpenCalls';

/**
 * Looks at the open calls of a log until a given time, and writes their ends, as a poll of the
 * trigger does. It also looks at calls that are placed meanwhile. It skips calls that a trigger has
 * locked. A killed execution locks its calls until shortly after `lookUntil`, which is asked when the log has
 * been read.
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
    lookUntil: endOfLooks,
    ...options
  }: Pick<PollRunOptions, 'oneRound' | 'signal' | 'giveUpAfterMs'> & {
    service: Pick<CallingService, 'readOutcome'>;
    lookUntil: () => number;
  },
): Promise<PollReport> {
  const read = await readLog(log);
  const lookUntil = endOfLooks();
  const calls = new LoggedOpenCalls(log, lookUntil, read);
  calls.onEnd = onEnd;
  const reader = new OutcomeReader(service);
  const isSuperseded = () => false;
  const run = { ...options, lookUntil, reader, calls, fastChecks: true, isSuperseded };
  return await new PollRun(run).run();
}

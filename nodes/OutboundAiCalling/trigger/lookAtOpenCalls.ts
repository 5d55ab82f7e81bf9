import { MINUTE_MS } from '../clocks';
import type { CallLog } from '../callLog/callLog';
import { PollRun, type PollReport, type PollRunOptions } from './pollRun';
import { readLog, LoggedOpenCalls } from './watch/loggedOpenCalls';

/** A killed execution keeps its calls locked for little longer than this. */
const LOOKS_FOR_MS = MINUTE_MS;

interface Looks extends Pick<PollRunOptions, 'reader' | 'signal' | 'giveUpAfterMs' | 'oneRound'> {
  /** The longest time from reading the log to the beginning of the last look, in milliseconds. */
  forMs: number;
}

/**
 * Looks at the open calls of a log for at most a minute, and writes their ends, as a poll of the trigger does.
 * It also looks at calls that are placed meanwhile. It skips calls that a trigger has locked.
 *
 * @param onEnd as in {@link LoggedOpenCalls}: the channel of the call is free
 */
export async function lookAtOpenCalls(
  log: CallLog,
  onEnd: LoggedOpenCalls['onEnd'],
  { forMs, ...options }: Looks,
): Promise<PollReport> {
  const read = await readLog(log);
  // Counted from here: with a slow n8n, reading alone takes long.
  const lookUntil = Date.now() + Math.min(forMs, LOOKS_FOR_MS);
  const calls = new LoggedOpenCalls(log, lookUntil, read);
  calls.onEnd = onEnd;
  const isSuperseded = () => false;
  return await new PollRun({ ...options, lookUntil, calls, fastChecks: true, isSuperseded }).run();
}

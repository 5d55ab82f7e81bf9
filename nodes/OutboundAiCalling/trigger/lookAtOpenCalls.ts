import type { CallLog } from '../callLog/callLog';
import type { CallingService } from '../service/callingService';
import { PollRun, type PollReport } from './pollRun';
import { LoggedOpenCalls, type LoggedEnd } from './watch/loggedOpenCalls';
import type { EndedCall, OpenCall, Watch } from './watch/watch';

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
  /** How long calls are waited for; see `giveUpAfterMsOf` in `callLog/places.ts`. */
  giveUpAfterMs: number;
  /** Is told of each call whose end was written, by `callKey`: its channel is free. */
  onEnd(key: string): void;
}

/** What `PollRun` looks at where nobody is given the ends: triggers find them in the log. */
class OpenCallsOnly implements Watch {
  constructor(private readonly calls: LoggedOpenCalls) {}

  async takeDue(now: number, limit: number): Promise<OpenCall[]> {
    return await this.calls.takeDue(now, limit);
  }

  putBack(call: OpenCall): void {
    this.calls.putBack(call);
  }

  async recordEnds(ended: EndedCall[]): Promise<void> {
    await this.calls.recordEnds(ended);
  }

  async takeEnds(): Promise<EndedCall[]> {
    return await Promise.resolve([]);
  }

  handingOver(): void {}

  async handedOver(): Promise<void> {}

  async notHandedOver(): Promise<void> {}

  nextDueAt(): number | undefined {
    return this.calls.nextDueAt();
  }

  async close(): Promise<void> {
    await this.calls.close();
  }
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
  const written = (ends: LoggedEnd[]) => ends.forEach(({ key }) => onEnd(key));
  return await new PollRun({
    service,
    watch: new OpenCallsOnly(await LoggedOpenCalls.open(log, lookUntil, written)),
    fastChecks: true,
    itemOf: () => undefined,
    giveUpAfterMs,
    lookUntil,
    signal,
    looksAtOnce: LOOKS_AT_ONCE,
    oneRound,
    staysOn: true,
    handOver: async () => await Promise.resolve(true),
    failedLate: () => {},
    isSuperseded: () => false,
  }).run();
}

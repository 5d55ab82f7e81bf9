import type { IExecuteFunctions } from 'n8n-workflow';
import { notCalledHint } from '../../rules/notCalledHint';
import type { Objection } from '../../rules/rule';

/** A call to which a rule may have objected. */
interface Judged {
  isDryRun: boolean;
  objection?: Objection;
}

/** Tells with the execution how many were not called, or would not be, and why. */
export function tellNotCalled(context: IExecuteFunctions, calls: Judged[]): void {
  const timezone = context.getTimezone();
  for (const isDryRun of [false, true]) {
    const some = calls.filter((call) => call.isDryRun === isDryRun);
    const objections = some.flatMap(({ objection }) => objection ?? []);
    const message = notCalledHint(objections, { calls: some.length, timezone, isDryRun });
    if (message === undefined) continue;
    context.addExecutionHints({ message, location: 'outputPane', type: 'info' });
  }
}

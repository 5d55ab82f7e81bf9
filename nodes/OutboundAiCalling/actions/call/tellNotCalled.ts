import type { IExecuteFunctions } from 'n8n-workflow';
import { tellHint } from '../../hints';
import { notCalledHint } from '../../rules/notCalledHint';
import type { Objection } from '../../rules/rule';

/** A call to which a rule may have objected. */
interface Judged {
  isDryRun: boolean;
  objection?: Objection;
  /** It failed, and nobody was called. */
  hasFailed?: boolean;
}

/** Tells with the execution how many were not called, or would not be, and why. */
export function tellNotCalled(context: IExecuteFunctions, calls: Judged[]): void {
  const timezone = context.getTimezone();
  // Items with mistakes, which are no calls of either kind.
  let unread = context.getInputData().length - calls.length;
  for (const isDryRun of [false, true]) {
    const some = calls.filter((call) => call.isDryRun === isDryRun);
    if (some.length === 0) continue;
    const objections = some.flatMap(({ objection }) => objection ?? []);
    const failed = some.filter(({ hasFailed }) => hasFailed).length + unread;
    const told = { calls: some.length + unread, failed, timezone, isDryRun };
    unread = 0;
    const message = notCalledHint(objections, told);
    if (message !== undefined) tellHint(context, message, 'info');
  }
}

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

/**
 * Tells with the execution how many were not called, or would not be, and why. Where a failure stops the
 * execution, its error tells of those that failed.
 *
 * @param unread how many more were not called because their items could not be read
 */
export function tellNotCalled(context: IExecuteFunctions, calls: Judged[], unread: number): void {
  const timezone = context.getTimezone();
  const isDry = calls.length > 0 && calls.every(({ isDryRun }) => isDryRun);
  for (const isDryRun of [false, true]) {
    const some = calls.filter((call) => call.isDryRun === isDryRun);
    // An item that could not be read is no call of either kind.
    const others = isDryRun === isDry ? context.getInputData().length - calls.length : 0;
    const objections = some.flatMap(({ objection }) => objection ?? []);
    if (objections.length === 0 && !context.continueOnFail()) continue;
    const failed =
      some.filter(({ hasFailed }) => hasFailed).length + (isDryRun === isDry ? unread : 0);
    const told = { calls: some.length + others, failed, timezone, isDryRun };
    const message = notCalledHint(objections, told);
    if (message !== undefined) tellHint(context, message, 'info');
  }
}

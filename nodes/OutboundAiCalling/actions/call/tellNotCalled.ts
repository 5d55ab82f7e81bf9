import type { IExecuteFunctions } from 'n8n-workflow';
import { tellHint } from '../../hints';
import { notCalledHint } from '../../rules/notCalledHint';
import type { AskedCall } from './askedCall';

/**
 * Adds hints that say how many people were not called, or would not be, and why. When a failure
 * stops the execution, its error reports the failed calls instead.
 *
 * @param unread how many items could not be read: nobody was called for them
 */
export function tellNotCalled(
  context: IExecuteFunctions,
  calls: AskedCall[],
  unread: number,
): void {
  const timezone = context.getTimezone();
  const isDry = calls.length > 0 && calls.every(({ isDryRun }) => isDryRun);
  for (const isDryRun of [false, true]) {
    const some = calls.filter((call) => call.isDryRun === isDryRun);
    // Items that could not be read are neither dry nor real: count them once.
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

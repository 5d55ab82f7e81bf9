import type { IExecuteFunctions } from 'n8n-workflow';
import { tellHint } from '../../hints';
import { notCalledHint } from '../../rules/notCalledHint';
import type { AskedCall } from './askedCall';

/** Adds hints: how many people were not called, or would not be, and why. Errors report failed calls themselves. */
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
    const counts = { calls: some.length + others, failed, timezone, isDryRun };
    const message = notCalledHint(objections, counts);
    if (message !== undefined) tellHint(context, message, 'info');
  }
  const alike = calls.filter((call) => call.lacksOrder && call.objection?.reason === 'duplicate');
  if (alike.length === 0) return;
  const count = alike.length === 1 ? '1 call counts' : `${alike.length} calls count`;
  const message = `${count} as placed or scheduled before, without an order number: the expression of Order Number gives nothing. Check the name of its column. Without an order number, each phone number is called only once.`;
  tellHint(context, message, 'warning');
}

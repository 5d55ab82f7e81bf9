import type { IExecuteFunctions } from 'n8n-workflow';
import { tellHint } from '../hints';
import type { NodeParameters } from './nodeParameters';

/** How many items "Execute Once" leaves out: n8n gives the node the first of them alone. */
export function itemsLeftOut(context: IExecuteFunctions): number {
  if (context.getNode().executeOnce !== true) return 0;
  const count = context.getExecuteData().data.main?.[0]?.length ?? 0;
  return Math.max(0, count - 1);
}

/** Hints at items that "Execute Once" leaves out, when they would give the parameters other values. */
export function tellItemsLeftOut(parameters: NodeParameters): void {
  const { context } = parameters;
  const leftOut = itemsLeftOut(context);
  if (leftOut === 0) return;
  const first = parameters.fingerprintOf(0);
  // Expressions see all items all the same: `$input.all()` leaves out nobody.
  const others = Array.from({ length: leftOut }, (_, index) => index + 1);
  if (!others.some((item) => parameters.fingerprintOf(item) !== first)) return;
  const text = `"Execute Once" leaves out ${leftOut} of ${leftOut + 1} items: n8n takes the first alone. To work on all, turn it off in the settings of the node`;
  tellHint(context, text, 'warning');
}

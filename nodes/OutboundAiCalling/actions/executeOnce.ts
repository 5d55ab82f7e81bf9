import type { IExecuteFunctions } from 'n8n-workflow';
import { tellHint } from '../hints';
import type { NodeParameters } from './nodeParameters';

/** How many items "Execute Once" leaves out: n8n gives the node the first of them alone. */
export function itemsLeftOut(context: IExecuteFunctions): number {
  if (context.getNode().executeOnce !== true) return 0;
  const count = context.getExecuteData().data.main?.[0]?.length ?? 0;
  return Math.max(0, count - 1);
}

/** Hints at items that "Execute Once" leaves out, where the parameters use data of the items. */
export function tellItemsLeftOut(context: IExecuteFunctions, parameters: NodeParameters): void {
  const leftOut = itemsLeftOut(context);
  if (leftOut === 0 || !parameters.useItems) return;
  const text = `"Execute Once" leaves out ${leftOut} of ${leftOut + 1} items: n8n takes the first alone. To work on all, turn it off in the settings of the node`;
  tellHint(context, text, 'warning');
}

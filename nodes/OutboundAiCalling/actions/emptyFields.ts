import type { IExecuteFunctions } from 'n8n-workflow';
import { tellHint } from '../hints';
import { isBlank } from '../values';
import { ItemParameters } from './itemParameters';
import type { NodeParameters } from './nodeParameters';

const COLLECTIONS = ['additionalFields', 'contactFields'];
const FIELDS = {
  customerName: 'Customer Name',
  orderNumber: 'Order Number',
  orderNotes: 'Order Notes',
};

/**
 * Hints at optional fields whose expressions give nothing for any of several items, as when a column has
 * another name by now: everybody would be called without them.
 */
export function tellEmptyFields(context: IExecuteFunctions, parameters: NodeParameters): void {
  const items = context.getInputData().map((_, index) => index);
  if (items.length < 2) return;
  const isEmpty = (path: string) =>
    parameters.isExpression(path) &&
    items.every((item) => isBlank(new ItemParameters(parameters, item).value(path)));
  const empty = Object.entries(FIELDS)
    .filter(([name]) => COLLECTIONS.some((collection) => isEmpty(`${collection}.${name}`)))
    .map(([, displayName]) => `"${displayName}"`);
  if (empty.length === 0) return;
  const text = `The ${items.length} items have nothing for ${empty.join(', ')}: check the expressions there`;
  tellHint(context, text, 'warning');
}

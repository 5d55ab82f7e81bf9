import type { IExecuteFunctions } from 'n8n-workflow';
import { tellHint } from '../hints';
import type { NodeParameters } from './nodeParameters';

const COLLECTIONS = ['additionalFields', 'contactFields'];
const FIELDS = {
  customerName: 'Customer Name',
  orderNumber: 'Order Number',
  orderNotes: 'Order Notes',
};

/**
 * Hints at optional fields whose expressions give nothing for any of several items, as when a column has
 * another name by now: everybody would be called without them. It takes what the items gave when they were read.
 */
export function tellEmptyFields(context: IExecuteFunctions, parameters: NodeParameters): void {
  const { length } = context.getInputData();
  if (length < 2) return;
  const empty = Object.entries(FIELDS)
    .filter(([name]) => COLLECTIONS.some((one) => parameters.gaveNothing(`${one}.${name}`)))
    .map(([, displayName]) => `"${displayName}"`);
  if (empty.length === 0) return;
  const text = `The ${length} items have nothing for ${empty.join(', ')}: check the expressions there`;
  tellHint(context, text, 'warning');
}

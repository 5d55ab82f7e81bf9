import { tellHint } from '../hints';
import { quoted } from '../values';
import type { ItemParameters } from './itemParameters';
import type { NodeParameters } from './nodeParameters';

const COLLECTIONS = ['additionalFields', 'contactFields'];
const FIELDS = {
  customerName: 'Customer Name',
  orderNumber: 'Order Number',
  orderNotes: 'Order Notes',
};
const PHONES = { customerPhone: 'Customer Phone', contactPhone: 'Contact Phone' };

/** Whether some field of a name is so, in a call or in the contacts of a campaign. */
const someField = (name: keyof typeof FIELDS, isSo: (path: string) => boolean): boolean =>
  COLLECTIONS.some((one) => isSo(`${one}.${name}`));

/** The fields that tell items apart, and whose expressions give one and the same for all of them. */
function sameFields(parameters: NodeParameters, isOne: boolean): string[] {
  const differs = (path: string) => parameters.gaveDifferent(path);
  const isSame = (path: string) =>
    isOne ? parameters.usesOneItemForAll(path) : parameters.gaveSame(path);
  const arePeople = isOne || Object.keys(PHONES).some(differs);
  const fields: Array<[string, boolean]> = [
    [PHONES.customerPhone, isSame('customerPhone') && someField('customerName', differs)],
    [FIELDS.customerName, arePeople && someField('customerName', isSame)],
    [FIELDS.orderNumber, arePeople && someField('orderNumber', isSame)],
    ['Call ID at the Service', isSame('orderId')],
    ['Campaign ID', isSame('campaignId')],
    ['Cancel By', isSame('cancelValue')],
  ];
  return fields.flatMap(([displayName, isSame]) => (isSame ? displayName : []));
}

/**
 * Hints at fields whose expressions give nothing, or one and the same, for all of several items: a column has another
 * name by now, or an expression uses the first item for all. It compares what the items gave when they were read. Of
 * one item, as in a round of a loop, it tells what an expression takes from another.
 */
export function tellFieldsOfAllItems(parameters: NodeParameters): void {
  const { context } = parameters;
  const { length } = context.getInputData();
  const isOne = length === 1;
  const names = Object.keys(FIELDS) as Array<keyof typeof FIELDS>;
  const empty = names
    .filter((name) => !isOne && someField(name, (path) => parameters.gaveNothing(path)))
    .map((name) => FIELDS[name]);
  if (empty.length > 0) {
    const text = `The ${length} items have nothing for ${quoted(empty)}: check the expressions there`;
    tellHint(context, text, 'warning');
  }
  const same = sameFields(parameters, isOne);
  if (same.length > 0) {
    const have = isOne
      ? 'The item has the value of another'
      : `The ${length} items have the same value`;
    const text = `${have} for ${quoted(same)}: check the expressions there. One with .first() uses the first item for all`;
    tellHint(context, text, 'warning');
  }
}

/** Refuses a phone for which an expression uses one item for all: one person would be called for everybody. */
export function refuseOnePhoneForAll(parameters: NodeParameters, common: ItemParameters): void {
  const { length } = common.context.getInputData();
  for (const [path, displayName] of Object.entries(PHONES)) {
    if (!parameters.usesOneItemForAll(path)) continue;
    const what = length === 1 ? 'that of another item' : `the same for all ${length} items`;
    common.refuse(
      displayName,
      `is ${what}: its expression uses one item for all`,
      'Give each item its own, e.g. {{ $json.phone }}, not that of .first(). To have one phone ring for all items, enter it without an expression.',
    );
  }
}

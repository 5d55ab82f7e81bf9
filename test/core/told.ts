import type { IDataObject } from 'n8n-workflow';
import type { Execution } from './engine';

/** Everything by which a person can learn of a call. */
export interface Told {
  orderIds: Set<unknown>;
  /** Phones of items whose call may have been placed. */
  maybe: Set<unknown>;
}

/**
 * What an execution tells of the calls that it placed.
 *
 * @param phones the phone of each item
 */
export function toldBy({ items, error }: Execution, phones: string[]): Told {
  const orderIds = new Set<unknown>();
  const maybe = new Set<unknown>();
  items.forEach(({ json }, index) => {
    if (json.orderId !== undefined) orderIds.add(json.orderId);
    if (String(json.error).includes('may have been placed')) maybe.add(phones[index]);
  });
  if (error !== undefined) {
    const { placedOrderIds, maybePlacedItems } = error.context?.data as IDataObject;
    for (const id of placedOrderIds as number[]) orderIds.add(id);
    for (const item of maybePlacedItems as number[]) maybe.add(phones[item]);
    if (error.message.includes('may have been placed')) {
      maybe.add(phones[Number(error.context?.itemIndex)]);
    }
  }
  return { orderIds, maybe };
}

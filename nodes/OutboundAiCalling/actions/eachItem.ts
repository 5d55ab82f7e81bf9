import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { openDesk, type Desk } from './desk';
import { ItemParameters } from './itemParameters';
import { mistakesError, nodeError } from './nodeError';

/** Notes what an item has set in motion, so that it is told even when the item fails later. */
export type NotePlaced = (placed: { orderId: number }) => void;

/** What an operation does with one item. */
export interface ItemWork<Request> {
  /** Reads and checks the parameters of an item; nothing is sent before all items are read. */
  read(parameters: ItemParameters): Request;
  perform(request: Request, desk: Desk, notePlaced: NotePlaced): Promise<IDataObject>;
}

/** The order ids in an error's text; all of them are in its context. */
const IDS_TOLD = 20;

function placedSentence(orderIds: number[]): string {
  if (orderIds.length === 0) return '';
  const told = orderIds.slice(0, IDS_TOLD).join(', ');
  const more = orderIds.length > IDS_TOLD ? ` and ${orderIds.length - IDS_TOLD} more` : '';
  return `Calls placed before: order IDs ${told}${more}.`;
}

/**
 * Makes an operation out of what it does with one item: all items are read first and all mistakes
 * told together; then the items are performed side by side, as many requests at once as
 * "Concurrency" allows. After a failure nothing more is sent, and what is under way is awaited.
 * With "continue on error" every item carries its own error instead. Output follows the order of
 * the items.
 */
export function eachItem<Request>(work: ItemWork<Request>) {
  return async (context: IExecuteFunctions): Promise<INodeExecutionData[]> => {
    const node = context.getNode();
    const goOn = context.continueOnFail();
    const readings = context.getInputData().map((_, itemIndex) => {
      const parameters = new ItemParameters(context, itemIndex);
      return { itemIndex, request: work.read(parameters), mistakes: parameters.mistakes };
    });
    const faulty = readings.filter(({ mistakes }) => mistakes.length > 0);
    if (faulty.length > 0 && !goOn) throw mistakesError(node, faulty);

    const stop = new AbortController();
    const desk = await openDesk(context, stop.signal);
    const placed = new Map<number, number>();
    const failures: Array<{ itemIndex: number; failure: unknown }> = [];

    const errorItem = (error: Error, item: number): INodeExecutionData => {
      const orderId = placed.get(item);
      return {
        json: { error: error.message, ...(orderId === undefined ? {} : { orderId }) },
        error: nodeError(node, error, item),
        pairedItem: { item },
      };
    };
    const perform = async (reading: (typeof readings)[number]): Promise<INodeExecutionData> => {
      const { itemIndex: item, request, mistakes } = reading;
      if (mistakes.length > 0) return errorItem(mistakesError(node, [reading]), item);
      return await work
        .perform(request, desk, ({ orderId }) => placed.set(item, orderId))
        .then(
          (json) => ({ json, pairedItem: { item } }),
          (failure: unknown) => {
            if (!goOn) {
              failures.push({ itemIndex: item, failure });
              stop.abort();
            }
            return errorItem(nodeError(node, failure, item), item);
          },
        );
    };
    const output = await Promise.all(readings.map(perform));

    const [first] = failures;
    if (first === undefined) return output;
    const orderIds = [...placed.values()];
    const error = nodeError(node, first.failure, first.itemIndex, placedSentence(orderIds));
    if (orderIds.length > 0) error.context.data = { placedOrderIds: orderIds };
    throw error;
  };
}

import {
  NodeOperationError,
  type IDataObject,
  type IExecuteFunctions,
  type INode,
  type INodeExecutionData,
} from 'n8n-workflow';
import { CallingServiceError } from '../service/failure';
import { openDesk, type ItemDesk } from './execution';
import { ItemParameters } from './itemParameters';
import { mistakesError, nodeError } from '../nodeError';
import { NodeParameters } from './nodeParameters';

/** What an operation does with one item. */
export interface ItemWork<Request> {
  /** Reads and checks the parameters of an item; nothing is sent before all items are read. */
  read(parameters: ItemParameters): Request;
  /** Whether every item is a telephone call, so that "Max Calls" applies. */
  isCall?: boolean;
  /** What has to be done for all items before the first of them is performed. */
  beforehand?(context: IExecuteFunctions, requests: Request[]): Promise<void>;
  perform(request: Request, desk: ItemDesk): Promise<IDataObject>;
}

/** So many ids stand in an error's text; all of them are in its context. */
const IDS_TOLD = 20;

function sentence(start: string, ids: number[]): string {
  if (ids.length === 0) return '';
  const more = ids.length > IDS_TOLD ? ` and ${ids.length - IDS_TOLD} more` : '';
  return `${start} ${ids.slice(0, IDS_TOLD).join(', ')}${more}.`;
}

/** A failed item, in the order in which items failed. */
interface Failed {
  itemIndex: number;
  failure: unknown;
}

/** The error of an execution that stopped: its first failure, and everything that was set off. */
function stoppedError(node: INode, failed: Failed[], placedOrderIds: number[]) {
  const [first, ...others] = failed;
  const maybePlacedItems = others
    .filter(({ failure }) => failure instanceof CallingServiceError && failure.taken === 'unknown')
    .map(({ itemIndex }) => itemIndex);
  const done = [
    sentence('Calls placed before: order IDs', placedOrderIds),
    sentence('Calls that may have been placed too: items', maybePlacedItems),
  ];
  const error = nodeError(node, first?.failure, first?.itemIndex, done.filter(Boolean).join(' '));
  error.context.data = { placedOrderIds, maybePlacedItems };
  return error;
}

/** "Max Calls" is a cap on a mistake: a query that gave far more items than intended. */
function refuseTooManyCalls(context: IExecuteFunctions, calls: number): void {
  const cap = Number(context.getNodeParameter('options.maxCalls', 0, null) ?? Infinity);
  if (calls <= cap) return;
  throw new NodeOperationError(
    context.getNode(),
    `${calls} calls are more than "Max Calls" allows (${cap})`,
    {
      description:
        'Nobody was called. Check where the items come from, or raise "Max Calls" in the options.',
    },
  );
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
    const nodeParameters = new NodeParameters(context);
    const readings = context.getInputData().map((_, itemIndex) => {
      const parameters = new ItemParameters(nodeParameters, itemIndex);
      return { itemIndex, request: work.read(parameters), mistakes: parameters.mistakes };
    });
    const faulty = readings.filter(({ mistakes }) => mistakes.length > 0);
    if (work.isCall === true) refuseTooManyCalls(context, readings.length - faulty.length);
    if (faulty.length > 0 && !goOn) throw mistakesError(node, faulty);

    const stop = new AbortController();
    const desk = await openDesk(context, stop);
    const undone = readings.filter(
      ({ itemIndex, mistakes }) => mistakes.length === 0 && !desk.ledger.has(String(itemIndex)),
    );
    await work.beforehand?.(
      context,
      undone.map(({ request }) => request),
    );
    const placed = new Map<number, number>();
    const failed: Failed[] = [];

    const errorItem = (failure: unknown, item: number): INodeExecutionData => {
      const error = nodeError(node, failure, item);
      const orderId = placed.get(item);
      if (orderId !== undefined) error.message += ` (the call was placed as order ${orderId})`;
      return { json: { error: error.message }, error, pairedItem: { item } };
    };
    const perform = async (reading: (typeof readings)[number]): Promise<INodeExecutionData> => {
      const { itemIndex: item, request, mistakes } = reading;
      if (mistakes.length > 0) return errorItem(mistakesError(node, [reading]), item);
      const itemDesk: ItemDesk = {
        ...desk,
        wasDone: () => desk.ledger.has(String(item)),
        once: async (act) => await desk.ledger.once(String(item), act),
        notePlaced: (orderId) => placed.set(item, orderId),
      };
      return await work.perform(request, itemDesk).then(
        (json) => ({ json, pairedItem: { item } }),
        (failure: unknown) => {
          if (!goOn) {
            failed.push({ itemIndex: item, failure });
            stop.abort();
          }
          return errorItem(failure, item);
        },
      );
    };
    const output = await Promise.all(readings.map(perform));

    if (failed.length > 0) throw stoppedError(node, failed, [...placed.values()]);
    return output;
  };
}

import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { CallingServiceError } from '../service/failure';
import type { Mistake } from './mistake';

/** The mistakes of one item. */
export interface FaultyItem {
  itemIndex: number;
  mistakes: Mistake[];
}

/** So many mistakes are told in full; the others are counted. */
const MISTAKES_TOLD = 20;

/** All mistakes of an execution as one error: nothing has been sent. */
export function mistakesError(node: INode, faulty: FaultyItem[]): NodeOperationError {
  const all = faulty.flatMap(({ itemIndex, mistakes }) =>
    mistakes.map((mistake) => ({ itemIndex, ...mistake })),
  );
  const [first] = all;
  if (first === undefined) throw new NodeOperationError(node, 'No mistake was found');
  if (all.length === 1) {
    return new NodeOperationError(node, `${first.parameter} ${first.message}`, {
      description: `Nothing was sent. ${first.advice ?? 'Correct it, then run the node again.'}`,
      itemIndex: first.itemIndex,
    });
  }
  const told = all
    .slice(0, MISTAKES_TOLD)
    .map(({ itemIndex, parameter, message, advice }) =>
      [`Item ${itemIndex}: ${parameter} ${message}.`, advice].filter(Boolean).join(' '),
    );
  const more = all.length - told.length;
  const items = faulty.length === 1 ? '1 item' : `${faulty.length} items`;
  return new NodeOperationError(node, `${all.length} mistakes in ${items}: nothing was sent`, {
    description: [...told, ...(more > 0 ? [`… and ${more} more.`] : [])].join('<br>'),
    itemIndex: first.itemIndex,
  });
}

/** A failure of the service in n8n's form: what happened, what to do, and which item it was. */
export function serviceError(
  node: INode,
  failure: CallingServiceError,
  itemIndex: number | undefined,
  done = '',
): NodeApiError {
  const description = [failure.advice, done].filter((part) => part !== '').join(' ');
  return new NodeApiError(
    node,
    { message: failure.message },
    {
      message: failure.message,
      description,
      ...(failure.status === undefined ? {} : { httpCode: String(failure.status) }),
      ...(itemIndex === undefined ? {} : { itemIndex }),
    },
  );
}

/** Any failure in n8n's form. */
export function nodeError(
  node: INode,
  failure: unknown,
  itemIndex: number | undefined,
  done = '',
): NodeApiError | NodeOperationError {
  if (failure instanceof CallingServiceError) return serviceError(node, failure, itemIndex, done);
  const error = failure instanceof Error ? failure : new Error(String(failure));
  return new NodeOperationError(node, error, {
    ...(done === '' ? {} : { description: done }),
    ...(itemIndex === undefined ? {} : { itemIndex }),
  });
}

import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { CallLogError } from './callLog/callLogError';
import { CallingServiceError } from './service/failure';

/** Something in the parameters of an item that has to be corrected before anything can be sent. */
export interface Mistake {
  /** The parameter as the panel names it. */
  parameter: string;
  /** What is wrong with it, to be read after its name: `is missing`. */
  message: string;
  /** What to do about it; undefined when the message says enough. */
  advice?: string | undefined;
}

/** The mistakes of one item. */
export interface FaultyItem {
  itemIndex: number;
  mistakes: Mistake[];
}

/** So many mistakes are told in full; the others are counted. */
const MISTAKES_TOLD = 20;
/** So many fit into a message, which is all that an item with its own error shows. */
const MISTAKES_IN_MESSAGE = 3;

function andMore(told: string[], all: number): string[] {
  return all > told.length ? [...told, `… and ${all - told.length} more`] : told;
}

/**
 * All mistakes of an execution as one error: nothing has been sent.
 *
 * @param faulty at least one item
 */
export function mistakesError(node: INode, faulty: FaultyItem[]): NodeOperationError {
  const all = faulty.flatMap(({ itemIndex, mistakes }) =>
    mistakes.map((mistake) => ({ ...mistake, place: `Item ${itemIndex}: ` })),
  );
  const ofOneItem = faulty.length === 1;
  const sentences = all.map(({ parameter, message }) => `${parameter} ${message}`);
  const message = ofOneItem
    ? andMore(sentences.slice(0, MISTAKES_IN_MESSAGE), all.length).join('; ')
    : `${all.length} mistakes in ${faulty.length} items: nothing was sent`;
  const told = all
    .slice(0, MISTAKES_TOLD)
    .map(({ place, parameter, message: what, advice = '' }) =>
      `${ofOneItem ? '' : place}${parameter} ${what}. ${advice}`.trim(),
    );
  const advices = [...new Set(all.map(({ advice = '' }) => advice))].filter((text) => text !== '');
  const description =
    ofOneItem && all.length <= MISTAKES_IN_MESSAGE
      ? ['Nothing was sent.', ...advices].join(' ')
      : andMore(told, all.length).join('<br>');
  return new NodeOperationError(node, message, {
    description,
    ...(faulty[0] === undefined ? {} : { itemIndex: faulty[0].itemIndex }),
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

import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
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

/** Whether somebody was called, or still may be, in the words with which every error begins. */
export type Called = 'Nobody was called' | 'Somebody may have been called' | (string & {});
export const NOBODY_CALLED: Called = 'Nobody was called';
/** The call that is read about was placed before. */
export const NOBODY_CALLED_BY_READING: Called = `${NOBODY_CALLED} by reading outcomes`;
/** They were not cancelled. */
export const NOBODY_CALLED_YET: Called = `${NOBODY_CALLED}, but scheduled calls may still be placed`;

/** @param maybe so many more calls may have been placed */
export function peopleCalled(calls: number, maybe: number): Called {
  if (calls === 0) return maybe === 0 ? NOBODY_CALLED : 'Somebody may have been called';
  const people = calls === 1 ? '1 person was called' : `${calls} people were called`;
  return maybe === 0 ? people : `${people}, and ${maybe} more may have been`;
}

/** Campaigns that were not paused or stopped, or may not have been. */
export function mayStillCall(campaigns: number): Called {
  const named = campaigns === 1 ? 'The campaign' : 'The campaigns';
  return `${named} may still be calling people`;
}

/** Campaigns whose start or resume was refused: they may have been started before. */
export function mayCallAnyway(campaigns: number): Called {
  const named = campaigns === 1 ? 'the campaign' : 'the campaigns';
  return `${NOBODY_CALLED} by this; ${named} may be calling people`;
}

/** What something that was thrown says. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function begun(called: Called | undefined, message: string): string {
  return called === undefined || message.startsWith(called) ? message : `${called}. ${message}`;
}

/**
 * All mistakes of an execution as one error: nothing has been sent.
 *
 * @param faulty at least one item
 * @param called how the message begins
 */
export function mistakesError(
  node: INode,
  faulty: FaultyItem[],
  called?: Called,
): NodeOperationError {
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
  return new NodeOperationError(node, begun(called, message), {
    description,
    ...(faulty[0] === undefined ? {} : { itemIndex: faulty[0].itemIndex }),
  });
}

export interface ErrorDetails {
  itemIndex?: number | undefined;
  /** How the message begins. */
  called?: Called | undefined;
  /** What was done before, as sentences that end the description. */
  done?: string;
}

/** Any failure in n8n's form: whether somebody was called, what happened, what to do, which item. */
export function nodeError(
  node: INode,
  failure: unknown,
  { itemIndex, called, done = '' }: ErrorDetails = {},
): NodeApiError | NodeOperationError {
  const item = itemIndex === undefined ? {} : { itemIndex };
  const describe = (...parts: Array<string | null | undefined>) => ({
    description: [...parts, done].filter(Boolean).join(' '),
  });
  if (failure instanceof CallingServiceError) {
    const message = begun(called, failure.message);
    const status = failure.status === undefined ? {} : { httpCode: String(failure.status) };
    const options = { message, ...describe(failure.advice), ...status, ...item };
    return new NodeApiError(node, { message }, options);
  }
  if (failure instanceof Error && 'advice' in failure) {
    const options = { ...describe(String(failure.advice)), ...item };
    return new NodeOperationError(node, begun(called, failure.message), options);
  }
  const isOfNode = failure instanceof NodeOperationError || failure instanceof NodeApiError;
  const message = errorMessage(failure);
  // Mistakes have said it already.
  const isBegun = [called ?? '', NOBODY_CALLED].some((words) => message.startsWith(words));
  if (isOfNode && isBegun && done === '') return failure;
  const options = { ...describe(isOfNode ? failure.description : ''), ...item };
  return new NodeOperationError(node, begun(called, message), options);
}

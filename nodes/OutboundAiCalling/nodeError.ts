import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { withoutMarkup } from './hints';
import { CallingServiceError } from './service/failure';
import { groupBy } from './collections';

/** A fault in an item's parameters. A person must correct it before the item can be sent. */
export interface Mistake {
  /** The parameter as the panel names it. */
  parameter: string;
  /** The fault, to be read after its name: `is missing`. */
  message: string;
  /** The advice; undefined when the message says enough. */
  advice?: string;
}

export interface FaultyItem {
  itemIndex: number;
  mistakes: Mistake[];
}

/** At most this many mistakes are described; the others are counted. */
const MISTAKES_TOLD = 20;
/** At most this many mistakes fit into a message. An item with its own error shows nothing else. */
const MISTAKES_IN_MESSAGE = 3;

function andMore(shown: string[], all: number): string[] {
  return all > shown.length ? [...shown, `… and ${all - shown.length} more`] : shown;
}

/** The words with which every error begins: whether somebody was called, or may still be. */
export type Called = 'Nobody was called' | 'Somebody may have been called' | (string & {});
export const NOBODY_CALLED: Called = 'Nobody was called';
/** Where sub-workflows may have called somebody, too. */
export const NOBODY_CALLED_HERE: Called = `${NOBODY_CALLED} by this node`;
/** For operations that read outcomes: the call itself was placed earlier. */
export const NOBODY_CALLED_BY_READING: Called = `${NOBODY_CALLED} by reading outcomes`;
/** Scheduled calls exist, or may exist, that were not cancelled. */
export const NOBODY_CALLED_YET: Called = `${NOBODY_CALLED}, but scheduled calls may still be placed`;

export interface CallsPlaced {
  orderIds: number[];
  /** How many more calls may have been placed. */
  maybePlaced: number;
}

/**
 * Who was called, or may have been: the test phone counts only when no customer was.
 *
 * @param when words that follow the verb, e.g. ` by an earlier try`
 */
export function peopleCalled(
  { orderIds, maybePlaced }: CallsPlaced,
  testCalls: CallsPlaced,
  when = '',
): Called {
  const calls = orderIds.length;
  if (calls === 0 && maybePlaced === 0) return testPhoneRung(testCalls, when);
  if (calls === 0) return `Somebody may have been called${when}`;
  const people = calls === 1 ? '1 person was called' : `${calls} people were called`;
  return `${people}${when}${maybePlaced === 0 ? '' : `, and ${maybePlaced} more may have been`}`;
}

export function testPhoneRung({ orderIds, maybePlaced }: CallsPlaced, when = ''): Called {
  const calls = orderIds.length;
  if (calls === 0 && maybePlaced === 0) return NOBODY_CALLED;
  const times = `${calls === 1 ? 'once' : `${calls} times`}${maybePlaced === 0 ? '' : ' or more'}`;
  const was = calls === 0 ? 'may have been rung' : `was rung ${times}`;
  return `The test phone ${was}${when}, and no customer was called`;
}

/** For campaigns that were started or resumed. */
export function campaignsCalling(campaigns: number): Called {
  return `${campaigns === 1 ? '1 campaign is' : `${campaigns} campaigns are`} calling people now`;
}

/** For campaigns that were not paused or stopped, or may not have been; all others were. */
export function mayStillCall(some: number, campaigns: number): Called {
  const all = campaigns === 1 ? 'The campaign' : 'The campaigns';
  const named = some === campaigns ? all : `${some} of ${campaigns} campaigns`;
  return `${named} may still be calling people`;
}

/** For campaigns whose start or resume was refused: they may have been started before. */
export function mayCallAnyway(campaigns: number): Called {
  const named = campaigns === 1 ? 'the campaign' : 'the campaigns';
  return `${NOBODY_CALLED} by this; ${named} may be calling people`;
}

/** The message of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The editor renders the message of an error as HTML too, for a moment above the page. */
function begun(called: Called | undefined, message: string): string {
  const text = withoutMarkup(message);
  return called === undefined || text.startsWith(called) ? text : `${called}. ${text}`;
}

/** Whether executing all again calls nobody twice: nobody was called, and no scheduled call waits. */
function isSafe(called: Called | undefined): boolean {
  if (called === undefined) return true;
  return called.startsWith(NOBODY_CALLED) && called !== NOBODY_CALLED_YET;
}

const THEN_RETRY = 'Then retry this execution: it calls nobody twice.';

export interface NamedItems {
  count: number;
  /** The name by which a person recognises an item, e.g. `order A-17`; undefined without one. */
  nameOf(itemIndex: number): string | undefined;
}

/** How a sentence about one of several items begins: `In item 1, order A-17: `; n8n's editor then adds no `[item 1]`. */
function placeOf(itemIndex: number | undefined, items: NamedItems | undefined): string {
  if (itemIndex === undefined) return 'All items: ';
  const name = items?.nameOf(itemIndex);
  return `In item ${itemIndex}${name === undefined ? '' : `, ${name}`}: `;
}

function sentenceOf({ parameter, message }: Mistake): string {
  return `${parameter} ${message}`;
}

/** A mistake of one item, or of the settings, which all items share. */
interface PlacedMistake extends Mistake {
  /** Undefined for the settings. */
  itemIndex: number | undefined;
}

/** Lists each mistake once: first those that every one of several items has. */
function placed(faulty: FaultyItem[], items: NamedItems | undefined): PlacedMistake[] {
  const all = faulty.flatMap(({ itemIndex, mistakes }) => {
    const distinct = new Map(mistakes.map((mistake) => [sentenceOf(mistake), mistake]));
    return [...distinct.values()].map((mistake) => ({ ...mistake, itemIndex }));
  });
  const isShared = (same: PlacedMistake[]) => faulty.length > 1 && same.length === items?.count;
  const shared = [...groupBy(all, sentenceOf).values()].filter(isShared);
  const ofSettings = new Set<PlacedMistake>(shared.flat());
  return [
    ...shared.flatMap(([mistake]) => (mistake ? [{ ...mistake, itemIndex: undefined }] : [])),
    ...all.filter((mistake) => !ofSettings.has(mistake)),
  ];
}

/**
 * Makes one error of all mistakes of an execution. Nothing has been sent.
 *
 * @param faulty at least one item
 * @param items all items of the execution; left out when the error is about one item alone
 */
export function mistakesError(
  node: INode,
  faulty: FaultyItem[],
  called: Called,
  items?: NamedItems,
): NodeOperationError {
  const all = placed(faulty, items);
  const isOfSettings = all.every(({ itemIndex }) => itemIndex === undefined);
  const isOfOne = isOfSettings || faulty.length === 1;
  const isOneOfSeveral = !isOfSettings && (items?.count ?? 1) > 1;
  const shown = all.slice(0, MISTAKES_IN_MESSAGE).map(sentenceOf);
  const [first] = faulty;
  const place = isOneOfSeveral && first ? placeOf(first.itemIndex, items) : '';
  const was = isSafe(called) ? 'was' : 'more was';
  const message = isOfOne
    ? `${place}${andMore(shown, all.length).join('; ')}`
    : `${all.length} mistakes in ${faulty.length} items: nothing ${was} sent`;
  const sentences = all.slice(0, MISTAKES_TOLD).map((mistake) => {
    const where = isOfOne ? '' : placeOf(mistake.itemIndex, items);
    return `${where}${sentenceOf(mistake)}. ${mistake.advice ?? ''}`.trim();
  });
  const advices = [...new Set(all.map(({ advice = '' }) => advice))].filter((text) => text !== '');
  const nothing = isOfSettings
    ? `Nothing ${was} sent for any of the ${faulty.length} items.`
    : `Nothing ${was} sent.`;
  const retry = isSafe(called) ? [] : [THEN_RETRY];
  const lines =
    isOfOne && all.length <= MISTAKES_IN_MESSAGE
      ? [[nothing, ...advices, ...retry].join(' ')]
      : [...andMore(sentences, all.length), ...retry];
  const description = lines.map(withoutMarkup).join('<br>');
  return new NodeOperationError(node, begun(called, message), {
    description,
    ...(first === undefined || isOfSettings ? {} : { itemIndex: first.itemIndex }),
  });
}

/** Advice of failures that do not know whether somebody was called. */
const RUN_AGAIN = /\b(r)un the (?:workflow|node) again\b/gi;

/** Advice for somebody whose execution has called people, or may have: only a retry calls nobody twice. */
export function retrying(advice: string): string {
  const text = advice.replace(RUN_AGAIN, '$1etry this execution (it calls nobody twice)');
  return /\bexecution\b/.test(text) ? text : `${text} ${THEN_RETRY}`.trim();
}

export type NodeError = NodeApiError | NodeOperationError;

interface ErrorDetails {
  itemIndex?: number;
  /** All items of the execution; left out when the error is about one item alone. */
  items?: NamedItems;
  /** How the message begins. */
  called?: Called;
  /** Sentences about calls and campaigns before the error; they end the description. */
  done?: string;
  /** In place of the advice of a failure of the service. */
  advice?: string;
}

/** Makes an error of n8n of a failure: who was called, what happened, what to do, which item. */
export function nodeError(
  node: INode,
  failure: unknown,
  { itemIndex, items, called, done = '', advice: better }: ErrorDetails = {},
): NodeError {
  const isOneOfSeveral = itemIndex !== undefined && items !== undefined && items.count > 1;
  const place = isOneOfSeveral ? placeOf(itemIndex, items) : '';
  const reason = errorMessage(failure);
  const message = begun(called, `${place}${reason}`);
  const isOfNode = failure instanceof NodeOperationError || failure instanceof NodeApiError;
  // An error of mistakes already begins with these words.
  const isBegun = [called ?? '', NOBODY_CALLED].some((words) => reason.startsWith(words));
  if (isOfNode && isBegun && done === '') return failure;
  const own = failure instanceof Error && 'advice' in failure ? String(failure.advice) : '';
  // The description of an error of n8n may be HTML already.
  const advice = isOfNode ? (failure.description ?? '') : withoutMarkup(better ?? own);
  const isAllLeft = isSafe(called) && done === '';
  const sentences = [isAllLeft ? advice : retrying(advice), withoutMarkup(done)];
  const description = sentences.filter(Boolean).join(' ');
  const options = { description, ...(itemIndex === undefined ? {} : { itemIndex }) };
  if (!(failure instanceof CallingServiceError)) {
    return new NodeOperationError(node, message, options);
  }
  const status = failure.status === undefined ? {} : { httpCode: String(failure.status) };
  return new NodeApiError(node, { message }, { ...options, message, ...status });
}

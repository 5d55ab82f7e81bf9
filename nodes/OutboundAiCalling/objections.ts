import type { IDataObject } from 'n8n-workflow';
import { isBrokenCell } from './brokenCell';
import { hasBrokenLetters } from './brokenLetters';
import { hasAllDigits } from './http/json';
import { isBlank, isEmpty, textOrJson } from './values';

/** What expressions write in place of a value that is not there. */
const NO_VALUE = /^(?:undefined|\[object object\])$/i;
/** As JSON and databases write it; "Null" is a name. */
const NULL = /^(?:null|NULL)$/;

/**
 * The same as a part of a text, as expressions join it: `Nathan undefined`, `Main Street 5, null`, and
 * `Invalid DateTime` for a day that could not be read. A `null` within a text may be a word of another language.
 */
const PART_WITHOUT_VALUE =
  /\[object \w+\]|undefined|(?<![\p{L}\p{N}_])(?:NaN|Invalid [Dd]ate(?:Time)?)(?![\p{L}\p{N}_])|^null(?=[^\p{L}\p{N}_])|(?<=[^\p{L}\p{N}_])null$/u;

/** What n8n gives to an expression, as a person writes it who has left out the braces. */
const WITHOUT_BRACES = /\$(?:(?:json|binary)[.[]|node\[|input\.|items?\(|fromAI\()|\$\(['"`]/;

/**
 * Whether a text has a part of an expression that n8n took as it is: a `$` after `{{`, with no `}` between, or data
 * of n8n without braces. The first is not one pattern: it would begin anew at each brace of a text of braces.
 */
function holdsExpressionAsText(text: string): boolean {
  const hasOpen = text.split('}').some((part) => {
    const start = part.indexOf('{{');
    return start !== -1 && part.includes('$', start);
  });
  return hasOpen || WITHOUT_BRACES.test(text);
}

/** What JavaScript writes of a method: the same for every order. */
const METHOD = /\bfunction (\w*)\(\) \{ \[native code\] \}/;

/** In a name or a note, any such braces are one; a script may know placeholders of its own. */
const PLACEHOLDER = /\{\{[^{}]*\}\}/;

/** Why a value is no text about one order or person. Broken cells and rounded numbers give many orders the same text. */
export function objectionToText(value: unknown): string | undefined {
  if (typeof value === 'boolean') return `is ${value}, which is no text: choose another field`;
  if (typeof value === 'object' && value !== null && /^[[{]/.test(textOrJson(value))) {
    return 'is an object or a list: choose one of its fields';
  }
  if (typeof value === 'string' && PLACEHOLDER.test(value)) return notEvaluated(value.trim());
  return objectionToContent(value);
}

function notEvaluated(text: string): string {
  return `has an expression that n8n did not evaluate, "${text}": choose Expression above the field, and write {{ }} around it`;
}

/** As {@link objectionToText}, for a value that may be a switch, an object or a list. */
export function objectionToContent(value: unknown): string | undefined {
  if (isEmpty(value)) return undefined;
  if (typeof value === 'number' && !Number.isNaN(value) && !hasAllDigits(value)) {
    return 'has more digits than a number can hold: give it as text';
  }
  const text = textOrJson(value).trim();
  if (holdsExpressionAsText(text)) return notEvaluated(text);
  const [, method] = METHOD.exec(text) ?? [];
  if (method !== undefined) return `has a method without its brackets: write ${method}()`;
  // The JSON of a date that could not be read is `null`, too.
  const hasNone = NULL.test(text) || NO_VALUE.test(text);
  const isLost = hasNone || Number.isNaN(value) || isBrokenCell(text);
  return isLost || PART_WITHOUT_VALUE.test(text) ? objectionToLost(text) : undefined;
}

function objectionToLost(text: string): string {
  return `is "${text}", which comes from a broken cell or a missing field`;
}

/** What programs write for a value that is not there. Within a note or a longer text, a person may mean it. */
const NOTHING = /^(?:null|nan|none|n\/a|[(<](?:null|none|nil|na)[)>]|\\N)$/i;
/** `Null`, `Nan` and `None` are names of people, too. */
const MAY_BE_NAME = /^\p{Lu}\p{Ll}+$/u;
/** As shops name orders: without a letter, or a short prefix in capitals and digits, such as `#1001`, `EN#1001` and `ORD-1002`. */
const MAY_BE_ORDER = /^(?:(?=.*\p{N})\P{L}+|#?\p{Lu}{1,3}[#-]?\p{N}{3,})$/su;
/** A letter, a digit or a picture: a text of other signs names nothing. */
const NAMING = /[\p{L}\p{N}\p{So}]/u;
/** Dashes, brackets, quotes and invisible marks, which go when a number is read. */
const DROPPED = /^[\s\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Cf}\u2212_"'`=]*$/u;

/** As {@link objectionToText}, for a text that tells an order from all others. */
export function objectionToOrderNumber(value: unknown): string | undefined {
  const isNothing = typeof value === 'string' && !isBlank(value) && tellsNothingApart(value);
  return isNothing ? objectionToLost(value.trim()) : (objectionToText(value) ?? tooLong(value));
}

/** The longest name, order number and Duplicate Key, in characters: a row has each of them more than once. */
const LONGEST_NAME = 200;

/** Finds the objection to a text that names a person, an order or a call. */
export function tooLong(value: unknown): string | undefined {
  const { length } = textOrJson(value);
  if (length <= LONGEST_NAME) return undefined;
  return `has ${length} characters, and may have ${LONGEST_NAME}: choose another field`;
}

/** Finds the objection to a text of a call, the same wherever the text comes from. */
export function objectionToValueOf(field: string): (value: unknown) => string | undefined {
  return field === 'orderNumber' ? objectionToOrderNumber : objectionToText;
}

/** Whether a text consists of signs, such as `-`. */
export function namesNothing(text: string): boolean {
  return !NAMING.test(text);
}

/** Whether a value, in any form that an expression gives, has nothing that tells orders apart. */
export function tellsNothingApart(value: unknown, isNothing = namesNothing): boolean {
  if (typeof value === 'number') return Number.isNaN(value);
  if (typeof value === 'string') return NOTHING.test(value.trim()) || isNothing(value);
  if (typeof value !== 'object' || value === null) return true;
  // Dates and similar objects show their value only as JSON.
  const content: unknown = JSON.parse(JSON.stringify(value));
  if (typeof content !== 'object' || content === null) return tellsNothingApart(content, isNothing);
  return Object.values(content).every((one) => tellsNothingApart(one, isNothing));
}

/** Whether a part of a text that names one order or person is missing. Another part may be a sign, such as a plus. */
export function isMissingPart(value: unknown): boolean {
  return typeof value !== 'boolean' && tellsNothingApart(value, (text) => DROPPED.test(text));
}

const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/** Whether a value is a text without visible signs, none at all, or a list or an object of nothing else. */
export function givesNothing(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return hasNoSign(value);
  // Dates and similar objects show their value only as JSON.
  const hasParts = Array.isArray(value) || typeof (value as IDataObject).toJSON !== 'function';
  return hasParts && Object.values(value).every(hasNoSign);
}

function hasNoSign(value: unknown): boolean {
  return typeof value === 'string' ? !VISIBLE.test(value) : isEmpty(value);
}

/**
 * Reads a value that the script tells a customer, the only way to such a text; undefined for one that
 * {@link givesNothing}.
 *
 * @param objectionTo decides whether it may be an object or a list; by default it may
 */
export function readScriptValue(
  value: unknown,
  objectionTo = objectionToContent,
): { text: string } | { objection: string } | undefined {
  if (givesNothing(value)) return undefined;
  try {
    const objection = objectionTo(value);
    return objection === undefined ? { text: textOrJson(value) } : { objection };
  } catch {
    return { objection: 'cannot be written as text' };
  }
}

/** Why a text is no person's name; undefined when it is. A shop's `Name` may be order numbers. */
export function objectionToCustomerName(text: string): string | undefined {
  const name = text.trim();
  if (NOTHING.test(name) && !MAY_BE_NAME.test(name)) return objectionToLost(name);
  const objection = tooLong(name);
  if (objection !== undefined) return objection;
  if (hasBrokenLetters(text)) {
    return `is "${text}", with letters that a wrong encoding has broken: read or save the list as UTF-8`;
  }
  if (!MAY_BE_ORDER.test(name)) return undefined;
  return `is "${text}", which is no name, but may be an order number`;
}

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { cleaned, mayLackDigits } from '../contacts/writtenNumber';
import { inSlices } from '../eventLoopSlices';
import { isRecord } from '../http/json';
import { isMissingPart, objectionToContent, tellsNothingApart } from '../objections';
import { isBlank } from '../values';
import { nodesBefore } from './memory/rounds';

/** An expression in a parameter, as n8n finds it: the last one may be unclosed. */
const EXPRESSION = /\{\{.*?(?:(?<!\\)\}\}|$)/gs;

function holdsExpression(value: unknown): boolean {
  if (typeof value === 'string') return value.startsWith('=') && value.includes('{{');
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsExpression);
}

/** An expression whose author lets it be empty: `{{ $json.country ?? '' }}`, `{{ $json.no ? '-' + $json.no : '' }}`. */
const MAY_BE_EMPTY = /(?:\?\?|\|\||[?:]|\$if(?:Empty)?\(.*,)\s*(['"`])\s*\1/s;

/** What n8n gives to an expression begins with `$`; `${` begins a part of a text. */
const DATA = /\$(?!(?:now|today)\b|\{)/;

/** Data of an item, also where it may be used. All else is one for all items, or another in each execution. */
const OF_ITEM =
  /\$(?:\(|(?:json|binary|data|node|items?|input|fromAI)\b|parameter\W+(?:customerPhone|additionalFields)\b)/i;

/** Within a longer text, a number with an exit code or a plus that has expressions. */
const NUMBER_OF_PARTS = /(?<=^|[\s"',;:|])(?:\+|00)[\d ()./-]*(?:\{\{.*?\}\}[\d ()./-]*)+/gs;

/** A plus that an expression writes before a number, also with a country code: `'+49' + $json.phone`. */
const PLUS_IN_CODE = /(['"`])\+[\d\s()-]*(?:\1|\$\{)/;

/** A text that is one number with a plus, perhaps with words, and nothing else of a list. */
const ONE_NUMBER = /^\s*\+(?:[^,;|"\n]*\p{Nd}){5}[^,;|"\n]*$/u;

/** A field of an item in an expression, however the item is taken, without what is called on the field. */
const FIELD =
  /\$(?:json|input|node|items?\([^)]*\)|\((['"`]).*?\1\))(?:\??\.(?:(?:first|last|all|at|itemMatching)\([^()]*\)|\$?\w+\b(?!\s*\())|(?:\?\.)?\[(?:(['"`]).*?\2|\$?\w+)\])+/gs;

const COMMENT = /\/\*.*?\*\//gs;

/** Texts and regular expressions in an expression: their signs are not its own. An apostrophe within a template is none. */
const LITERAL =
  /(['"])(?:\\.|(?!\1)[^\\$`])*\1|(?<=[(,]\s*)\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/[\\\n])+\//gs;

/** Signs of an expression that puts texts together, and of one that chooses among them or leaves some out. */
const JOINS = /\+|\$\{|\.(?:concat|join)\(/;
const CHOOSES = /\?(?!\.)|\|\||&&|=>|\bif\b|\$if|Boolean|\.compact\(/;

/** Parameters with the number of one person. */
const OF_PHONE = /Phone$/;

/** The list of items of a node in an expression, also in n8n's older words; not where the item of the list is asked for. */
const LIST =
  /\$(?:input\b|node(?:\.\w+|\[.*?\])|(?:items)?\(\s*(?:(['"`]).*?\1)?[^)]*\))(?!\s*(?:\?\.|\.)\s*item\b)/gs;

/** A list of n8n's older words in its present ones. */
function inPresentWords(list: string): string {
  const [name = /(?<=^\$node\.)\w+/.exec(list)?.[0]] = /(?<=['"`]).*(?=['"`])/s.exec(list) ?? [];
  return name === undefined ? '$input' : `$(${JSON.stringify(name)})`;
}

/**
 * The expression as it is when a list has nothing but one of its items, however the expression takes one.
 *
 * @param item asks a list for this item: `item`, which n8n pairs with the present one, or `first()`
 */
function withOnly(expression: string, list: string, item: string): string {
  return expression.replace(LIST, (found) => {
    if (found !== list) return found;
    const source = /^\$(?:input|\()/.test(list) ? list : inPresentWords(list);
    if (list.startsWith('$node')) return `${source}.${item}`;
    const all = `${source}.all().map(() => one)`;
    const face = ['first', 'last', 'itemMatching'].map((name) => `${name}: () => one`);
    const only = list.startsWith('$items') ? all : `({ ${String(face)}, all: () => ${all} })`;
    return `((one) => ${only})(${source}.${item})`;
  });
}

/** The expressions in a parameter that may depend on the item. The clock and chance alone do not. */
function itemExpressionsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).flatMap(itemExpressionsIn);
  }
  if (typeof value !== 'string' || !holdsExpression(value)) return [];
  return (value.match(EXPRESSION) ?? []).filter((expression) => DATA.test(expression));
}

/** Whether a part of a text that names one order or person is missing. */
function isLost(value: unknown, expression: string): boolean {
  if (!isMissingPart(value)) return false;
  return typeof value !== 'string' || !isBlank(value) || !MAY_BE_EMPTY.test(expression);
}

/** Whether a spreadsheet may have replaced the last digits of a value by zeros. */
function isShortened(value: unknown): boolean {
  return mayLackDigits(cleaned(String(value)));
}

/** See {@link NodeParameters.identifying}: what a text is by the values of its expressions. */
function identifiedBy(
  text: string,
  expressions: string[],
  values: unknown[],
  isPhone: boolean,
): unknown {
  if (values.every(isBlank)) return undefined;
  const unsound = values.find(
    (value) => objectionToContent(value) !== undefined || (isPhone && isShortened(value)),
  );
  if (unsound !== undefined) return unsound;
  const hasLost = expressions.some((expression, index) => isLost(values[index], expression));
  return hasLost || values.every((value) => tellsNothingApart(value)) ? 'undefined' : text;
}

/** n8n takes 0.5 ms for each parameter: collections are read whole, and constants only once. */
export class NodeParameters {
  private readonly constants = new Map<string, unknown>();
  /** By the path of what was read: what the items have given for it. */
  private readonly given = new Map<
    string,
    { first: unknown; isNothing: boolean; isSame: boolean }
  >();
  private readonly raw: IDataObject;

  constructor(readonly context: IExecuteFunctions) {
    this.raw = context.getNode().parameters;
  }

  /**
   * @param name a parameter of the panel, not an entry of a collection
   * @returns null when the workflow does not hold it and it has no default
   * @throws what the evaluation of its expression throws
   */
  value(name: string, itemIndex: number): unknown {
    if (holdsExpression(this.raw[name])) return this.resolve(name, itemIndex);
    if (!this.constants.has(name)) this.constants.set(name, this.resolve(name, itemIndex));
    return this.constants.get(name);
  }

  /**
   * Resolves each entry of a collection by itself, when it cannot be resolved whole.
   *
   * @returns values and errors by entry; undefined when the parameter is no collection
   */
  entries(name: string, itemIndex: number) {
    const raw = this.raw[name];
    if (!isRecord(raw)) return undefined;
    const values: Record<string, unknown> = {};
    const errors = new Map<string, unknown>();
    for (const entry of Object.keys(raw)) {
      try {
        values[entry] = this.resolve(`${name}.${entry}`, itemIndex);
      } catch (error) {
        values[entry] = undefined;
        errors.set(entry, error);
      }
    }
    return { values, errors };
  }

  /** An item's parameters as one text, but for the clock and chance; undefined when an expression fails. */
  fingerprintOf(itemIndex: number): string | undefined {
    return this.textOf(itemExpressionsIn(this.raw), itemIndex);
  }

  /**
   * Finds the first item for which a parameter differs from that of item 0, or cannot be evaluated. It works in slices.
   *
   * @returns its index; undefined when there is none
   */
  async differingItem(name: string): Promise<number | undefined> {
    const expressions = itemExpressionsIn(this.raw[name]);
    if (expressions.length === 0) return undefined;
    const first = this.textOf(expressions, 0);
    let differing: number | undefined;
    await inSlices(this.context.getInputData(), (_, itemIndex) => {
      if (itemIndex === 0 || differing !== undefined) return;
      if (this.textOf(expressions, itemIndex) !== first) differing = itemIndex;
    });
    return differing;
  }

  private textOf(expressions: string[], itemIndex: number): string | undefined {
    return this.evaluated(expressions, itemIndex, (values) => JSON.stringify(values));
  }

  /** What `read` makes of the values of expressions; undefined when one of them fails, or cannot be read. */
  private evaluated<T>(
    expressions: string[],
    itemIndex: number,
    read: (values: unknown[]) => T,
  ): T | undefined {
    try {
      return read(expressions.map((one) => this.context.evaluateExpression(one, itemIndex)));
    } catch {
      return undefined;
    }
  }

  private resultOf(expression: string, itemIndex: number): unknown {
    return this.evaluated([expression], itemIndex, ([value]) => value);
  }

  /** Whether an expression gives a parameter, or an entry of a collection, or a part of it. */
  isExpression(path: string): boolean {
    return holdsExpression(this.rawOf(path));
  }

  /** Whether a parameter, or an entry of a collection, uses data of the item or the execution. */
  dependsOnItem(path: string): boolean {
    return itemExpressionsIn(this.rawOf(path)).some((expression) => OF_ITEM.test(expression));
  }

  /**
   * A text that names one order, person or campaign. Undefined when all its expressions give nothing. When one of
   * several gives nothing, or a broken cell, the rest of the text may name somebody else. Then it is the broken value,
   * or the text `undefined`: every reader refuses both. A phone number is its part that may have lost digits, or is
   * without the plus that its expression adds: only a plus that a person has typed vouches for final zeros.
   */
  identifying(path: string, text: unknown, itemIndex: number): unknown {
    const raw = this.rawOf(path);
    if (typeof raw !== 'string' || !holdsExpression(raw) || typeof text !== 'string') return text;
    if (text === raw.slice(1).replace(EXPRESSION, '')) return undefined;
    const parts = itemExpressionsIn(raw);
    const isPhone = OF_PHONE.test(path);
    if (parts.some((part) => this.joinsNothing(part, itemIndex))) return 'undefined';
    // The reader checks a whole text.
    if (parts.length === 0 || parts[0] === raw.slice(1)) {
      const withoutPlus = text.replace(/[+\s]/g, '');
      return isPhone && PLUS_IN_CODE.test(raw) && isShortened(withoutPlus) ? withoutPlus : text;
    }
    const read = (values: unknown[]) => ({ text: identifiedBy(text, parts, values, isPhone) });
    return (this.evaluated(parts, itemIndex, read) ?? { text }).text;
  }

  /** Whether an expression puts fields together of which one gives nothing, such as `'+' + $json.code + $json.phone`. */
  private joinsNothing(expression: string, itemIndex: number): boolean {
    const code = expression.replace(COMMENT, '');
    const fields = code.match(FIELD) ?? [];
    if (fields.length < 2 || !JOINS.test(code) || CHOOSES.test(code.replace(LITERAL, ''))) {
      return false;
    }
    return fields.some((field) => isLost(this.resultOf(`{{ ${field} }}`, itemIndex), field));
  }

  /**
   * As {@link identifying}, for a text that names many people: a number of which a part is missing becomes `undefined`,
   * such as `+{{ $json.code }}{{ $json.phone }}` or `{{ '+' + $json.code + $json.phone }}`. With a plus, one with a part
   * that may have lost digits becomes that part.
   */
  identifyingMany(path: string, text: unknown, itemIndex: number): unknown {
    const raw = this.rawOf(path);
    if (typeof raw !== 'string' || !holdsExpression(raw)) return text;
    const written = raw.slice(1);
    const valueOf = (one: string) => this.resultOf(one, itemIndex);
    const lacks = (one: string) => isLost(valueOf(one), one) || this.joinsNothing(one, itemIndex);
    const marked = written
      .replace(NUMBER_OF_PARTS, (number) => {
        const parts = itemExpressionsIn(`=${number}`);
        if (parts.some(lacks)) return 'undefined';
        const shortened = parts.find((one) => number.startsWith('+') && isShortened(valueOf(one)));
        return shortened ?? number;
      })
      .replace(EXPRESSION, (one) => {
        const isNumber = this.joinsNothing(one, itemIndex) && ONE_NUMBER.test(String(valueOf(one)));
        return isNumber ? 'undefined' : one;
      });
    return marked === written ? text : this.context.evaluateExpression(marked, itemIndex);
  }

  /** Notes what an item gives for a parameter, or an entry of a collection. */
  noteGiven(path: string, value: unknown): void {
    const given = this.given.get(path) ?? { first: value, isNothing: true, isSame: true };
    given.isNothing &&= isBlank(value);
    given.isSame &&= value === given.first;
    this.given.set(path, given);
  }

  /** Whether an expression gives nothing for any of the items that were read. */
  gaveNothing(path: string): boolean {
    return this.isExpression(path) && this.given.get(path)?.isNothing === true;
  }

  /** Whether an expression gives one and the same for all of the items that were read. */
  gaveSame(path: string): boolean {
    const { isSame, isNothing } = this.given.get(path) ?? { isSame: false, isNothing: true };
    return this.isExpression(path) && isSame && !isNothing;
  }

  /** Whether the items that were read have different values. */
  gaveDifferent(path: string): boolean {
    return this.given.get(path)?.isSame === false;
  }

  /**
   * Whether an expression uses one item of a list for all, as with `$input.first()`, although it gives
   * something else when each item uses its own: that which n8n pairs with it, also in a round of a loop, or that of the
   * same place in a list. Where a list has fewer items, such as one with settings, no item has a place of its own.
   */
  usesOneItemForAll(path: string): boolean {
    if (!this.gaveSame(path)) return false;
    const taken = itemExpressionsIn(this.rawOf(path));
    const lists = new Set(taken.flatMap((one) => one.match(LIST) ?? []));
    return [...lists].some((list) => this.usesOneOf(list, taken));
  }

  private usesOneOf(list: string, taken: string[]): boolean {
    const read = (values: unknown[]) => (values.some(isBlank) ? undefined : JSON.stringify(values));
    const given = this.evaluated(taken, 0, read);
    const givenBy = (own: string, item: number) => {
      const expressions = taken.map((one) => withOnly(one, list, own));
      return this.evaluated(expressions, item, read);
    };
    const differs = (own: string, item: number) => ![undefined, given].includes(givenBy(own, item));
    const items = this.context.getInputData();
    const last = items.length - 1;
    const isInLoop = nodesBefore(this.context).has(this.context.getNode().name);
    // n8n pairs an item that is made of many with the first of them.
    const isPaired = isInLoop || givenBy('first()', 0) === given;
    if (isPaired && (differs('item', 0) || differs('item', last))) return true;
    const placed = 'all()[$itemIndex]';
    if (last <= 0 || givenBy(placed, last) === undefined) return false;
    return items.some((_, item) => differs(placed, item));
  }

  /** Whether the workflow holds the parameter, whatever its expression gives. */
  isGiven(name: string): boolean {
    return this.raw[name] !== undefined;
  }

  /** The parameter as the workflow holds it, or the expression that gives it with all around it. */
  private rawOf(path: string): unknown {
    return path.split('.').reduce<unknown>((of, name) => (isRecord(of) ? of[name] : of), this.raw);
  }

  private resolve(name: string, itemIndex: number): unknown {
    return this.context.getNodeParameter(name, itemIndex, null);
  }
}

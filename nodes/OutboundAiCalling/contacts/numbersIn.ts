import { findRange, partByCode } from './numberingPlan';
import { everyReading, type DefaultCountry } from './phoneNumber';
import { cleaned, EXTENSION, inDigits, inEveryScript } from './writtenNumber';

/** What a cell holds that somebody may have meant as phone numbers. */
export interface NumbersInCell {
  /** Numbers in E.164. */
  e164: string[];
  /** Digits of which nobody knows the country, without leading zeros; {@link digitsOf} compares. */
  digits: string[];
  /** Whether every digit of the cell belongs to a number that was found, or to its extension. */
  isRead: boolean;
}

/** Digits that stand together, with the plus before them. */
interface Group {
  start: number;
  end: number;
  hasPlus: boolean;
}

/** Whom digits name. */
type Named = Pick<NumbersInCell, 'e164' | 'digits'>;

/** Groups of a text that may be one number, and whom they name. */
interface Run extends Named {
  from: number;
  to: number;
  isUsual: boolean;
}

const GROUP = /(?:\+[\s(]*)?\d+/g;
/** Digits as people write them, without a plus. */
const DIGITS = /^[\d\s.()/'-]+$/;
const E164 = /^\+[1-9]\d{6,14}$/;
/** The letter that looks like a zero, among digits. */
const LETTER_FOR_ZERO = /(?<=\d)o(?!\p{L})|(?<!\p{L})o(?=\d)/giu;
/** What stands between a number and another ending of it. */
const BEFORE_ENDING = /^[^\p{L}\d#+]*(?:or|and|to|oder|und|bis|ou|et|o|y|a)?[^\p{L}\d#+]*$/iu;
const FEWEST_DIGITS = 6;
const MOST_DIGITS = 16;
/** Shorter digits lack their area. */
const FEWEST_WITH_AREA = 8;
/** Of digits that are only a part of a cell, so that an area code is not thought a number. */
const FEWEST_IN_PART = 9;
const MOST_IN_PART = 13;
/** Longer groups are numbers of their own. */
const LONGEST_ENDING = 5;
const FEWEST_BEFORE_ENDING = 3;
/** No number is written in more groups. */
const MOST_GROUPS = 12;
/** What comes after them in a cell is not read. */
const MOST_GROUPS_READ = 120;
const LONGEST_CELL = 5_000;

function withoutLeadingZeros(digits: string): string {
  return digits.replace(/^0+/, '');
}

function bareDigits(text: string, fewest: number, most: number): string[] {
  if (!DIGITS.test(text)) return [];
  const digits = withoutLeadingZeros(text.replace(/\D/g, ''));
  return digits.length < fewest || digits.length > most ? [] : [digits];
}

/** A text whose groups are read in all the ways in which they may be numbers. */
class Cell {
  private readonly groups: Group[];
  /** Whether the text has more digits than one number. */
  private readonly isLong: boolean;

  constructor(
    private readonly text: string,
    private readonly country: DefaultCountry,
  ) {
    this.groups = [...text.matchAll(GROUP)].map(({ index, 0: { length, 0: sign } }) => ({
      start: index,
      end: index + length,
      hasPlus: sign === '+',
    }));
    this.isLong = text.replace(/\D/g, '').length > MOST_DIGITS;
  }

  numbers(): NumbersInCell {
    const runs = this.runs();
    const read = new Set<number>();
    for (const run of runs) {
      if (!isKnown(run, this.country)) continue;
      for (let group = run.from; group <= run.to; group++) read.add(group);
    }
    const endings = runs.flatMap((run) => this.withOtherEndings(run));
    for (let group = 1; group < this.groups.length; group++) {
      const isFollowing = this.isEnding(group) || EXTENSION.test(this.between(group));
      if (read.has(group - 1) && isFollowing) read.add(group);
    }
    const all: Named[] = [...runs, ...endings];
    const e164 = [...new Set(all.flatMap((named) => named.e164))];
    const isOpen = this.country === undefined || e164.length === 0;
    return {
      e164,
      digits: isOpen ? [...new Set(all.flatMap(({ digits }) => digits))] : [],
      isRead: this.groups.length > 0 && read.size === this.groups.length,
    };
  }

  /** The longest runs that name somebody, and all runs within those of which that is not sure. */
  private runs(): Run[] {
    const runs: Run[] = [];
    const count = Math.min(this.groups.length, MOST_GROUPS_READ);
    for (let size = Math.min(count, MOST_GROUPS); size > 0; size--) {
      for (let from = 0; from + size <= count; from++) {
        const to = from + size - 1;
        if (runs.some((run) => run.isUsual && run.from <= from && run.to >= to)) continue;
        const run = this.run(from, to);
        if (run.e164.length + run.digits.length > 0) runs.push(run);
      }
    }
    return runs;
  }

  private run(from: number, to: number): Run {
    const isWhole = to - from + 1 === this.groups.length;
    const text = this.textOf(from, to);
    const { e164, isUsual } = everyReading(text, this.country);
    const isAtEnd = this.isLong && to === this.groups.length - 1;
    const isOpen = isWhole || (this.country === undefined && (from === 0 || isAtEnd));
    const [fewest, most] = isWhole ? [FEWEST_DIGITS, MOST_DIGITS] : [FEWEST_IN_PART, MOST_IN_PART];
    return { from, to, e164, digits: isOpen ? bareDigits(text, fewest, most) : [], isUsual };
  }

  /** The numbers that end with what follows a number: 9876543210/11, 202-555-0123 or 0124. */
  private withOtherEndings({ from, to }: Run): Named[] {
    const number = this.textOf(from, to).replace(/[^\d+]/g, '');
    const named: Named[] = [];
    for (let first = to + 1; this.isEnding(first); first++) {
      let ending = '';
      for (let last = first; last === first || this.mayFollow(last); last++) {
        ending += this.textOf(last, last);
        if (ending.length + FEWEST_BEFORE_ENDING > number.length) break;
        const other = number.slice(0, -ending.length) + ending;
        const { e164 } = everyReading(other, this.country);
        const isOpen = this.country === undefined;
        named.push({ e164, digits: isOpen ? bareDigits(other, FEWEST_DIGITS, MOST_DIGITS) : [] });
      }
    }
    return named;
  }

  /** Whether a group may be another ending of what stands before it, with more than a blank between. */
  private isEnding(group: number): boolean {
    return this.mayFollow(group) && /[^\s.]/.test(this.between(group));
  }

  /** Whether a group may belong to an ending. */
  private mayFollow(group: number): boolean {
    const here = this.groups[group];
    if (here === undefined || here.hasPlus || here.end - here.start > LONGEST_ENDING) return false;
    return BEFORE_ENDING.test(this.between(group));
  }

  private between(group: number): string {
    return this.text.slice(this.groups[group - 1]?.end, this.groups[group]?.start);
  }

  private textOf(from: number, to: number): string {
    return this.text.slice(this.groups[from]?.start, this.groups[to]?.end);
  }
}

/** Whether those whom digits name are found: digits without area or of another country name nobody. */
function isKnown({ e164, digits }: Named, country: DefaultCountry): boolean {
  if (e164.length > 0) return true;
  return country === undefined && digits.some(({ length }) => length >= FEWEST_WITH_AREA);
}

/**
 * Finds every number that a cell may name, where it is better to find one too many: several numbers,
 * other endings of a number, numbers with an extension or in the middle of words, and digits of which
 * nobody knows the country.
 *
 * @param value text or number as it came from a table
 * @param defaultCountry ISO code of the country that national numbers belong to
 */
export function numbersIn(value: unknown, defaultCountry?: DefaultCountry): NumbersInCell {
  const cell = String(value ?? '');
  if (cell.length > LONGEST_CELL) {
    return { ...numbersIn(cell.slice(0, LONGEST_CELL), defaultCountry), isRead: false };
  }
  const text = inDigits(cleaned(cell)).replace(LETTER_FOR_ZERO, '0');
  const { e164, isUsual } = everyReading(text, defaultCountry);
  const isSure = isUsual && (defaultCountry !== undefined || text.startsWith('+'));
  if (isSure) return { e164, digits: [], isRead: true };
  return new Cell(text, defaultCountry).numbers();
}

/**
 * The digits with which a number may be written without a plus: with its country code, and within
 * its country with and without what is dialled before it; leading zeros left out.
 *
 * @param e164 as `readPhoneNumber` gives it
 */
export function digitsOf(e164: string): string[] {
  const digits = e164.slice(1);
  const parted = partByCode(digits);
  if (parted === undefined) return [];
  const { national, plans } = parted;
  const plan = findRange(national, plans)?.plan ?? plans.main;
  const writings = [digits, national, `${plan.nationalPrefix}${national}`];
  return [...new Set(writings.map(withoutLeadingZeros))];
}

/**
 * The texts under which a number is found in what {@link namedIn} gives.
 *
 * @param e164 as `readPhoneNumber` gives it
 */
export function writingsOf(e164: string): string[] {
  return [e164, ...digitsOf(e164)];
}

/**
 * Whom a cell of a table names: numbers in E.164, or digits of which nobody knows the country.
 *
 * @param value text or number as it came from a table
 */
export function namedIn(value: unknown, defaultCountry?: DefaultCountry): string[] {
  const { e164, digits } = numbersIn(value, defaultCountry);
  if (typeof value === 'string' && E164.test(value)) return [...new Set([value, ...e164])];
  // Nobody is named twice, so that a row counts once.
  const others = e164.filter((one) => !digitsOf(one).some((writing) => digits.includes(writing)));
  return [...others, ...digits];
}

/** Whether a cell of a table may name a number in E.164. */
export function mayName(value: unknown, e164: string, defaultCountry?: DefaultCountry): boolean {
  const named = namedIn(value, defaultCountry);
  return writingsOf(e164).some((writing) => named.includes(writing));
}

/**
 * What every spelling of a number holds in this order, in the digits of each script: its last
 * digits; no number is shorter.
 */
export function spelledLike(e164: string): string[] {
  return inEveryScript(e164.slice(-4)).map((digits) => `%${[...digits].join('%')}%`);
}

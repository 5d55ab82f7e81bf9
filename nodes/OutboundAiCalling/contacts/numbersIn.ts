import { personOf } from './person';
import { everyReading, type DefaultCountry } from './phoneNumber';
import {
  digitsOf,
  FEWEST_WITH_AREA,
  MOST_ANY,
  withAny,
  withoutLeadingZeros,
  writingsOf,
} from './writings';
import { cleaned, EXTENSION, inDigits, mayLackDigits } from './writtenNumber';

/** The phone numbers that a cell may hold. */
interface NumbersInCell {
  /** As {@link personOf} gives them. */
  people: string[];
  /**
   * Numbers without a plus, of any country and without leading zeros. For a range, a `?` at the end stands for any
   * digit: `120255501??` are a hundred numbers. Compare them with {@link writingsOf}, which knows both forms.
   */
  digits: string[];
  /** Whether every digit of the cell belongs to a number found, to its extension, or to a range found. */
  isRead: boolean;
}

type Named = Pick<NumbersInCell, 'people' | 'digits'>;

/** Consecutive groups of a text that may be one number. */
interface Run extends Named {
  from: number;
  to: number;
  isUsual: boolean;
}

const GROUP = /(?:\+[\s(]*)?\d+/g;
/** One number as people write it. */
const DIGITS = /^\+?[\d\s.()/'-]+$/;
/** A plus that may stand for "and". */
const PLUS_BETWEEN = /(?<=\d\)?\s*)\+(?=\s)/g;
/** A separator that may stand between two numbers. */
const SEPARATOR = /\s[/&|]\s/;
const E164 = /^\+[1-9]\d{6,14}$/;
/** Behind digits they stand for none: separators, and signs that say something of the number. */
const NO_DIGIT = String.raw`[-+,;.:!،。、=@#&|/\\~()[\]{}<>"'\x60´«»†‡®\u2018-\u201f\u2044\u2190-\u21ff\u2215\u223c\u2600-\u27bf\u301c\p{Emoji_Presentation}]`;
/**
 * Other digits, and signs that leave digits open: `*`, `??`, `xx`, `●`, dots, `--` or a final plus; not x or # of an
 * extension.
 */
const NOT_READ = new RegExp(
  [
    String.raw`[^\P{N}\d]|[*?%×]|\d[\s()]*(?!${NO_DIGIT})[\p{P}\p{S}]`,
    String.raw`\d[^\p{L}\d#]*[x#](?![\s.:]*\d|(?!x)\p{L})|(?:\+|\.\s*\.)\D*$|-\s*-[^\p{L}\d>]*$`,
  ].join('|'),
  'iu',
);
/** Letters o next to a digit, which were meant as zeros. */
const LETTERS_FOR_ZEROS = /(?<=\d)o+(?!\p{L})|(?<!\p{L})o+(?=\d)/giu;
/** Words between the first and the last number of a range. */
const UNTIL = 'to|through|thru|bis|a|à|al|hasta|até';
/** The separator between a number and another ending of it. */
const BEFORE_ENDING = new RegExp(
  `^[^\\p{L}\\d#+]*(?:or|and|oder|und|ou|et|o|y|${UNTIL})?[^\\p{L}\\d#+]*$`,
  'iu',
);
/** The separators of a range: words, and signs that do not occur within a number. */
const BEFORE_LAST = new RegExp(
  `^(?:\\P{L}*(?:${UNTIL})\\P{L}*|[\\s.)]*(?:[~\u301c\u223c\u2190-\u21ff]|\\.{2}|[-=]+>)[\\s(.-]*)$`,
  'iu',
);
/** It stands within numbers and before extensions, too. */
const HYPHEN = /^[\s.)]*-+[\s(]*$/;
/** A longer range protects nobody; a hint says so. */
const MOST_IN_RANGE = 10_000;
/** The same for a hyphen before an ending. */
const MOST_BEHIND_HYPHEN = 1_000;
/** In digits: behind a hyphen, a number of this length without a plus does not go on. */
const FEWEST_WHOLE = 10;
/** Longer digits may not be exact as a number. */
const MOST_EXACT = 15;
const FEWEST_DIGITS = 6;
/** Iceland, Botswana and others have such numbers, without areas. */
const FEWEST_IN_SMALL_COUNTRY = 7;
const MOST_DIGITS = 16;
/** For digits that are only part of a cell. */
const MOST_IN_PART = 13;
/** Longer groups are numbers of their own, but for the last of a range. */
const LONGEST_ENDING = 5;
const FEWEST_BEFORE_ENDING = 3;
/** No number is written in more groups. */
const MOST_GROUPS = 12;
/** Later groups of a cell are not read. */
const MOST_GROUPS_READ = 120;
const LONGEST_CELL = 5_000;

/** The digits of a number of unknown country: it has no plus, or no plan has it. */
function bareDigits(text: string, people: string[], fewest: number, most: number): string[] {
  if (!DIGITS.test(text) || (text.startsWith('+') && people.length > 0)) return [];
  const digits = withoutLeadingZeros(text.replace(/\D/g, ''));
  return digits.length < fewest || digits.length > most ? [] : [digits];
}

/** As digits of which the last may be `?`; none when these are no range, or a long one. */
function numbersBetween(one: string, other: string): string[] {
  const [from = '', to = ''] = [one, other].sort();
  const count = Number(to) - Number(from) + 1;
  if (from.length !== to.length || from.length > MOST_EXACT || count > MOST_IN_RANGE) return [];
  const numbers: string[] = [];
  for (let next = Number(from); next <= Number(to);) {
    let any = 0;
    while (any < MOST_ANY && next % 10 ** (any + 1) === 0) any++;
    while (next + 10 ** any - 1 > Number(to)) any--;
    numbers.push(withAny(String(next), any));
    next += 10 ** any;
  }
  return numbers;
}

/** Reads the groups of a text in every way in which they may be numbers; without a country, also as digits. */
class Cell {
  /** Adjacent digits, with the plus before them. */
  private readonly groups: Array<{ start: number; end: number; hasPlus: boolean }>;

  constructor(
    private readonly text: string,
    private readonly country: DefaultCountry,
  ) {
    this.groups = [...text.matchAll(GROUP)].map(({ index, 0: { length, 0: sign } }) => ({
      start: index,
      end: index + length,
      hasPlus: sign === '+',
    }));
  }

  numbers(): NumbersInCell {
    const runs = this.runs();
    const read = new Set<number>();
    for (const run of runs) {
      if (!this.isNamed(run)) continue;
      for (let group = run.from; group <= run.to; group++) read.add(group);
    }
    const endings = runs.flatMap((run) => this.withOtherEndings(run));
    for (let group = 1; group < this.groups.length; group++) {
      const isFollowing = this.isEnding(group) || EXTENSION.test(this.between(group));
      if (read.has(group - 1) && isFollowing) read.add(group);
    }
    const ranges = this.ranges(runs);
    const isEveryRange = ranges.every(({ digits }) => digits.length > 0);
    const isRead = this.groups.length > 0 && read.size === this.groups.length && isEveryRange;
    return { ...together([...runs, ...endings, ...ranges]), isRead };
  }

  /** The numbers of each range; none of one that is too long or has no beginning. */
  private ranges(runs: Run[]): Named[] {
    const ranges: Named[] = [];
    for (let group = 1; group < this.groups.length; group++) {
      const isSure = BEFORE_LAST.test(this.between(group));
      if (!isSure && !HYPHEN.test(this.between(group))) continue;
      const firsts = runs.filter(({ to }) => to === group - 1);
      const whole = runs.filter(({ from }) => from === group).flatMap(digitsNamed);
      const endings = firsts.length === 0 || whole.length > 0 ? [] : this.endingsAt(group);
      const found = firsts.flatMap((run) =>
        digitsNamed(run).flatMap((first) => {
          const isDoubtful = !isSure && mayGoOn(runs, run, first);
          return withEndings(first, endings)
            .filter((last) => isSure || !areFar(first, last))
            .filter((last) => !isDoubtful || isBlock(first, last))
            .map((last) => numbersBetween(first, last));
        }),
      );
      const between = firsts
        .flatMap(digitsNamed)
        .flatMap((first) => whole.flatMap((last) => numbersBetween(first, last)));
      const digits = [...found.flat(), ...between];
      // A hyphen may stand between two numbers of one person, too.
      if (isSure || found.length > 0 || digits.length > 0) ranges.push({ people: [], digits });
    }
    return ranges;
  }

  /**
   * The longest runs with numbers. Within a run that is not written as usual, shorter ones too. Within
   * any run, also numbers that end before its last groups, or begin behind its first one: those may be
   * something else, such as the number of a row.
   */
  private runs(): Run[] {
    const runs: Run[] = [];
    const count = Math.min(this.groups.length, MOST_GROUPS_READ);
    for (let size = Math.min(count, MOST_GROUPS); size > 0; size--) {
      for (let from = 0; from + size <= count; from++) {
        const to = from + size - 1;
        const isWithin = runs.some((run) => run.isUsual && run.from <= from && run.to >= to);
        const isBegin = runs.some((run) => run.from === from && run.to > to);
        const isPart = isBegin && mayBeWhole(this.textOf(from, to));
        if (isWithin && !isPart && !this.isRest(runs, from, to)) continue;
        const run = this.run(from, to);
        if (run.people.length + run.digits.length > 0) runs.push(run);
      }
    }
    return runs;
  }

  /** Whether there is a number. Digits of unknown country need an area; with a plus, a plan should have them. */
  private isNamed({ people, digits, from }: Run): boolean {
    const isOpen = this.groups[from]?.hasPlus === false;
    return people.length > 0 || (isOpen && digits.some((one) => one.length >= FEWEST_WITH_AREA));
  }

  /** Whether a run without a plus, less its first group, has these groups. */
  private isRest(runs: Run[], from: number, to: number): boolean {
    if (this.groups[from - 1]?.hasPlus !== false) return false;
    return runs.some((run) => run.from === from - 1 && run.to === to);
  }

  private run(from: number, to: number): Run {
    const text = this.textOf(from, to);
    const { people, isUsual: isAsUsual } = everyReading(text, this.country);
    const isUsual = isAsUsual && !SEPARATOR.test(text);
    // With a plus, digits before the last ones are a part of the number.
    const isPart = text.startsWith('+') && this.groups[to + 1]?.hasPlus === false;
    if (this.country !== undefined || isPart) return { from, to, people, digits: [], isUsual };
    // The first group may be the number of a row or of an order.
    const isWhole = to === this.groups.length - 1 && (from <= 1 || text.startsWith('0'));
    const [fewest, most] = isWhole
      ? [FEWEST_DIGITS, MOST_DIGITS]
      : [from === 0 ? FEWEST_IN_SMALL_COUNTRY : FEWEST_WITH_AREA, MOST_IN_PART];
    return { from, to, people, digits: bareDigits(text, people, fewest, most), isUsual };
  }

  /** Numbers that differ from a run in their ending: 9876543210/11, 202-555-0123 or 0124. */
  private withOtherEndings({ from, to }: Run): Named[] {
    const number = this.textOf(from, to).replace(/[^\d+]/g, '');
    const named: Named[] = [];
    for (let first = to + 1; this.isEnding(first); first++) {
      for (const other of withEndings(number, this.endingsAt(first))) {
        const { people } = everyReading(other, this.country);
        const isOpen = this.country === undefined;
        const digits = isOpen ? bareDigits(other, people, FEWEST_DIGITS, MOST_DIGITS) : [];
        named.push({ people, digits });
      }
    }
    return named;
  }

  /** The endings that begin with a group. */
  private endingsAt(first: number): string[] {
    const endings: string[] = [];
    let ending = '';
    for (let last = first; last === first || this.mayFollow(last); last++) {
      ending += this.textOf(last, last);
      if (ending.length > MOST_DIGITS) break;
      endings.push(ending);
    }
    return endings;
  }

  /** Whether a group may be another ending, separated by more than a blank or dot. */
  private isEnding(group: number): boolean {
    return this.mayFollow(group) && /[^\s.]|\.{2}/.test(this.between(group));
  }

  /** Whether a group may belong to an ending. */
  private mayFollow(group: number): boolean {
    const here = this.groups[group];
    if (here === undefined || here.hasPlus || group >= MOST_GROUPS_READ) return false;
    const before = this.between(group);
    const isShort = here.end - here.start <= LONGEST_ENDING;
    return (isShort || BEFORE_LAST.test(before)) && BEFORE_ENDING.test(before);
  }

  private between(group: number): string {
    return this.text.slice(this.groups[group - 1]?.end, this.groups[group]?.start);
  }

  private textOf(from: number, to: number): string {
    return this.text.slice(this.groups[from]?.start, this.groups[to]?.end);
  }
}

function mayBeWhole(text: string): boolean {
  return text.replace(/\D/g, '').length >= FEWEST_WITH_AREA;
}

/** A number with each of these endings in place of its own. */
function withEndings(number: string, endings: string[]): string[] {
  return endings
    .filter((ending) => ending.length + FEWEST_BEFORE_ENDING <= number.length)
    .map((ending) => number.slice(0, -ending.length) + ending);
}

/** Whether digits behind a run may belong to its number, as an extension does. */
function mayGoOn(runs: Run[], { from, to }: Run, digits: string): boolean {
  const longer = runs.filter((run) => run.from <= from && run.to > to);
  const isShort = digits.length < FEWEST_WHOLE;
  return longer.some((run) => (run.isUsual ? run.people : isShort ? run.digits : []).length > 0);
}

/** Whether a hyphen between two numbers may be something else: a year, or a note behind one of them. */
function areFar(one: string, other: string): boolean {
  return Math.abs(Number(other) - Number(one)) >= MOST_BEHIND_HYPHEN;
}

/**
 * Whether two numbers are the ends of a block, as firms have: 1234500 and 1234599, or fewer than ten apart. One
 * extension in ten is written like such an end; it protects some numbers too many.
 */
function isBlock(first: string, last: string): boolean {
  const apart = Number(last) - Number(first);
  if (apart < 10) return apart > 0;
  const [begin, end] = apart < 100 ? [/[01]$/, /[09]$/] : [/0[01]$/, /(?:00|99)$/];
  return begin.test(first) && end.test(last);
}

/** All that some name, each once. */
function together(named: Named[]): Named {
  return {
    people: [...new Set(named.flatMap(({ people }) => people))],
    digits: [...new Set(named.flatMap(({ digits }) => digits))],
  };
}

function digitsNamed({ people, digits }: Named): string[] {
  return [...people.map((person) => person.slice(1)), ...digits];
}

/** Whom a text names as one number, without a default country. */
function asOneAnywhere(text: string): Named {
  const { people } = everyReading(text, undefined);
  return { people, digits: bareDigits(text, people, FEWEST_DIGITS, MOST_DIGITS) };
}

/**
 * Finds every number that a cell may name; one too many is better than one too few. It finds
 * several numbers, other endings of a number, numbers with an extension or among words, and digits
 * without a plus. Whom a cell names without a default country it names with one too: people of several
 * countries may be asked for. One that is written as usual in the default country is not taken apart for them.
 */
export function numbersIn(value: unknown, defaultCountry?: DefaultCountry): NumbersInCell {
  const cell = String(value ?? '');
  const text = cleaned(cell.slice(0, LONGEST_CELL));
  const written = inDigits(text).replace(LETTERS_FOR_ZEROS, (letters) =>
    '0'.repeat(letters.length),
  );
  const isWhole = cell.length <= LONGEST_CELL && !mayLackDigits(text) && !NOT_READ.test(written);
  const spaced = written.replaceAll('_', ' ');
  const readings = [spaced, spaced.replace(PLUS_BETWEEN, '&')];
  const found = [...new Set(readings)].map((one) => numbersInText(one, defaultCountry));
  return { ...together(found), isRead: isWhole && found.some(({ isRead }) => isRead) };
}

function numbersInText(text: string, defaultCountry: DefaultCountry): NumbersInCell {
  const { people, isUsual } = everyReading(text, defaultCountry);
  const isSure = isUsual && !mayBeWhole(text.replace(/\D*\d+\D*$/, ''));
  if (isSure && text.startsWith('+')) return { people, digits: [], isRead: true };
  if (defaultCountry === undefined) return new Cell(text, undefined).numbers();
  const found = isSure
    ? { people, digits: [], isRead: true }
    : new Cell(text, defaultCountry).numbers();
  const anywhere = isSure ? asOneAnywhere(text) : new Cell(text, undefined).numbers();
  return { ...together([found, anywhere]), isRead: found.isRead };
}

/** As {@link numbersIn}; a number in E.164 also when no plan has it. */
function namedInCell(value: unknown, defaultCountry?: DefaultCountry): Named {
  const { people, digits } = numbersIn(value, defaultCountry);
  const isExact = typeof value === 'string' && E164.test(value);
  return { people: isExact ? [...new Set([personOf(value), ...people])] : people, digits };
}

/** The people whom a cell of a table names, as {@link personOf}, or digits of unknown country. */
export function namedIn(value: unknown): string[] {
  const { people, digits } = namedInCell(value);
  if (digits.length === 0) return people;
  const named = new Set(digits);
  // Name each number once, so that the row counts once.
  for (const person of people) {
    const [first, ...others] = digitsOf(person).filter((writing) => named.has(writing));
    if (first === undefined) named.add(person);
    for (const other of others) named.delete(other);
  }
  return [...named];
}

/** Whether a cell of a table may name a number in E.164. */
export function mayName(value: unknown, e164: string, defaultCountry?: DefaultCountry): boolean {
  const { people, digits } = namedInCell(value, defaultCountry);
  if (people.includes(personOf(e164))) return true;
  return digits.length > 0 && writingsOf(e164).some((writing) => digits.includes(writing));
}

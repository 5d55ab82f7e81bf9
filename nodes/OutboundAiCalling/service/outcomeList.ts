import { readList } from '../values';
import { ENDED_WITHOUT_TALK, outcomeKey } from './outcome';

/**
 * Reads outcomes that a person lists: labels or keys in any capitals, with spaces, underscores or
 * hyphens, separated by commas, semicolons or lines, or as an array.
 *
 * @returns each once, as a key; undefined when the value is no list
 */
export function readOutcomeList(value: unknown): string[] | undefined {
  const keys = readList(value)?.map(outcomeKey);
  const forms = keys?.map(comparable) ?? [];
  return keys?.filter((key, index) => key !== '' && forms.indexOf(comparable(key)) === index);
}

/** Words that elsewhere stand for every outcome. Here a list names each one, so they would name none. */
const WILDCARDS = ['*', 'all', 'any'];

export function wildcardIn(keys: string[]): string | undefined {
  return keys.find((key) => WILDCARDS.includes(key));
}

/** The interface's outcomes, statuses that replace one, and those that the panel proposes. */
const USUAL = [
  ...['confirmed', 'order_confirmed', 'not_interested', 'callback_requested', 'unclear'],
  'do_not_call',
  ...['insufficient_talk', 'given_up', ...ENDED_WITHOUT_TALK],
];

export function isUsualOutcome(key: string): boolean {
  return namesOutcome(USUAL, key);
}

/**
 * A key as outcomes are compared by it: `voice_mail` and `voicemail` are one outcome. So are forms whose capitals
 * are the same, such as `aramayın` and `aramayin`: nobody can tell which of them `ARAMAYIN` was. Numbers stay apart:
 * `1_2` is not `12`.
 */
function comparable(key: string): string {
  const written = key.replace(/(?<!\p{N})_|_(?!\p{N})/gu, '');
  const capitals = written.toUpperCase().normalize('NFD');
  return capitals.replace(/(?<=\p{Script=Greek})\p{M}+/gu, '').normalize('NFC');
}

/**
 * Whether a list of keys names the outcome with this label or key, with or without underscores and in any capitals. A
 * label with a comma in it is several entries of the list: it is named when all of them are.
 */
export function namesOutcome(list: Iterable<string>, label: string): boolean {
  const keys = new Set([...list].map(comparable));
  const isNamed = (text: string) => keys.has(comparable(outcomeKey(text)));
  const parts = readList(label) ?? [];
  return isNamed(label) || (parts.length > 1 && parts.every(isNamed));
}

import { namesOutcome } from '../service/outcomeList';

/** A service with ever new outcomes is told no more from this many on. */
const MOST_OUTCOMES = 50;

/** By trigger and filter: the different outcomes that came to the trigger since n8n started. */
const seenBy = new Map<string, Set<string>>();

/**
 * Says that the filter of a trigger has never matched an outcome, so a person may have misspelled one; again
 * only after another outcome. It names no outcome of a call, because n8n's log is to hold no data of customers.
 *
 * @param filter keys of the outcomes that the trigger fires for; empty for all
 * @param outcomes labels of outcomes that have come now
 */
export function filterWarning(
  trigger: string,
  filter: string[],
  outcomes: ReadonlySet<string>,
): string | undefined {
  const name = `${trigger} ${filter.join()}`;
  const seen = seenBy.get(name) ?? new Set();
  const before = seen.size;
  if (filter.length === 0 || before >= MOST_OUTCOMES) return undefined;
  seenBy.set(name, seen);
  for (const outcome of outcomes) seen.add(outcome);
  const hasMatched = [...seen].some((outcome) => namesOutcome(filter, outcome));
  if (seen.size === before || hasMatched) return undefined;
  return `The filter of outcomes (${filter.join(', ')}) has matched none since n8n started. Different outcomes that it left out: ${seen.size}. Check its spelling.`;
}

import { drawHistory } from './draw';
import { LAW_NAMES, violations, type LawName, type Violation } from './laws/laws';
import { shrink } from './shrink';
import { runHistory } from './simulation';
import { storyOf } from './story';
import type { PackageText } from './world/package';

/** A drawn history that has broken a law. */
export interface Failure {
  seed: number;
  violations: Violation[];
}

/** Draws a history from its number, runs it and holds it against laws. */
export async function tryHistory(
  text: PackageText,
  seed: number,
  laws: readonly LawName[] = LAW_NAMES,
): Promise<Failure | undefined> {
  const history = drawHistory(seed);
  const broken = violations(history, await runHistory(text, history), laws);
  return broken.length === 0 ? undefined : { seed, violations: broken };
}

/** Shrinks a failure, and tells it as a story. */
export async function explain(
  text: PackageText,
  { seed, violations: broken }: Failure,
): Promise<string> {
  const [first] = broken;
  if (first === undefined) return '';
  const shortest = await shrink(text, drawHistory(seed), first.law);
  const books = await runHistory(text, shortest);
  return [
    `The history of seed ${seed} breaks "${first.law}". The shortest that still does:`,
    JSON.stringify(shortest),
    '',
    storyOf(books, violations(shortest, books, [first.law])),
  ].join('\n');
}

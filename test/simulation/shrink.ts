import { IN_INDIA, listOf, type History } from './history';
import { violations, type LawName } from './laws/laws';
import { runHistory } from './simulation';
import type { PackageText } from './world/package';

/** Other numbers to try: who goes on next is drawn anew when something is left out. */
const SEEDS_TRIED = 3;

/** Histories with something less, the largest steps first. */
function* smaller(history: History): Generator<History> {
  const { steps, faults, settings, triggers } = history;
  for (let size = Math.ceil(faults.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < faults.length; from += size) {
      yield { ...history, faults: faults.toSpliced(from, size) };
    }
  }
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from + size <= steps.length; from += size) {
      yield { ...history, steps: without(steps, from, size) };
    }
  }
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    yield { ...history, settings: { ...settings, [name]: undefined } };
  }
  for (const [index] of triggers.entries()) {
    if (triggers.length > 1) yield { ...history, triggers: triggers.toSpliced(index, 1) };
  }
  const asked = new Set(steps.flatMap((step) => ('orders' in step ? listOf(step.orders) : [])));
  const outcomes = Object.entries(history.outcomes).filter(([order]) => asked.has(Number(order)));
  if (outcomes.length < Object.keys(history.outcomes).length) {
    yield { ...history, outcomes: Object.fromEntries(outcomes) };
  }
  if (history.begins !== IN_INDIA) yield { ...history, begins: IN_INDIA };
  if (history.people !== undefined) yield { ...history, people: undefined };
  if (history.minutes !== undefined) yield { ...history, minutes: undefined };
  if (history.placingMs !== undefined) yield { ...history, placingMs: undefined };
  if (history.visibleAfterMs > 0) yield { ...history, visibleAfterMs: 0 };
  if (history.latencyMs > 10) yield { ...history, latencyMs: 10 };
  if (history.skews.some((skew) => skew !== 0)) {
    yield { ...history, skews: history.skews.map(() => 0) };
  }
  for (const [index, step] of steps.entries()) {
    if (!('orders' in step) || step.orders.from === step.orders.to) continue;
    const { from, to } = step.orders;
    const middle = Math.floor((from + to) / 2);
    for (const orders of [
      { from, to: middle },
      { from: middle + 1, to },
      { from, to: to - 1 },
      { from: from + 1, to },
    ]) {
      yield { ...history, steps: steps.with(index, { ...step, orders }) };
    }
  }
}

/** Steps that name another by its number go on naming it. */
function without(steps: History['steps'], from: number, size: number): History['steps'] {
  const left = steps.toSpliced(from, size);
  return left.map((step) =>
    (step.do === 'retry' || step.do === 'cancelExecution') && step.step >= from + size
      ? { ...step, step: step.step - size }
      : step,
  );
}

/**
 * The shortest history found that still breaks the law.
 *
 * @param mostRuns how many histories are tried at most
 */
export async function shrink(
  text: PackageText,
  history: History,
  law: LawName,
  mostRuns = 600,
): Promise<History> {
  let runs = 0;
  const breaks = async (candidate: History): Promise<boolean> => {
    runs++;
    const books = await runHistory(text, candidate).catch(() => undefined);
    return books !== undefined && violations(candidate, books, [law]).length > 0;
  };
  let shortest = history;
  for (let found = true; found && runs < mostRuns;) {
    found = false;
    for (const candidate of smaller(shortest)) {
      if (runs >= mostRuns) break;
      for (let more = 0; more < SEEDS_TRIED && !found; more++) {
        const seeded = { ...candidate, seed: candidate.seed + more };
        if (await breaks(seeded)) {
          shortest = seeded;
          found = true;
        }
      }
      if (found) break;
    }
  }
  return shortest;
}

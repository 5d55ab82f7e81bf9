/** With `TRIAL=1` every benchmark is small: it shows that it works, and its figures say nothing. */
export const IS_TRIAL = process.env.TRIAL === '1';

/** How often each figure is measured. */
export const RUNS = IS_TRIAL ? 2 : 5;

/** How many of something a benchmark has: all of them, or a few in a trial. */
export function sized<T>(all: T, few: T): T {
  return IS_TRIAL ? few : all;
}

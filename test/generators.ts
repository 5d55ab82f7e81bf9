import fc from 'fast-check';

/** `npm run test:long` tries everything that generators draw in full. */
const isLong = process.env.LONG === '1';

/**
 * How much a generator tries: little in `npm test`, everything in `npm run test:long`, or what
 * `GENERATOR_RUNS` says.
 */
export function runs(small: number, full: number): number {
  const asked = Number(process.env.GENERATOR_RUNS);
  if (Number.isInteger(asked) && asked > 0) return asked;
  return isLong ? full : small;
}

/** Where a generator begins: `SEED` repeats what was drawn before. Named by every test that draws. */
export const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000));

fc.configureGlobal({ seed });

/** Draws from `seed`, which nobody can forget to hand on. */
export { fc };

import { drawHistory } from './draw';
import { HISTORIES } from './histories/histories';
import type { History } from './history';
import { violations } from './laws/laws';
import { shrink } from './shrink';
import { tryHistory } from './simulate';
import { runHistory } from './simulation';
import { MUTATIONS, type SwitchedOff } from './mutations';
import { PackageText } from './world/package';

const DRAWN = 60;

/** The package as it is. */
let text: PackageText;
beforeAll(async () => {
  text = await PackageText.bundle();
});

describe('the simulation', () => {
  it('gives the same history for the same number, to the letter', async () => {
    for (const seed of [3, 4, 5]) {
      const once = JSON.stringify(await runHistory(text, drawHistory(seed)));
      expect(JSON.stringify(await runHistory(text, drawHistory(seed)))).toBe(once);
    }
  });

  it('gives another history for another number', async () => {
    const story = async (seed: number) =>
      JSON.stringify((await runHistory(text, drawHistory(seed))).story);
    expect(await story(6)).not.toBe(await story(7));
  });

  it('switches off each of the ten laws of the log', () => {
    const laws = Object.values<SwitchedOff>(MUTATIONS).flatMap(({ law }) => law ?? []);
    expect(laws.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it.each<[string, SwitchedOff]>(Object.entries(MUTATIONS))(
    'finds out when %s',
    async (_, mutation) => {
      const { breaks, by } = mutation;
      const mutated = await PackageText.bundle(mutation);
      // Who goes on next differs from number to number, and with every change of the product.
      const of = (index: number): History =>
        'history' in by
          ? { ...HISTORIES[by.history], seed: HISTORIES[by.history].seed + index }
          : drawHistory(by.seed + index);
      const histories = Array.from({ length: DRAWN }, (_each, index) => of(index));
      const breaksIn = async (one: PackageText, history: History) =>
        violations(history, await runHistory(one, history), [breaks]).length > 0;
      for (const history of histories) {
        if ((await breaksIn(mutated, history)) && !(await breaksIn(text, history))) return;
      }
      throw new Error(`${histories.length} histories do not break ${breaks}`);
    },
  );

  it('shrinks a failure to a history that still fails', async () => {
    const mutation = MUTATIONS['the do-not-call list is not asked'];
    const { breaks } = mutation;
    const mutated = await PackageText.bundle(mutation);
    let failing = mutation.by.seed;
    while ((await tryHistory(mutated, failing, [breaks])) === undefined) failing++;
    const history = drawHistory(failing);
    const shortest = await shrink(mutated, history, breaks, 60);
    expect(shortest.steps.length).toBeLessThan(history.steps.length);
    expect(violations(shortest, await runHistory(mutated, shortest), [breaks])).not.toEqual([]);
  });
});

describe('drawn histories', () => {
  it('have all laws hold', async () => {
    for (let seed = 1; seed <= DRAWN; seed++) {
      expect(await tryHistory(text, seed)).toBeUndefined();
    }
  });
});

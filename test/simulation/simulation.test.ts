import { drawHistory } from './draw';
import { violations } from './laws';
import { shrink } from './shrink';
import { LAWS_ON, tryHistory } from './simulate';
import { runHistory } from './simulation';
import { MUTATIONS } from './mutations';
import { PackageText } from './world/package';

const HISTORIES = 60;

describe('the simulation', () => {
  it('gives the same history for the same number, to the letter', async () => {
    const text = await PackageText.bundle();
    for (const seed of [3, 4, 5]) {
      const once = JSON.stringify(await runHistory(text, drawHistory(seed)));
      expect(JSON.stringify(await runHistory(text, drawHistory(seed)))).toBe(once);
    }
  });

  it('gives another history for another number', async () => {
    const text = await PackageText.bundle();
    const story = async (seed: number) =>
      JSON.stringify((await runHistory(text, drawHistory(seed))).story);
    expect(await story(6)).not.toBe(await story(7));
  });

  it.each(Object.entries(MUTATIONS))('finds out when %s', async (_, mutation) => {
    const { breaks } = mutation;
    const mutated = await PackageText.bundle(mutation);
    const sound = await PackageText.bundle();
    for (let seed = mutation.seed; seed < mutation.seed + HISTORIES; seed++) {
      const failure = await tryHistory(mutated, seed, [breaks]);
      if (failure === undefined || (await tryHistory(sound, seed, [breaks])) !== undefined)
        continue;
      return;
    }
    throw new Error(`${HISTORIES} histories do not break ${breaks}`);
  });

  it('shrinks a failure to a history that still fails', async () => {
    const mutation = MUTATIONS['the do-not-call list is not asked'];
    const { breaks } = mutation;
    const mutated = await PackageText.bundle(mutation);
    let failing = mutation.seed;
    while ((await tryHistory(mutated, failing, [breaks])) === undefined) failing++;
    const history = drawHistory(failing);
    const shortest = await shrink(mutated, history, breaks, 60);
    expect(shortest.steps.length).toBeLessThan(history.steps.length);
    expect(violations(shortest, await runHistory(mutated, shortest), [breaks])).not.toEqual([]);
  });
});

describe('drawn histories', () => {
  it(`have the laws hold that are on`, async () => {
    const text = await PackageText.bundle();
    for (let seed = 1; seed <= HISTORIES; seed++) {
      expect(await tryHistory(text, seed, LAWS_ON)).toBeUndefined();
    }
  });
});

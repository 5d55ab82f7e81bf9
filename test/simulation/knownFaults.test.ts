import { HISTORIES } from './histories/histories';
import type { History } from './history';
import { KNOWN_FAULTS } from './knownFaults';
import { violations } from './laws';
import { runHistory } from './simulation';
import { storyOf } from './story';
import { PackageText } from './world/package';

let text: PackageText;
beforeAll(async () => {
  text = await PackageText.bundle();
});

const histories = Object.entries(HISTORIES) as Array<[keyof typeof HISTORIES, History]>;
const known = histories.filter(([name]) => KNOWN_FAULTS[name] !== undefined);
const mended = histories.filter(([name]) => KNOWN_FAULTS[name] === undefined);

describe('a fault that is known', () => {
  if (known.length === 0) it.todo('still shows in its history');
  else {
    it.each(known)(
      'still shows in %s: who mends it takes it out of knownFaults.ts',
      async (name, history) => {
        const broken = violations(history, await runHistory(text, history));
        expect(broken.map(({ law }) => law)).toContain(KNOWN_FAULTS[name]);
      },
    );
  }
});

describe('a history in which a law was broken once', () => {
  if (mended.length === 0) it.todo('has all laws hold');
  else {
    it.each(mended)('has all laws hold: %s', async (_, history) => {
      const books = await runHistory(text, history);
      const broken = violations(history, books);
      expect(broken.length === 0 ? '' : storyOf(books, broken)).toBe('');
    });
  }
});

import { HISTORIES } from './histories/histories';
import type { History } from './history';
import { violations } from './laws/laws';
import { runHistory } from './simulation';
import { storyOf } from './story';
import { PackageText } from './world/package';

let text: PackageText;
beforeAll(async () => {
  text = await PackageText.bundle();
});

describe('a history in which a law was broken once', () => {
  it.each<[string, History]>(Object.entries(HISTORIES))(
    'has all laws hold: %s',
    async (_, history) => {
      const books = await runHistory(text, history);
      const broken = violations(history, books);
      expect(broken.length === 0 ? '' : storyOf(books, broken)).toBe('');
    },
  );
});

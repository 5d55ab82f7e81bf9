import type { Books } from './books';
import type { Violation } from './laws/laws';

/** Tells what happened: who did what, and when by the world's clock. */
export function storyOf(books: Books, violations: Violation[]): string {
  const lines = books.story.map(({ at, who, what }) => {
    const time = new Date(at).toISOString().slice(11, 23);
    return `${time}  ${who} ${what}`;
  });
  const broken = violations.map(({ law, what }) => `${law}: ${what}`);
  return [...lines, '', ...broken].join('\n');
}

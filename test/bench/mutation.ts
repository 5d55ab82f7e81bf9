import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER } from './results';

/** What `npm run test:mutation` found of a folder last. */
interface Report {
  target: string;
  /** How many changes were tried, and of how many one was. */
  mutants: number;
  oneIn: number;
  /** Or by those tests alone that are closest to a file. */
  /** How many test files of each file were asked at most, the closest first; null for all that reach it. */
  testFiles: number | null;
  found: number;
  /** ISO 8601. */
  measuredAt: string;
}

function sentence({ target, mutants, oneIn, testFiles, found, measuredAt }: Report): string {
  const percent = Math.round((100 * found) / mutants);
  const share = oneIn === 1 ? '' : `, one in about ${oneIn}`;
  return `In \`${target}\`: ${found} of ${mutants} changes${share}, or ${percent} %, by ${testFiles ?? 'all'} test files, on ${measuredAt.slice(0, 10)}.`;
}

/** The paragraph of `docs/benchmarks.md` that says how many changes of the source the tests find. */
export function mutationParagraph(): string {
  const text = readFileSync(join(FOLDER, 'mutation.json'), 'utf8');
  const reports = Object.values(JSON.parse(text) as Record<string, Report>);
  if (reports.length === 0) return '';
  return `Mutation testing: [StrykerJS](https://stryker-mutator.io) changes the source in small ways, one at a time, and tests without n8n should fail. The aim is 85 %. Asked are the test files that are closest to a file, few at first, and more about what these do not find. ${reports.map(sentence).join(' ')} \`npm run test:mutation -- FOLDER --one-in N\` repeats it.
`;
}

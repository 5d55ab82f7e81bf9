import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER } from './results';

/** What `npm run test:mutation` found of a folder last. */
interface Report {
  target: string;
  /** How many changes were tried, and of how many one was. */
  mutants: number;
  oneIn: number;
  found: number;
  timedOut: string[];
  /** ISO 8601. */
  measuredAt: string;
}

function told({ target, mutants, oneIn, found, timedOut, measuredAt }: Report): string {
  const percent = Math.round((100 * found) / mutants);
  const share = oneIn === 1 ? '' : `, one in about ${oneIn}`;
  const day = measuredAt.slice(0, 10);
  return `\`${target}\` ${percent} % (${found} of ${mutants}${share}; ${timedOut.length} by time-out; ${day})`;
}

/** The paragraph of `docs/benchmarks.md` that says how many changes of the source the tests find. */
export function mutationParagraph(): string {
  const text = readFileSync(join(FOLDER, 'mutation.json'), 'utf8');
  const reports = Object.values(JSON.parse(text) as Record<string, Report>);
  if (reports.length === 0) return '';
  return `Mutation testing: [StrykerJS](https://stryker-mutator.io) changes the source in small ways, one at a time, and tests without n8n should fail. Found by the eight test files that are closest to each file, of an aim of 85 %: ${reports.map(told).join(', ')}. \`npm run test:mutation -- FOLDER --one-in N\` repeats it.
`;
}

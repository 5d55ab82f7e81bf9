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

const AIM = 85;

function rowOf({ target, mutants, oneIn, found, timedOut, measuredAt }: Report): string {
  const percent = (100 * found) / mutants;
  const tried = oneIn === 1 ? `all ${mutants}` : `${mutants}, one in about ${oneIn}`;
  const cells = [
    `\`${target}\``,
    tried,
    `${found} (${timedOut.length} by time-out)`,
    `${percent.toFixed(0)} %`,
    `at least ${AIM} %`,
    percent >= AIM ? 'yes' : '**no**',
    measuredAt.slice(0, 10),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The section of `docs/benchmarks.md` that says how many changes of the source the tests find. */
export function mutationSection(): string {
  const text = readFileSync(join(FOLDER, 'mutation.json'), 'utf8');
  const reports = Object.values(JSON.parse(text) as Record<string, Report>);
  if (reports.length === 0) return '';
  return `## What the tests find

[StrykerJS](https://stryker-mutator.io) changes the source in small ways, one at a time; tests without n8n should fail then. Only the eight test files that are closest to a changed file are asked, so this is the least that all tests find. A share of all changes is tried, always the same one: \`npm run test:mutation -- FOLDER --one-in N\`.

| Folder | Tried | Found | Share | Aim | Met | On |
| --- | --- | --- | --- | --- | --- | --- |
${reports.map(rowOf).join('\n')}
`;
}

/**
 * `npm run test:long`: the test files named `*.long.test.ts`, and again those that have generators,
 * which now try all their cases.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import glob from 'fast-glob';
import { PROJECT } from './n8n';
import type { Check } from './test/check';
import { debianCheck } from './test/debian';
import { jestCheck } from './test/jest';
import { n8nCheck } from './test/n8n';
import { simulationCheck } from './test/simulation';
import { runSuite } from './test/suite';

/** The test files of these folders of `test` that belong to this suite. */
function longFiles(projects: string[]): string[] {
  const files = glob.sync(`test/{${projects.join()}}/**/*.test.ts`, { cwd: PROJECT });
  return files.filter(
    (file) =>
      file.endsWith('.long.test.ts') || /\bruns\(/.test(readFileSync(join(PROJECT, file), 'utf8')),
  );
}

/** Those files as one run of jest, which without a file would run all there are. */
function longCheck(name: string, projects: string[], workers: number): Check[] {
  const files = longFiles(projects);
  const run = { projects, workers, args: ['--runTestsByPath', ...files], env: { LONG: '1' } };
  return files.length === 0 ? [] : [jestCheck(name, run)];
}

void runSuite([
  [n8nCheck(), debianCheck],
  [
    simulationCheck(3_000),
    ...longCheck('long tests without n8n', ['unit', 'contract', 'core'], 2),
    ...longCheck('long tests in the real n8n', ['n8n', 'browser'], 2),
  ],
]);

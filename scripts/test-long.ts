/**
 * `npm run test:long`: the test files named `*.long.test.ts`, and again those that have generators,
 * which now try all their cases.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import glob from 'fast-glob';
import { PROJECT } from './n8n';
import { debianCheck } from './test/debian';
import { jestCheck } from './test/jest';
import { n8nCheck } from './test/n8n';
import { runSuite } from './test/suite';

const LONG = { LONG: '1' };

/** The test files of these folders of `test` that belong to this suite. */
function longFiles(projects: string[]): string[] {
  const files = glob.sync(`test/{${projects.join()}}/**/*.test.ts`, { cwd: PROJECT });
  return files.filter(
    (file) =>
      file.endsWith('.long.test.ts') ||
      /from '(\.\.\/)+generators'/.test(readFileSync(join(PROJECT, file), 'utf8')),
  );
}

const WITHOUT_N8N = ['unit', 'contract', 'core'];
const IN_N8N = ['n8n', 'browser'];

void runSuite([
  [n8nCheck, debianCheck],
  [
    jestCheck('long tests without n8n', {
      projects: WITHOUT_N8N,
      workers: 2,
      args: ['--runTestsByPath', ...longFiles(WITHOUT_N8N)],
      env: LONG,
    }),
    jestCheck('long tests in the real n8n', {
      projects: IN_N8N,
      workers: 3,
      args: ['--runTestsByPath', ...longFiles(IN_N8N)],
      env: LONG,
    }),
  ],
]);

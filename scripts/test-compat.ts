/**
 * `npm run test:compat`: every operation, the credential and the trigger in the newest n8n, in the one
 * that all tests run in, and in the last n8n 1; or in those that are named. They are installed once,
 * one after the other: each takes the whole machine.
 */
import { RELEASES, isRelease } from './n8n';
import { jestCheck } from './test/jest';
import { n8nCheck } from './test/n8n';
import { runSuite } from './test/suite';

const named = process.argv.slice(2);
const releases = named.length === 0 ? RELEASES : named.filter(isRelease);
if (releases.length < named.length) {
  console.error(`Name releases of n8n, or none for all: ${RELEASES.join(', ')}`);
  process.exit(2);
}

void runSuite([
  ...releases.map((release) => [n8nCheck(release)]),
  [
    jestCheck('releases of n8n', {
      projects: ['compat'],
      workers: 1,
      args: ['--testNamePattern', `^(${releases.join('|')}) `],
    }),
  ],
]);

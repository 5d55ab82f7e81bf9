/** `npm test`: everything but what takes long, which is `npm run test:long`. */
import { programCheck } from './test/check';
import { debianCheck } from './test/debian';
import { jestCheck } from './test/jest';
import { n8nCheck } from './test/n8n';
import { runSuite } from './test/suite';

const NO_LONG_FILES = ['--testPathIgnorePatterns', '\\.long\\.test\\.ts$'];

void runSuite([
  [
    programCheck('formatting', 'npx', ['prettier', '--check', '.']),
    programCheck('lint', 'npm', ['run', '--silent', 'lint']),
    programCheck('types', 'npm', ['run', '--silent', 'types']),
    programCheck('build', 'npm', ['run', '--silent', 'build']),
    n8nCheck,
    debianCheck,
  ],
  [
    jestCheck('tests without n8n', {
      projects: ['unit', 'contract', 'core'],
      workers: 1,
      args: NO_LONG_FILES,
    }),
    jestCheck('tests in the real n8n', {
      projects: ['n8n', 'browser'],
      workers: 5,
      args: NO_LONG_FILES,
    }),
  ],
]);

/** `npm test`: everything but what takes long, which is `npm run test:long`. */
import { programCheck } from './test/check';
import { debianCheck } from './test/debian';
import { jestCheck } from './test/jest';
import { n8nCheck } from './test/n8n';
import { simulationCheck } from './test/simulation';
import { runSuite } from './test/suite';

const NO_LONG_FILES = ['--testPathIgnorePatterns', '\\.long\\.test\\.ts$'];

/** Some of three equal shares of the files. */
const contexts = (...shards: string[]) =>
  shards.map((shard) =>
    jestCheck(`tests in contexts of n8n, ${shard}`, {
      projects: ['contract', 'core'],
      workers: 1,
      args: [...NO_LONG_FILES, `--shard=${shard}`],
    }),
  );

void runSuite([
  // Of a mistake that these find somebody hears within a minute.
  [
    programCheck('types', 'npm', ['run', '--silent', 'types']),
    jestCheck('tests of the parts', { projects: ['unit'], workers: 2, args: NO_LONG_FILES }),
  ],
  [
    programCheck('formatting', 'npx', ['prettier', '--check', '.']),
    programCheck("n8n's lint", 'npm', ['run', '--silent', 'lint:n8n']),
    programCheck('our lint', 'npm', ['run', '--silent', 'lint:own']),
    programCheck('the English of the documents', 'npm', ['run', '--silent', 'lint:prose']),
    programCheck('build', 'npm', ['run', '--silent', 'build']),
    simulationCheck(250),
    n8nCheck(),
    debianCheck,
  ],
  // Two lanes for two processors: where n8n gets little of them, its answers come after the tests' patience.
  [
    [
      jestCheck('tests in the real n8n', { projects: ['n8n'], workers: 2, args: NO_LONG_FILES }),
      jestCheck('tests of the package and the simulation', {
        projects: ['simulation', 'package'],
        workers: 1,
        args: NO_LONG_FILES,
      }),
    ],
    [
      ...contexts('1/3', '2/3', '3/3'),
      // One at a time: a browser takes a processor for itself.
      jestCheck('tests in the browser', { projects: ['browser'], workers: 1, args: NO_LONG_FILES }),
    ],
  ],
]);

/**
 * `npm run test:compat`: every operation, the credential and the trigger in the last n8n 1 and in the
 * newest n8n. Both are installed once, one after the other: each takes the whole machine.
 */
import { jestCheck } from './test/jest';
import { n8nCheck } from './test/n8n';
import { runSuite } from './test/suite';

void runSuite([
  [n8nCheck()],
  [n8nCheck('n8n 1')],
  [jestCheck('releases of n8n', { projects: ['compat'], workers: 1, args: [] })],
]);

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Check, type Counts, FAILED, exitCodeOf } from './check';

/** What jest writes with `--json`, as far as it is counted. */
interface JestResult {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  numRuntimeErrorTestSuites: number;
}

/** All tests, counted one by one. A file that could not even be loaded counts as one failed test. */
export const jestCheck: Check = {
  name: 'tests',
  run: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'outbound-jest-'));
    const output = join(directory, 'result.json');
    try {
      const exitCode = await exitCodeOf('npx', [
        'jest',
        '--ci',
        // One after the other: each n8n takes both cores of a small machine, and some tests wait.
        '--runInBand',
        '--forceExit',
        '--json',
        `--outputFile=${output}`,
      ]);
      return count(JSON.parse(await readFile(output, 'utf8')) as JestResult, exitCode);
    } catch {
      return FAILED; // jest ended before it could write what it found
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

function count(result: JestResult, exitCode: number): Counts {
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  // jest can fail without a failed test, for instance when it finds none.
  const failedOtherwise = failed === 0 && exitCode !== 0 ? 1 : 0;
  return { passed: result.numPassedTests, failed: failed + failedOtherwise };
}

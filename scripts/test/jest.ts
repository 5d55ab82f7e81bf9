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

/** One run of jest, as its command line says it. */
export interface JestRun {
  /** Folders of `test`. */
  projects: string[];
  /** Test files at once. Those that wait for polls leave the processor to others. */
  workers: number;
  /** More arguments, such as which files of these projects. */
  args: string[];
  env?: Record<string, string>;
}

/** Tests counted one by one. A file that could not even be loaded counts as one failed test. */
export function jestCheck(name: string, { projects, workers, args, env }: JestRun): Check {
  return {
    name,
    run: async () => {
      const directory = await mkdtemp(join(tmpdir(), 'outbound-jest-'));
      const output = join(directory, 'result.json');
      try {
        const exitCode = await exitCodeOf(
          'npx',
          [
            ...['jest', '--ci', '--forceExit', '--json', `--outputFile=${output}`],
            ...[`--maxWorkers=${workers}`, ...args, '--selectProjects', ...projects],
          ],
          { ...process.env, ...env },
        );
        return count(JSON.parse(await readFile(output, 'utf8')) as JestResult, exitCode);
      } catch {
        return FAILED; // jest ended before it could write what it found
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
  };
}

function count(result: JestResult, exitCode: number): Counts {
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  // jest can fail without a failed test, for instance when it finds none.
  const failedOtherwise = failed === 0 && exitCode !== 0 ? 1 : 0;
  return { passed: result.numPassedTests, failed: failed + failedOtherwise };
}

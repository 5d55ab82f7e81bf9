import { isOnPath, postgresqlPrograms } from '../n8n';
import { type Check, type Counts, FAILED, PASSED, exitCodeOf } from './check';

/** A program that tests use and Debian has: installed when it is missing and can be. */
function debianCheck(name: string, packageName: string, isThere: () => boolean): Check {
  return {
    name,
    run: async (): Promise<Counts> => {
      if (isThere()) return PASSED;
      if (process.getuid?.() !== 0 || !isOnPath('apt-get')) {
        process.stderr.write(
          `${packageName} is missing. On Debian, as root: apt-get install ${packageName}\n`,
        );
        return FAILED;
      }
      const apt = ['-qq', '-y', '--no-install-recommends', 'install', packageName];
      await exitCodeOf('apt-get', ['-qq', 'update']);
      await exitCodeOf('apt-get', apt);
      return isThere() ? PASSED : FAILED;
    },
  };
}

/** What runs beside the real n8n in tests. */
export const debianChecks: Check[] = [
  debianCheck('a browser for the editor', 'chromium', () => isOnPath('chromium')),
  debianCheck('Redis for the queue mode', 'redis-server', () => isOnPath('redis-server')),
  debianCheck(
    'PostgreSQL for the queue mode',
    'postgresql',
    () => postgresqlPrograms() !== undefined,
  ),
];

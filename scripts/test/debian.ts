import { isOnPath, postgresqlPrograms } from '../n8n';
import { type Check, type Counts, FAILED, PASSED, exitCodeOf } from './check';

/** Programs that run beside the real n8n in tests, by the Debian package that brings each. */
const PROGRAMS: Record<string, () => boolean> = {
  chromium: () => isOnPath('chromium'),
  'redis-server': () => isOnPath('redis-server'),
  postgresql: () => postgresqlPrograms() !== undefined,
};

function missing(): string[] {
  return Object.entries(PROGRAMS).flatMap(([name, isThere]) => (isThere() ? [] : [name]));
}

/** A browser for the editor, Redis and PostgreSQL: installed when they are missing and can be. */
export const debianCheck: Check = {
  name: `Debian's ${Object.keys(PROGRAMS).join(', ')}`,
  run: async (): Promise<Counts> => {
    const packages = missing();
    if (packages.length === 0) return PASSED;
    if (process.getuid?.() !== 0 || !isOnPath('apt-get')) {
      const names = packages.join(' ');
      process.stderr.write(`Missing: ${names}. On Debian, as root: apt-get install ${names}\n`);
      return FAILED;
    }
    await exitCodeOf('apt-get', ['-qq', 'update']);
    await exitCodeOf('apt-get', ['-qq', '-y', '--no-install-recommends', 'install', ...packages]);
    return missing().length === 0 ? PASSED : FAILED;
  },
};

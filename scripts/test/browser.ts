import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Check, type Counts, FAILED, PASSED, exitCodeOf } from './check';

/** The browser that opens n8n's editor in tests: Debian's Chromium, installed when it can be. */
export const browserCheck: Check = {
  name: 'a browser for the editor',
  run: async (): Promise<Counts> => {
    if (isThere('chromium')) return PASSED;
    if (process.getuid?.() !== 0 || !isThere('apt-get')) {
      process.stderr.write(
        'Chromium is missing. On Debian, as root: apt-get install chromium. Elsewhere, put a ' +
          '"chromium" on the path.\n',
      );
      return FAILED;
    }
    const apt = ['-qq', '-y', '--no-install-recommends', 'install', 'chromium'];
    await exitCodeOf('apt-get', ['-qq', 'update']);
    await exitCodeOf('apt-get', apt);
    return isThere('chromium') ? PASSED : FAILED;
  },
};

function isThere(program: string): boolean {
  const places = (process.env.PATH ?? '').split(delimiter);
  return places.some((place) => existsSync(join(place, program)));
}

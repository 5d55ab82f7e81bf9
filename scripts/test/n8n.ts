import { type N8nRelease, ensureN8n, versionOf } from '../n8n';
import { type Check, PASSED } from './check';

/** The real n8n of a release, installed when this machine does not have it yet. */
export function n8nCheck(release: N8nRelease = 'reference'): Check {
  return {
    name: `the real n8n ${versionOf(release)}`,
    run: async () => {
      await ensureN8n({ release });
      return PASSED;
    },
  };
}

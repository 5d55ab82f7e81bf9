import { ensureN8n } from '../n8n';
import { type Check, PASSED } from './check';

/** The real n8n, installed when this machine does not have it yet. */
export const n8nCheck: Check = {
  name: 'the real n8n',
  run: async () => {
    await ensureN8n();
    return PASSED;
  },
};

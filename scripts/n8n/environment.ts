import { delimiter, dirname, join } from 'node:path';
import { cacheDirectory } from './cache-directory';
import type { N8nRelease } from './release';

/** Settings of this machine's own n8n, Node.js, npm or jest, which must not colour ours. */
const NOT_PASSED_ON =
  /^(N8N_|DB_|EXECUTIONS_|QUEUE_|WEBHOOK_|NODE_|NPM_|JEST_|OUTBOUND_AI_CALLING_)/i;

/** What keeps n8n from asking for anything outside of this machine. */
const QUIET = {
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
  N8N_TEMPLATES_ENABLED: 'false',
  N8N_DYNAMIC_BANNERS_ENABLED: 'false',
  N8N_HIRING_BANNER_ENABLED: 'false',
  N8N_VERIFIED_PACKAGES_ENABLED: 'false',
  N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
  N8N_PERSONALIZATION_ENABLED: 'false',
};

/** A module that asks outside of this machine. n8n 1 does not have it, and does not start when it is named. */
const QUIET_MODULES = { N8N_DISABLED_MODULES: 'mcp-registry' };

/** n8n refuses all requests while its database seems away, and a busy machine can make it seem so. */
const PATIENT = { DB_PING_TIMEOUT_MS: '30000' };

/**
 * The environment that n8n runs in.
 *
 * @param place.nodeBinary n8n starts its task runner with the `node` that it finds on the path
 * @param extra wins over everything else
 */
export function n8nEnvironment(
  place: {
    release: N8nRelease;
    nodeBinary: string;
    userFolder: string;
    port: number;
    brokerPort: number;
  },
  extra: Record<string, string> = {},
): NodeJS.ProcessEnv {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !NOT_PASSED_ON.test(name)),
  );
  return {
    ...inherited,
    PATH: [dirname(place.nodeBinary), process.env.PATH].join(delimiter),
    N8N_USER_FOLDER: place.userFolder,
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_PORT: String(place.port),
    N8N_RUNNERS_BROKER_PORT: String(place.brokerPort),
    N8N_SECURE_COOKIE: 'false',
    // A fifth of the processor time of a start is the compiling of n8n's own code.
    NODE_COMPILE_CACHE: join(cacheDirectory(), 'compiled'),
    ...QUIET,
    ...(place.release === 'n8n 1' ? {} : QUIET_MODULES),
    ...PATIENT,
    ...extra,
  };
}

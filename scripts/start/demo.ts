import { PreparedN8n, firstFreePort } from '../n8n';
import { DEFAULT_SCRIPTS, startCallingService } from '../../test/service';
import type { Cleanup } from './cleanup';

const EDITOR_PORT = 5678;

/** The emulated service's own default; opens nothing but the emulation. */
const EMULATED_KEY = 'test-key';

/**
 * How fast time passes for an emulated call, and how long one lasts in its own time: over after 8 to
 * 24 s, mostly before the trigger's first look.
 */
const EMULATED_SPEED = 5;
const EMULATED_SECONDS = { min: 40, max: 120 };

/** How long nothing may change before the waiting ends; a real call can be a long talk. */
export const PATIENCE_MS = { emulated: 3 * 60_000, real: 15 * 60_000 };

/** What a person enters to call with the emulated service by hand. */
export function emulatedServiceReport({ baseUrl, apiKey }: Service): string {
  const scripts = Object.entries(DEFAULT_SCRIPTS).map(([id, variables]) =>
    variables.length === 0 ? id : `${id} (needs ${variables.join(' and ')})`,
  );
  return [
    'Calling with the emulated service: no telephone rings',
    `  Base URL: ${baseUrl}   API key: ${apiKey}`,
    `  Script IDs: ${scripts.join(', ')}`,
  ].join('\n');
}

export interface Service {
  baseUrl: string;
  apiKey: string;
}

/** Starts the emulated calling service. */
export async function startEmulatedService(cleanup: Cleanup): Promise<Service> {
  const service = await startCallingService({
    seed: 1,
    speed: EMULATED_SPEED,
    callSeconds: EMULATED_SECONDS,
  });
  cleanup.add(async () => await service.close());
  return { baseUrl: service.baseUrl, apiKey: EMULATED_KEY };
}

/** Starts n8n with the package, on the port that is liked best or the next one that is free. */
export async function startEditor(
  cleanup: Cleanup,
  wanted: number | undefined,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<PreparedN8n> {
  const best = wanted ?? EDITOR_PORT;
  const port = await firstFreePort(best);
  if (port !== best) say(`Port ${best} is already in use; n8n's editor takes ${port}.`);
  const n8n = await PreparedN8n.start({ port, progress: say, signal });
  cleanup.add(async () => await n8n.stop());
  return n8n;
}

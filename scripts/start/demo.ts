import { type N8nRelease, PreparedN8n, firstFreePort } from '../n8n';
import { DEFAULT_SCRIPTS, startCallingService } from '../../test/service';
import type { Cleanup } from './cleanup';
import type { Order } from './orders';

const EDITOR_PORT = 5678;

/** The emulated service's own default; opens nothing but the emulation. */
const EMULATED_KEY = 'test-key';
/** It asks for what the sample orders have. */
export const EMULATED_SCRIPT = 12;

/**
 * How fast time passes for an emulated call, and how long one lasts in its own time: over after 4 to
 * 12 s, before the first look for its outcome.
 */
const EMULATED_SPEED = 10;
const EMULATED_SECONDS = { min: 40, max: 120 };
/** Orders whose first call nobody answers, by their place in the list. */
const UNANSWERED = [1, 4];

/** How long nothing may change before the waiting ends; a real call can be a long talk. */
export const PATIENCE_MS = { emulated: 3 * 60_000, real: 15 * 60_000 };

/** What a person enters to call with the emulated service by hand. */
export function emulatedServiceReport({ baseUrl, apiKey }: Service): string {
  const scripts = Object.entries(DEFAULT_SCRIPTS).map(([id, variables]) =>
    variables.length === 0 ? id : `${id} (needs ${variables.join(' and ')})`,
  );
  return [
    'The emulated calling service answers the calls: no telephone rings',
    `  Base URL: ${baseUrl}   API key: ${apiKey}`,
    `  Script IDs: ${scripts.join(', ')}`,
  ].join('\n');
}

export interface Service {
  baseUrl: string;
  apiKey: string;
}

/** Starts the emulated calling service; two of the orders are not answered the first time. */
export async function startEmulatedService(cleanup: Cleanup, orders: Order[]): Promise<Service> {
  const unanswered = new Set(UNANSWERED.map((index) => orders[index]?.orderNumber));
  const service = await startCallingService({
    seed: 14,
    speed: EMULATED_SPEED,
    callSeconds: EMULATED_SECONDS,
    outcomeFor: ({ orderNumber = '' }) => ({
      status: unanswered.delete(orderNumber) ? 'failed' : 'completed',
    }),
  });
  cleanup.add(async () => await service.close());
  return { baseUrl: service.baseUrl, apiKey: EMULATED_KEY };
}

/** Starts n8n with the package, on the port that is liked best or the next one that is free. */
export async function startEditor(
  cleanup: Cleanup,
  { port: wanted, release }: { port?: number; release: N8nRelease },
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<PreparedN8n> {
  const best = wanted ?? EDITOR_PORT;
  const port = await firstFreePort(best);
  if (port !== best) say(`Port ${best} is in use, so n8n's editor uses ${port}.`);
  const n8n = await PreparedN8n.start({ release, port, progress: say, signal });
  cleanup.add(async () => await n8n.stop());
  return n8n;
}

import { parseArgs } from 'node:util';
import type { N8nRelease } from '../n8n';

export const HELP = `Runs the real n8n with this package and lets it call a list of customers.

  npm start -- [options]

  --orders FILE    the orders to call, JSON or CSV (examples/data/orders.json), with the fields or
                   columns orderNumber, phone, brand and amount; optional: customerName, notes
  --orders NUMBER  this number of made-up orders, at most 1000
  --port NUMBER    the port of n8n's editor (5678, or the next one that is free)
  --n8n RELEASE    newest (the default), or reference: the n8n that all tests run in
  --script NUMBER  for a real service: your script, from the service's dashboard
  --timezone NAME  for a real service: the workflow's time zone, such as Europe/Berlin
  --once           end after the table instead of keeping n8n's editor open
  --help           show this

The calls go to an emulated calling service on this machine: no telephone rings. To call real people
with a real service, set OUTBOUND_AI_CALLING_BASE_URL and OUTBOUND_AI_CALLING_API_KEY, and give --script
and --timezone. When n8n ends, its call log goes with it: a second run with the same orders calls everybody
again.

The exit code is 0 when every order has its outcome, 1 when one has none, and 2 when the options are
wrong.`;

/** The person asked for something that cannot be done; the message says what and what to do. */
export class UsageError extends Error {}

export interface StartOptions {
  help: boolean;
  once: boolean;
  port?: number;
  release: N8nRelease;
  orders: { file: string } | { count: number };
  /** A real service; undefined for the emulated one. */
  real?: RealService;
}

/** A real service, and what nobody can choose for its account. */
export interface RealService {
  service: { baseUrl: string; apiKey: string };
  scriptId: number;
  /** An IANA name. */
  timezone: string;
}

const SAMPLE_ORDERS = 'examples/data/orders.json';
const MOST_MADE_UP_ORDERS = 1000;

/**
 * Reads the command line and the environment.
 *
 * @throws UsageError for what cannot be meant
 */
export function readOptions(args: string[], env: NodeJS.ProcessEnv): StartOptions {
  const values = parse(args);
  return {
    help: values.help ?? false,
    once: values.once ?? false,
    port: values.port === undefined ? undefined : readPort(values.port),
    release: readRelease(values.n8n ?? 'newest'),
    orders: readOrdersChoice(values.orders ?? SAMPLE_ORDERS),
    real: readRealService(values, env),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        orders: { type: 'string' },
        port: { type: 'string' },
        n8n: { type: 'string' },
        script: { type: 'string' },
        timezone: { type: 'string' },
        once: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new UsageError(`--port needs a number from 1 to 65535, not "${text}".`);
  }
  return port;
}

/** Not n8n 1: the example needs data tables. */
function readRelease(text: string): N8nRelease {
  if (text === 'newest' || text === 'reference') return text;
  throw new UsageError(`--n8n accepts "newest" or "reference", not "${text}".`);
}

function readOrdersChoice(text: string): StartOptions['orders'] {
  if (!/^-?\d+$/.test(text)) return { file: text };
  const count = Number(text);
  if (count < 1 || count > MOST_MADE_UP_ORDERS) {
    throw new UsageError(
      `--orders needs a file, or a number from 1 to ${MOST_MADE_UP_ORDERS}, not ${text}.`,
    );
  }
  return { count };
}

function readRealService(
  { script, timezone }: { script?: string; timezone?: string },
  env: NodeJS.ProcessEnv,
): RealService | undefined {
  const service = readService(env);
  if (service === undefined) {
    if (script === undefined && timezone === undefined) return undefined;
    throw new UsageError(
      '--script and --timezone are for a real service. The emulated one has its own.',
    );
  }
  return { service, scriptId: readScript(script), timezone: readTimezone(timezone) };
}

function readScript(text = ''): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(
    'A real service needs --script NUMBER: a script of your account, from its dashboard.',
  );
}

function readTimezone(name = ''): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw new UsageError(
      'A real service needs --timezone NAME: the time zone of the workflow, such as Europe/Berlin.',
    );
  }
}

function readService(env: NodeJS.ProcessEnv): RealService['service'] | undefined {
  const baseUrl = env.OUTBOUND_AI_CALLING_BASE_URL?.trim();
  const apiKey = env.OUTBOUND_AI_CALLING_API_KEY?.trim();
  if (baseUrl && apiKey) return { baseUrl, apiKey };
  if (!baseUrl && !apiKey) return undefined;
  const [set, missing] = baseUrl ? ['BASE_URL', 'API_KEY'] : ['API_KEY', 'BASE_URL'];
  throw new UsageError(
    `OUTBOUND_AI_CALLING_${set} is set but OUTBOUND_AI_CALLING_${missing} is missing. Set both to ` +
      'use a real calling service, or neither to use the emulated one.',
  );
}

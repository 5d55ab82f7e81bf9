import { parseArgs } from 'node:util';
import type { CallingServiceOptions } from './callingService';
import { switchPositions, type Switches } from './switches';

export const HELP = `npm run service -- [options]

  --port 4010            the port on this machine; 0 for any free one
  --api-key KEY          the API key it accepts (may be given several times)
  --seed 1               decides how calls end
  --call-seconds 15-60   the shortest and the longest call
  --speed 1              service seconds in a real second
  --switch NAME=VALUE    how it settles what its interface leaves contradictory:
${Object.entries(switchPositions)
  .map(([name, positions]) => `                           ${name}=${positions.join('|')}`)
  .join('\n')}
  --help                 this text`;

/** What was typed makes no sense; the message says what does. */
export class UsageError extends Error {}

/** What was typed, ready to start the service with. */
export type Settings = Required<
  Pick<CallingServiceOptions, 'port' | 'apiKeys' | 'seed' | 'callSeconds' | 'speed' | 'switches'>
>;

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new UsageError(`--${name} takes a number above 0, not "${text}"`);
}

function whole(name: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw new UsageError(`--${name} takes a whole number from 0 to ${most}, not "${text}"`);
}

function secondsOf(text: string): { min: number; max: number } {
  const [, from, to] = /^([\d.]+)-([\d.]+)$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined) {
    const [min, max] = [positive('call-seconds', from), positive('call-seconds', to)];
    if (min <= max) return { min, max };
  }
  throw new UsageError(`--call-seconds takes the shortest and the longest, 15-60, not "${text}"`);
}

function switchesOf(settings: string[]): Partial<Switches> {
  const positions = new Map<string, readonly string[]>(Object.entries(switchPositions));
  const entries = settings.map((setting) => {
    const [name = '', value = ''] = setting.split('=');
    const known = positions.get(name);
    if (known === undefined) throw new UsageError(`There is no switch "${name}"`);
    if (known.includes(value)) return [name, value];
    throw new UsageError(`--switch ${name} takes ${known.join(' or ')}, not "${value}"`);
  });
  return Object.fromEntries(entries) as Partial<Switches>;
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: 'string', default: '4010' },
        'api-key': { type: 'string', multiple: true, default: ['test-key'] },
        seed: { type: 'string', default: '1' },
        'call-seconds': { type: 'string', default: '15-60' },
        speed: { type: 'string', default: '1' },
        switch: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Reads the arguments of the command.
 *
 * @returns `help` when it was asked for
 * @throws UsageError for an argument that is not known or makes no sense
 */
export function readCommandLine(args: string[]): Settings | 'help' {
  const values = parse(args);
  if (values.help) return 'help';
  return {
    port: whole('port', values.port, 65_535),
    apiKeys: values['api-key'],
    seed: whole('seed', values.seed, Number.MAX_SAFE_INTEGER),
    callSeconds: secondsOf(values['call-seconds']),
    speed: positive('speed', values.speed),
    switches: switchesOf(values.switch),
  };
}

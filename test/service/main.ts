/** `npm run service`: the emulated calling service, until Ctrl-C. */
import { parseArgs } from 'node:util';
import { startCallingService, switchPositions, type CallingServiceOptions } from '.';

const HELP = `npm run service -- [options]

  --port 4010            the port on this machine
  --api-key KEY          the API key it accepts (may be given several times)
  --seed 1               decides how calls end
  --call-seconds 15-60   the shortest and the longest call
  --speed 1              service seconds in a real second
  --switch NAME=VALUE    how it settles what its interface leaves contradictory:
${Object.entries(switchPositions)
  .map(([name, positions]) => `                           ${name}=${positions.join('|')}`)
  .join('\n')}`;

class UsageError extends Error {}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new UsageError(`--${name} takes a number above 0`);
  return value;
}

function secondsOf(text: string): { min: number; max: number } {
  const [min, max] = text.split('-').map((part) => positive('call-seconds', part));
  if (min === undefined || max === undefined || max < min) {
    throw new UsageError('--call-seconds takes two numbers, e.g. 15-60');
  }
  return { min, max };
}

function switchesOf(settings: string[]): CallingServiceOptions['switches'] {
  const entries = settings.map((setting) => {
    const [name = '', value = ''] = setting.split('=');
    const positions: Record<string, readonly string[]> = switchPositions;
    if (positions[name]?.includes(value) !== true) {
      throw new UsageError(`--switch ${setting}: no such switch or position`);
    }
    return [name, value];
  });
  return Object.fromEntries(entries);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '4010' },
      'api-key': { type: 'string', multiple: true, default: ['test-key'] },
      seed: { type: 'string', default: '1' },
      'call-seconds': { type: 'string', default: '15-60' },
      speed: { type: 'string', default: '1' },
      switch: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(HELP);
  const service = await startCallingService({
    port: positive('port', values.port),
    apiKeys: values['api-key'],
    seed: positive('seed', values.seed),
    callSeconds: secondsOf(values['call-seconds']),
    speed: positive('speed', values.speed),
    switches: switchesOf(values.switch) ?? {},
  });
  console.log(`The emulated calling service answers at ${service.baseUrl}`);
  console.log(`API keys: ${values['api-key'].join(', ')}   scripts: 7, 12, 21   Ctrl-C ends it`);
}

main().catch((error: unknown) => {
  const isUsage = error instanceof UsageError || error instanceof TypeError;
  console.error(error instanceof Error ? error.message : String(error));
  if (isUsage) console.error('See npm run service -- --help');
  process.exit(isUsage ? 2 : 1);
});

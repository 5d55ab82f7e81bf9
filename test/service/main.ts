/** `npm run service`: the emulated calling service, until Ctrl-C. */
import { DEFAULT_SCRIPTS, startCallingService } from './callingService';
import { HELP, readCommandLine, UsageError } from './commandLine';

function describeScripts(): string {
  return Object.entries(DEFAULT_SCRIPTS)
    .map(([id, names]) => `  ${id}  ${names.join(', ') || 'no placeholders'}`)
    .join('\n');
}

async function main(): Promise<void> {
  const settings = readCommandLine(process.argv.slice(2));
  if (settings === 'help') return console.log(HELP);
  const service = await startCallingService(settings);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void service.close());
  }
  console.log(`The emulated calling service answers at ${service.baseUrl}`);
  console.log(`API keys: ${settings.apiKeys.join(', ')}`);
  console.log(`Scripts and their placeholders:\n${describeScripts()}`);
  console.log('Ctrl-C ends it.');
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  const isUsage = error instanceof UsageError;
  if (isUsage) console.error('See npm run service -- --help');
  process.exitCode = isUsage ? 2 : 1;
});

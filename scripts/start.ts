/** `npm start`: the whole package at work in the real n8n, from nothing to a table of outcomes. */
import { setMaxListeners } from 'node:events';
import { OWNER } from './n8n';
import { Cleanup } from './start/cleanup';
import {
  emulatedServiceReport,
  PATIENCE_MS,
  startEditor,
  startEmulatedService,
} from './start/demo';
import { followCalls } from './start/following';
import { HELP, UsageError, readOptions } from './start/options';
import { madeUpOrders, readOrders } from './start/orders';
import { callsLine, missingReport, outcomesLine, resultLine, resultTable } from './start/report';
import { scheduleCalls, scheduledCount } from './start/scheduling';
import { publishWorkflows, type PublishedWorkflows } from './start/workflows';

const cleanup = new Cleanup();
const interrupted = new AbortController();
setMaxListeners(0, interrupted.signal); // every order that is under way listens

const say = (line: string) => process.stderr.write(`${line}\n`);
const print = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options.help) {
    print(HELP);
    return 0;
  }
  const orders =
    'file' in options.orders
      ? await readOrders(options.orders.file)
      : madeUpOrders(options.orders.count);

  const { real } = options;
  const service = real?.service ?? (await startEmulatedService(cleanup, orders));
  print(
    real
      ? `Real telephones will ring: the service at ${service.baseUrl} places the calls. This run knows nothing of earlier ones`
      : emulatedServiceReport(service),
  );
  const n8n = await startEditor(cleanup, options, { say, signal: interrupted.signal });
  const { client } = n8n;
  const workflows = await publishWorkflows(client, service, real);
  const { log } = workflows;

  const { webhookPath } = workflows.orders;
  print(`Posting ${orders.length} orders to ${client.baseUrl}/webhook/${webhookPath}`);
  const scheduled = await scheduleCalls(client, workflows.orders, orders, interrupted.signal);
  print(
    `Calls scheduled: ${scheduledCount(scheduled)}. Every minute n8n places the calls that are due, three at a time.`,
  );
  let ended = 0;
  const followed = await followCalls(client, workflows, scheduled, {
    signal: interrupted.signal,
    patienceMs: real ? PATIENCE_MS.real : PATIENCE_MS.emulated,
    onEnd: (result) => print(resultLine(result, ++ended, orders.length)),
  });
  const { results } = followed;
  print(`The data table "${log.name}":\n${resultTable(results)}`);
  const missing = missingReport(followed);
  if (missing !== undefined) say(missing);
  const lines = `${callsLine(results)}\n${outcomesLine(results)}`;
  if (!options.once) await keepEditorOpen(client.baseUrl, workflows, lines);
  await cleanup.run();
  print(lines);
  return results.every((result) => result.received) ? 0 : 1;
}

/** Leaves n8n to the person until Ctrl-C. */
async function keepEditorOpen(
  address: string,
  { report }: PublishedWorkflows,
  summary: string,
): Promise<void> {
  print(`${summary}\n`);
  print(`n8n's editor: ${address}   e-mail: ${OWNER.email}   password: ${OWNER.password}`);
  print(`Data tables:  ${address}/home/datatables`);
  print(
    `Report:       ${address}/webhook/${report.path}   user: ${report.user}   password: ${report.password}`,
  );
  print('Press Ctrl-C to end n8n.');
  const alive = setInterval(() => {}, 60_000);
  await new Promise<void>((resolve) =>
    interrupted.signal.addEventListener('abort', () => resolve()),
  );
  clearInterval(alive);
}

function stopOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interrupted.abort());
  }
}

stopOnSignals();
main()
  .catch((error: unknown) => {
    if (error instanceof UsageError) {
      say(`${error.message}\n\nSee npm start -- --help`);
      return 2;
    }
    if (!interrupted.signal.aborted) say(error instanceof Error ? error.message : String(error));
    return interrupted.signal.aborted ? 130 : 1;
  })
  .then(async (exitCode) => {
    await cleanup.run();
    process.exit(exitCode);
  });

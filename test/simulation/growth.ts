/** `npm run simulate:growth`: what scheduled calls cost, by how many there are and how many workers place them. */
import Table from 'cli-table3';
import { parseArgs } from 'node:util';
import type { Books } from './books';
import { aHistory, listOf, type History, type Step } from './history';
import { runHistory } from './simulation';
import { PackageText } from './world/package';

Error.stackTraceLimit = 0;

const MINUTE_MS = 60_000;
const IN_PROGRESS = 500;
/** A list of at most this many is scheduled when those of the one before have been placed. */
const LIST = 10_000;
const CALL_SECONDS = { min: 55, max: 65 };
/** A channel that has become free is filled again within seconds. */
const MINUTES_A_CALL = 1.2;
const MINUTES_A_LIST = Math.ceil((LIST / IN_PROGRESS) * MINUTES_A_CALL);
/** Minutes for the last calls to end. */
const MORE_MINUTES = 3;

/** Each list is scheduled by another worker. Each minute another one places what is due, and one process polls. */
function historyOf(calls: number, workers: number): History {
  const minutes = Math.ceil((calls / IN_PROGRESS) * MINUTES_A_CALL) + MORE_MINUTES;
  const byMinute = listOf({ from: 0, to: minutes }).flatMap((minute): Step[] => [
    {
      do: 'place',
      process: minute % workers,
      keepOnSeconds: 55,
      when: { at: (minute + 1) * MINUTE_MS },
    },
    { do: 'poll', process: 0, when: { at: (minute + 1) * MINUTE_MS } },
  ]);
  const lists = Array.from({ length: Math.ceil(calls / LIST) }, (_, list): Step => ({
    do: 'schedule',
    process: list % workers,
    orders: { from: list * LIST + 1, to: Math.min((list + 1) * LIST, calls) },
    when: { at: list * MINUTES_A_LIST * MINUTE_MS },
  }));
  return aHistory({
    skews: Array.from({ length: workers }, () => 0),
    callSeconds: CALL_SECONDS,
    settings: { maxInProgress: IN_PROGRESS },
    triggers: [{ process: 0 }],
    steps: [...lists, ...byMinute],
  });
}

/** The requests of executions and of the trigger, for each call. */
function costsOf({ requests, rings, fired, startedAt, endedAt }: Books, calls: number): string[] {
  if (rings.length !== calls || fired.length !== calls) {
    throw new Error(`${rings.length} of ${calls} rang, ${fired.length} were heard of`);
  }
  let tables = 0;
  let service = 0;
  for (const sent of requests.values()) {
    tables += sent.tables;
    service += sent.service;
  }
  const hours = (endedAt - startedAt) / (60 * MINUTE_MS);
  return [hours.toFixed(1), (tables / calls).toFixed(2), (service / calls).toFixed(2)];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      calls: { type: 'string', default: '1000,10000' },
      workers: { type: 'string', default: '1,4,16' },
    },
  });
  const numbers = (text: string) => text.split(',').map(Number);
  const text = await PackageText.bundle();
  const head = ['calls', 'workers', 'hours', 'requests to n8n a call', 'to the service a call'];
  const table = new Table({ head, style: { head: [] } });
  for (const calls of numbers(values.calls)) {
    for (const workers of numbers(values.workers)) {
      const books = await runHistory(text, historyOf(calls, workers), false);
      table.push([String(calls), String(workers), ...costsOf(books, calls)]);
    }
  }
  process.stdout.write(`${table.toString()}\n`);
}

void main();

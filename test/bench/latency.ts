import { setTimeout as delay } from 'node:timers/promises';
import { jsonOf, type PreparedN8n, type SavedWorkflow } from '../../scripts/n8n';
import { startCountingProxy, type CountingProxy } from '../n8n/countingProxy';
import {
  logTable,
  outcomeWorkflow,
  placingWorkflow,
  TRIGGER,
  watching,
} from '../n8n/triggerWorkflows';
import { saveCredential } from '../n8n/workflows';
import { startCallingService, type CallingService } from '../service';
import type { Bench, Figure } from './figure';
import { sized } from './size';

const CALL_SECONDS = { min: 18, max: 45 };
/** So many triggers of a kind run side by side; each has calls in seconds of the minute of its own. */
const LANES = 6;
const SECONDS = 60;
/** So many calls a lane. */
const CALLS_A_LANE = sized(SECONDS / LANES, 1);
/** The first poll comes within a minute. */
const FIRST_POLL_MS = 65_000;
/** A call that has not fired by then was heard of in a later minute. */
const LONGEST_WAIT_MS = 130_000;

const WAYS = ['instance', 'callLog'] as const;
type Way = (typeof WAYS)[number];
const NAMES: Record<Way, string> = { instance: 'This Instance', callLog: 'Call Log' };

/** One trigger, which waits for one call at a time. */
interface Lane {
  way: Way;
  service: CallingService;
  trigger: SavedWorkflow;
  placing: SavedWorkflow;
  /** Between the trigger and n8n's API. */
  proxy: CountingProxy;
  /** In which seconds of the minute its calls are placed. */
  seconds: number[];
}

async function openLane(
  { client }: PreparedN8n,
  { way, index, apiKey }: { way: Way; index: number; apiKey: string },
): Promise<Lane> {
  const label = `${way} ${index}`;
  const service = await startCallingService({ callSeconds: CALL_SECONDS, seed: index });
  const proxy = await startCountingProxy(client.baseUrl);
  const calling = await saveCredential(client, service, { n8nApiKey: apiKey });
  const isLogged = way === 'callLog';
  // The same account, so the same calls; what the action asks of n8n is not counted.
  const watched = isLogged
    ? await saveCredential(client, service, {
        n8nApiKey: apiKey,
        n8nApiUrl: `${proxy.baseUrl}/api/v1`,
      })
    : calling;
  const trigger = await client.createWorkflow(
    outcomeWorkflow(label, watched, isLogged ? watching(label) : {}),
  );
  await client.publish(trigger);
  const logged = isLogged ? { callLog: 'dataTable', callLogTable: logTable(label) } : {};
  const placing = await client.createWorkflow(placingWorkflow(1, calling, logged));
  const seconds = Array.from({ length: CALLS_A_LANE }, (_, step) => index + step * LANES);
  return { way, service, trigger, placing, proxy, seconds };
}

/** Places a call in each of the lane's seconds, when the call before has been heard of. */
async function placeOneByOne(n8n: PreparedN8n, lane: Lane): Promise<void> {
  const left = [...lane.seconds];
  while (left.length > 0) {
    const now = (Date.now() / 1000) % SECONDS;
    const waitFor = (second: number) => (second - now + SECONDS) % SECONDS;
    left.sort((a, b) => waitFor(a) - waitFor(b));
    await delay(waitFor(left.shift() ?? 0) * 1000);
    const before = (await n8n.client.executionSummaries(lane.trigger.id)).length;
    await n8n.client.runManually(lane.placing);
    const until = Date.now() + LONGEST_WAIT_MS;
    const hasFired = async () =>
      (await n8n.client.executionSummaries(lane.trigger.id)).length > before;
    while (Date.now() < until && !(await hasFired())) await delay(1_000);
  }
}

/** From the end of each call to the start of its workflow, in milliseconds. */
async function latenciesOf({ client }: PreparedN8n, lane: Lane): Promise<number[]> {
  const endsAt = new Map(lane.service.seen.calls.map((call) => [call.orderId, call.endsAt]));
  const executions = await client.executions(lane.trigger.id);
  return executions.flatMap((execution) =>
    jsonOf(execution, TRIGGER).map(
      ({ orderId }) => Date.parse(execution.startedAt) - (endsAt.get(Number(orderId)) ?? NaN),
    ),
  );
}

async function measure(n8n: PreparedN8n): Promise<Figure[]> {
  const apiKey = await n8n.client.createApiKey('Latency');
  const lanes: Lane[] = [];
  try {
    for (const way of WAYS) {
      for (let index = 0; index < LANES; index++) {
        lanes.push(await openLane(n8n, { way, index, apiKey }));
      }
    }
    await delay(FIRST_POLL_MS);
    const askedBefore = new Map(lanes.map((lane) => [lane, lane.proxy.count()]));
    const beganAt = Date.now();
    const took = new Map<Lane, number>();
    await Promise.all(
      lanes.map(async (lane) => {
        await placeOneByOne(n8n, lane);
        took.set(lane, (Date.now() - beganAt) / 60_000);
      }),
    );
    const figures = await Promise.all(
      WAYS.map(async (way): Promise<Figure[]> => {
        const own = lanes.filter((lane) => lane.way === way);
        const each = await Promise.all(own.map(async (lane) => await latenciesOf(n8n, lane)));
        const seconds = each.flat().map((ms) => ms / 1000);
        const calls = own.flatMap(({ service }) => service.seen.calls).length;
        if (seconds.length !== calls) throw new Error(`${seconds.length} of ${calls} calls fired`);
        const looks = own.map(
          ({ service }) => service.seen.requests.outcome / service.seen.calls.length,
        );
        const asked = own.map(
          (lane) => (lane.proxy.count() - (askedBefore.get(lane) ?? 0)) / (took.get(lane) ?? NaN),
        );
        return [
          {
            name: `${NAMES[way]}: median of all calls`,
            unit: 's',
            values: seconds,
            aim: { atMost: 5 },
          },
          {
            name: `${NAMES[way]}: longest`,
            unit: 's',
            values: [Math.max(...seconds)],
            aim: { atMost: 12 },
          },
          {
            name: `${NAMES[way]}: requests to the service a call`,
            unit: 'requests',
            values: looks,
          },
          ...(asked.some((requests) => requests > 0)
            ? [
                {
                  name: `${NAMES[way]}: requests to n8n a minute`,
                  unit: 'requests' as const,
                  values: asked,
                },
              ]
            : []),
        ];
      }),
    );
    return figures.flat();
  } finally {
    await Promise.all(
      lanes.map(async ({ service, proxy }) => {
        await service.close();
        await proxy.close();
      }),
    );
  }
}

export const latency: Bench = {
  title: 'From the end of a call to its workflow',
  about:
    'How long after the end of a call its workflow starts. Single calls of 18 to 45 s are placed in every second of the minute, with nothing else open. Triggers poll every minute. Each dot is a call. Six triggers poll, and requests are counted for each of them.',
  measure,
};

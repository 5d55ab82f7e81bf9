import { setTimeout as delay } from 'node:timers/promises';
import { jsonOf, type PreparedN8n, type SavedWorkflow } from '../../scripts/n8n';
import { outcomeWorkflow, placingWorkflow, TRIGGER } from '../n8n/triggerWorkflows';
import { saveCredential } from '../n8n/workflows';
import { startCallingService, type CallingService } from '../service';

const PLACING_MS = 6 * 60_000;
/** The longest call, and then two polls. */
const DRAINING_MS = 200_000;
const CALL_SECONDS = { min: 20, max: 120 };
/** Calls a minute, placed so many at once. */
const LOADS = [
  { perMinute: 5, atOnce: 1 },
  { perMinute: 100, atOnce: 5 },
];

interface Lane {
  label: string;
  service: CallingService;
  trigger: SavedWorkflow;
  placing: SavedWorkflow;
  everyMs: number;
}

/** A service, a credential, a workflow that places calls and one that waits for outcomes. */
async function openLane(
  { client }: PreparedN8n,
  { perMinute, atOnce }: (typeof LOADS)[number],
  fastChecks: boolean,
): Promise<Lane> {
  const label = `${perMinute} calls a minute, fastChecks ${fastChecks ? 'on' : 'off'}`;
  const service = await startCallingService({ callSeconds: CALL_SECONDS, seed: perMinute });
  const calling = await saveCredential(client, service);
  const trigger = outcomeWorkflow(label, calling, { options: { fastChecks } });
  const saved = await client.createWorkflow(trigger);
  await client.publish(saved);
  const placing = await client.createWorkflow(placingWorkflow(atOnce, calling));
  return { label, service, trigger: saved, placing, everyMs: (atOnce * 60_000) / perMinute };
}

async function place({ client }: PreparedN8n, lane: Lane): Promise<void> {
  const until = Date.now() + PLACING_MS;
  while (Date.now() < until) {
    const next = Date.now() + lane.everyMs;
    await client.startManually(lane.placing);
    await delay(Math.max(0, next - Date.now()));
  }
}

/** When the workflow was started for each call, by order id, in milliseconds since 1970. */
async function startsOf({ client }: PreparedN8n, { trigger }: Lane): Promise<Map<number, number>> {
  const starts = new Map<number, number>();
  for (const execution of await client.executions(trigger.id)) {
    for (const { orderId } of jsonOf(execution, TRIGGER)) {
      starts.set(Number(orderId), Date.parse(execution.startedAt));
    }
  }
  return starts;
}

function quantile(sorted: number[], part: number): string {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return value === undefined ? '-' : `${(value / 1000).toFixed(1)} s`;
}

/** How often the interface's own loop would have asked: after 15 seconds, then every 5. */
const advisedLooks = (lastsSec: number) => 1 + Math.max(0, Math.ceil((lastsSec - 15) / 5));

function measured({ label, service }: Lane, starts: Map<number, number>): string[] {
  const { calls, requests } = service.seen;
  const latencies = calls
    .flatMap(({ orderId, endsAt }) => (starts.get(orderId) ?? NaN) - endsAt)
    .filter((latency) => !Number.isNaN(latency))
    .sort((a, b) => a - b);
  const advised = calls.reduce((sum, { outcome }) => sum + advisedLooks(outcome.lastsSec), 0);
  return [
    label,
    `${latencies.length} of ${calls.length}`,
    quantile(latencies, 0.5),
    quantile(latencies, 0.95),
    (requests.outcome / calls.length).toFixed(1),
    (advised / calls.length).toFixed(1),
  ];
}

/**
 * From the end of a call to the start of its workflow, for calls of 20 to 120 seconds and polls
 * every minute; and how many requests each call took, beside the interface's own loop. All lanes
 * run side by side in one n8n.
 */
export async function benchLatency(n8n: PreparedN8n): Promise<string[][]> {
  const lanes: Lane[] = [];
  try {
    for (const load of LOADS) {
      for (const fast of [true, false]) lanes.push(await openLane(n8n, load, fast));
    }
    await Promise.all(lanes.map(async (lane) => await place(n8n, lane)));
    await delay(DRAINING_MS);
    const rows = [['', 'fired', 'median', '95%', 'requests a call', 'advised loop']];
    for (const lane of lanes) rows.push(measured(lane, await startsOf(n8n, lane)));
    return rows;
  } finally {
    await Promise.all(lanes.map(async ({ service }) => await service.close()));
  }
}

import { readFile } from 'node:fs/promises';
import { familyOf, residentBytes, type PreparedN8n, type WorkflowNode } from '../../scripts/n8n';
import { startCountingProxy } from '../n8n/countingProxy';
import { callingNode, saveCredential, workflowOf } from '../n8n/workflows';
import { startCallingService } from '../service';

const ROWS = 100_000;
const ROWS_AT_ONCE = 2_000;
const RUNS = 5;
const LOOK_EVERY_MS = 10;
const CLOCK_TICK_MS = 10;
const LISTED = '+12022000037';

/** Numbers as shops and people write them. */
function spelled(index: number): string {
  const number = String(2_022_000_000 + index * 37);
  if (index % 3 === 1) return `+1${number}`;
  const [area, exchange, line] = [number.slice(0, 3), number.slice(3, 6), number.slice(6)];
  return index % 3 === 2 ? `(${area}) ${exchange}-${line}` : `+1 ${area} ${exchange} ${line}`;
}

async function fill({ client }: PreparedN8n): Promise<string> {
  const tables = client.dataTables(await client.createApiKey('Fill'));
  const { id } = await tables.create('Do not call', [
    { name: 'phone', type: 'string' },
    { name: 'reason', type: 'string' },
    { name: 'until', type: 'date' },
  ]);
  for (let count = 0; count < ROWS; count += ROWS_AT_ONCE) {
    const rows = Array.from({ length: ROWS_AT_ONCE }, (_, index) => ({
      phone: spelled(count + index),
      reason: 'Asked on the telephone',
    }));
    await tables.insertCounted(id, rows);
  }
  return id;
}

/** How long n8n's event loop stood still at most since it was asked last, by n8n's own metrics. */
async function longestBlockMs({ n8n }: PreparedN8n): Promise<number> {
  const metrics = await (await fetch(`${n8n.baseUrl}/metrics`)).text();
  const [, seconds] = /^n8n_nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics) ?? [];
  return Number(seconds) * 1000;
}

/** Processor time that n8n has used since it began, in milliseconds. */
async function processorMs(pids: number[]): Promise<number> {
  let ticks = 0;
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')')).split(' ');
    ticks += Number(fields[12] ?? 0) + Number(fields[13] ?? 0);
  }
  return ticks * CLOCK_TICK_MS;
}

const median = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

interface Measured {
  ms: number[];
  processorMs: number[];
  blockMs: number[];
  peakMb: number[];
}

async function measure(n8n: PreparedN8n, node: WorkflowNode, isSkipped: boolean, into: Measured) {
  const workflow = await n8n.client.createWorkflow(workflowOf('List', [{}], node));
  const family = await familyOf(n8n.n8n.pid);
  const before = await residentBytes(family);
  let peak = before;
  await longestBlockMs(n8n);
  const watch = setInterval(() => {
    void residentBytes(family).then((bytes) => (peak = Math.max(peak, bytes)));
  }, LOOK_EVERY_MS);
  const used = await processorMs(family);
  const execution = await n8n.client.runManually(workflow);
  into.processorMs.push((await processorMs(family)) - used);
  clearInterval(watch);
  const { runData, error } = execution.data.resultData;
  if (error !== undefined) throw error;
  const [run] = runData.Call ?? [];
  const item = run?.data?.main?.[0]?.[0]?.json;
  if ((item?.reason === 'doNotCall') !== isSkipped) throw new Error(JSON.stringify(item));
  into.ms.push(run?.executionTime ?? NaN);
  into.blockMs.push(await longestBlockMs(n8n));
  into.peakMb.push((peak - before) / 2 ** 20);
}

/** One call with a do-not-call list of a hundred thousand rows, beside the same without. */
export async function benchDoNotCall(n8n: PreparedN8n): Promise<string[][]> {
  const service = await startCallingService();
  const counter = await startCountingProxy(n8n.client.baseUrl);
  try {
    const credential = await saveCredential(n8n.client, service, {
      n8nApiKey: await n8n.client.createApiKey('List'),
      n8nApiUrl: `${counter.baseUrl}/api/v1`,
    });
    const id = await fill(n8n);
    const call = (rules: WorkflowNode['parameters']) =>
      callingNode('Call', 'call.trigger', credential, {
        scriptId: 7,
        customerPhone: LISTED,
        rules,
        options: { defaultCountry: 'US' },
      });
    const listed = call({ doNotCallTable: { __rl: true, mode: 'id', value: id } });
    const none = (): Measured => ({ ms: [], processorMs: [], blockMs: [], peakMb: [] });
    const [without, with_, first] = [none(), none(), none()];
    await measure(n8n, call({}), false, none());
    await measure(n8n, listed, true, first);
    let requests = 0;
    for (let round = 0; round < RUNS; round++) {
      await measure(n8n, call({}), false, without);
      const before = counter.count();
      await measure(n8n, listed, true, with_);
      requests = counter.count() - before;
    }
    const row = (label: string, { ms, processorMs, blockMs, peakMb }: Measured) => [
      label,
      `${median(ms)} ms`,
      `${Math.max(...ms)} ms`,
      `${median(processorMs)} ms`,
      `${median(peakMb).toFixed(0)} MB`,
      `${median(blockMs).toFixed(0)} ms`,
    ];
    return [
      [
        'one call',
        'median',
        'longest',
        "n8n's processor time",
        'peak above before',
        'longest block',
      ],
      row('without a list', without),
      row(`list of ${ROWS} rows, first time`, first),
      row(`list of ${ROWS} rows`, with_),
      ['requests to n8n', String(requests), '', '', '', ''],
    ];
  } finally {
    await counter.close();
    await service.close();
  }
}

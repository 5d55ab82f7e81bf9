import { familyOf, residentBytes, type PreparedN8n } from '../../scripts/n8n';

const LOOK_EVERY_MS = 25;

/** A number of n8n's own metrics, which says seconds, in milliseconds. */
async function metricMs(n8n: PreparedN8n, name: string): Promise<number> {
  const metrics = await (await fetch(`${n8n.n8n.baseUrl}/metrics`)).text();
  const [, seconds] = new RegExp(`^n8n_${name} (\\S+)`, 'm').exec(metrics) ?? [];
  return Number(seconds) * 1000;
}

/** How long n8n's event loop stood still at most since it was asked last. */
const longestBlockMs = async (n8n: PreparedN8n) =>
  await metricMs(n8n, 'nodejs_eventloop_lag_max_seconds');
/** Processor time that n8n's main process has had: what it takes where nothing else goes on. */
const processorMs = async (n8n: PreparedN8n) => await metricMs(n8n, 'process_cpu_seconds_total');

/** What n8n's processes needed beside what they have when idle, while something went on. */
export async function watched<T>(
  n8n: PreparedN8n,
  work: () => Promise<T>,
): Promise<{ result: T; peakMb: number; blockMs: number; processorMs: number }> {
  const family = await familyOf(n8n.n8n.pid);
  const idle = await residentBytes(family);
  let peak = idle;
  const before = await processorMs(n8n);
  await longestBlockMs(n8n);
  const watch = setInterval(() => {
    void residentBytes(family).then((bytes) => (peak = Math.max(peak, bytes)));
  }, LOOK_EVERY_MS);
  try {
    const result = await work();
    return {
      result,
      peakMb: (peak - idle) / 2 ** 20,
      blockMs: await longestBlockMs(n8n),
      processorMs: (await processorMs(n8n)) - before,
    };
  } finally {
    clearInterval(watch);
  }
}

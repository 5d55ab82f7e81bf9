import { familyOf, residentBytes, type PreparedN8n } from '../../scripts/n8n';

const LOOK_EVERY_MS = 25;

/** How long n8n's event loop stood still at most since it was asked last, by n8n's own metrics. */
export async function longestBlockMs(n8n: PreparedN8n): Promise<number> {
  const metrics = await (await fetch(`${n8n.n8n.baseUrl}/metrics`)).text();
  const [, seconds] = /^n8n_nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics) ?? [];
  return Number(seconds) * 1000;
}

/** What n8n's processes needed beside what they have when idle, while something went on. */
export async function watched<T>(
  n8n: PreparedN8n,
  work: () => Promise<T>,
): Promise<{ result: T; peakMb: number; blockMs: number }> {
  const family = await familyOf(n8n.n8n.pid);
  const idle = await residentBytes(family);
  let peak = idle;
  await longestBlockMs(n8n);
  const watch = setInterval(() => {
    void residentBytes(family).then((bytes) => (peak = Math.max(peak, bytes)));
  }, LOOK_EVERY_MS);
  try {
    const result = await work();
    return { result, peakMb: (peak - idle) / 2 ** 20, blockMs: await longestBlockMs(n8n) };
  } finally {
    clearInterval(watch);
  }
}

import { readFile } from 'node:fs/promises';
import { familyOf, residentBytes, type PreparedN8n } from '../../scripts/n8n';
import type { Blocks } from './blocks';

const LOOK_EVERY_MS = 25;
const CLOCK_TICK_MS = 10;

/** Processor time that the processes have had, in milliseconds. */
async function processorMs(pids: number[]): Promise<number> {
  let ticks = 0;
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')')).split(' ');
    ticks += Number(fields[12] ?? 0) + Number(fields[13] ?? 0);
  }
  return ticks * CLOCK_TICK_MS;
}

/** What n8n's processes needed while something went on. */
export interface Needs {
  processorMs: number;
  /** Memory beside what they had before. */
  peakMb: number;
  /** How long n8n's event loop stood still at most, of the processor's time. */
  blockMs: number;
}

/** Does something in n8n, and says what its processes needed for it. */
export async function watched<T>(
  { n8n }: PreparedN8n,
  blocks: Blocks,
  work: () => Promise<T>,
): Promise<{ result: T } & Needs> {
  const family = await familyOf(n8n.pid);
  const before = await residentBytes(family);
  let peak = before;
  const usedBefore = await processorMs(family);
  await blocks.forget();
  const watch = setInterval(() => {
    void residentBytes(family).then((bytes) => (peak = Math.max(peak, bytes)));
  }, LOOK_EVERY_MS);
  try {
    const result = await work();
    return {
      result,
      processorMs: (await processorMs(family)) - usedBefore,
      peakMb: (peak - before) / 2 ** 20,
      blockMs: (await blocks.longest()).onProcessorMs,
    };
  } finally {
    clearInterval(watch);
  }
}

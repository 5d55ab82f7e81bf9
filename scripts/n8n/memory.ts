import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

async function field(pid: number | string, name: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

/** The processes that one started, itself included. */
export async function familyOf(pid: number): Promise<number[]> {
  const everybody = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  for (const one of everybody) parents.set(one, await field(one, 'PPid'));
  const isFamily = (one: number): boolean =>
    one === pid || (parents.has(one) && isFamily(parents.get(one) ?? 0));
  return everybody.filter(isFamily);
}

/** Memory that the processes hold, in bytes. */
export async function residentBytes(pids: number[]): Promise<number> {
  const kilobytes = await Promise.all(pids.map(async (pid) => await field(pid, 'VmRSS')));
  return kilobytes.reduce((sum, one) => sum + one, 0) * 1024;
}

/** What n8n's main process holds once all garbage is collected, written down while it runs. */
export class LiveMemory {
  private constructor(private readonly file: string) {}

  /** For an n8n that is not started yet. */
  static async prepare(): Promise<LiveMemory> {
    return new LiveMemory(join(await mkdtemp(join(tmpdir(), 'outbound-memory-')), 'bytes'));
  }

  /** The environment to start n8n with. */
  get env(): Record<string, string> {
    return {
      NODE_OPTIONS: `--require ${join(__dirname, 'live-memory.cjs')}`,
      LIVE_MEMORY_FILE: this.file,
    };
  }

  /** Every measure until now, in bytes, oldest first. */
  async measures(): Promise<number[]> {
    const lines = (await readFile(this.file, 'utf8').catch(() => '')).trim();
    return lines === '' ? [] : lines.split('\n').map(Number);
  }

  async remove(): Promise<void> {
    await rm(dirname(this.file), { recursive: true, force: true });
  }
}

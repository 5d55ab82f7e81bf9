import { readdir, readFile } from 'node:fs/promises';

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

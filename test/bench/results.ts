import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { PROJECT, versionOf } from '../../scripts/n8n';
import type { Figure } from './figure';

/** Where the page and what it shows are kept. */
export const DOCS = join(PROJECT, 'docs');
export const FOLDER = join(DOCS, 'benchmarks');
const FILE = join(FOLDER, 'results.json');

/** One run of a benchmark. */
export interface Result {
  /** What repeats it. */
  command: string;
  /** ISO 8601. */
  measuredAt: string;
  /** How long all of it took, starting n8n included. */
  tookSeconds: number;
  machine: string;
  versions: string;
  figures: Figure[];
}

/** The newest result of each benchmark, by its name. */
export function savedResults(): Record<string, Result> {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Result>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** Keeps the result of a benchmark instead of the one before. */
export async function saveResult(name: string, result: Result): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const results = { ...savedResults(), [name]: result };
  await writeFile(FILE, `${JSON.stringify(results, undefined, 2)}\n`);
}

/** Where the figures were measured. */
export function machine(): string {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB of memory`;
  return `${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${memory}, ${type()} ${release().split('.', 2).join('.')}`;
}

/** What the figures are of. */
export function versions(): string {
  const own = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
    version: string;
  };
  return `version ${own.version} of this package, n8n ${versionOf('reference')} on SQLite, Node.js ${process.version.slice(1)}`;
}

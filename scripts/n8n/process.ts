import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { n8nEnvironment } from './environment';
import { DidNotStart, GuardedProcess } from './guarded';
import { type InstallationOptions, ensureN8n } from './installation';
import { PortTaken, freePort, isFree } from './ports';
import { progressOnStderr, secondsSince } from './progress';

/** n8n's health check answers long before its nodes are loaded; these lines do not. */
const READY = { start: 'Editor is now accessible', worker: 'n8n worker is now ready' };
const PORT_ATTEMPTS = 3;

export interface N8nOptions extends InstallationOptions {
  /** Where n8n keeps its state; a new temporary folder by default. */
  userFolder?: string;
  /** The editor's port; any free one by default. */
  port?: number;
  /** More environment for n8n; wins over what is set here. */
  env?: Record<string, string>;
}

/** An n8n that was started here and is ready for requests. */
export type RunningN8n = GuardedProcess & { baseUrl: string; port: number; userFolder: string };

/**
 * Starts the real n8n and waits until its editor is ready. Give the `userFolder` of one that has
 * ended to start it again with the same state. n8n never outlives the process that started it.
 *
 * @throws PortTaken when the port that was asked for is in use; DidNotStart with the log's end
 */
export async function startN8n(options: N8nOptions = {}): Promise<RunningN8n> {
  if (options.port !== undefined && !(await isFree(options.port))) {
    throw new PortTaken(options.port);
  }
  const userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'n8n-outbound-')));
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce('start', userFolder, options);
    } catch (error) {
      // A port that was free a moment ago may be taken by now: another try gets another one.
      const lostPort = error instanceof DidNotStart && /already in use|EADDRINUSE/.test(error.log);
      if (lostPort && attempt < PORT_ATTEMPTS) continue;
      if (options.userFolder === undefined) await rm(userFolder, { recursive: true, force: true });
      throw error;
    }
  }
}

/**
 * Starts a worker of an n8n in queue mode.
 *
 * @param options the environment of its main process, and the same user folder
 */
export async function startWorker(
  options: N8nOptions & { userFolder: string },
): Promise<RunningN8n> {
  return await startOnce('worker', options.userFolder, options);
}

async function startOnce(
  command: keyof typeof READY,
  userFolder: string,
  options: N8nOptions,
): Promise<RunningN8n> {
  const progress = options.progress ?? progressOnStderr;
  const { nodeBinary, n8nScript } = await ensureN8n(options);
  const release = options.release ?? 'reference';
  const port = options.port ?? (await freePort());
  const brokerPort = await freePort();
  const startedAt = Date.now();
  const n8n = await GuardedProcess.start({
    name: 'n8n',
    program: nodeBinary,
    args: [n8nScript, command],
    cwd: userFolder,
    env: n8nEnvironment({ release, nodeBinary, userFolder, port, brokerPort }, options.env),
    readyWhen: READY[command],
    signal: options.signal,
  });
  progress(
    command === 'start'
      ? `n8n: ready on port ${port} in ${secondsSince(startedAt)}`
      : `n8n: worker ready in ${secondsSince(startedAt)}`,
  );
  return Object.assign(n8n, { baseUrl: `http://127.0.0.1:${port}`, port, userFolder });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastLines } from './command';
import { n8nEnvironment } from './environment';
import { ensureN8n } from './installation';
import { PortTaken, freePort, isFree } from './ports';
import { type StepOptions, progressOnStderr, secondsSince } from './progress';

/** n8n's health check answers long before its nodes are loaded; this line does not. */
const READY = 'Editor is now accessible';
const START_TIMEOUT_MS = 180_000;
const STOP_GRACE_MS = 15_000;
const PORT_ATTEMPTS = 3;

export interface N8nOptions extends StepOptions {
  /** Where n8n keeps its state; a new temporary folder by default. */
  userFolder?: string;
  /** The editor's port; any free one by default. */
  port?: number;
  /** More environment for n8n; wins over what is set here. */
  env?: Record<string, string>;
}

/** An n8n that was started here and is ready for requests. */
export interface RunningN8n {
  readonly baseUrl: string;
  readonly port: number;
  readonly userFolder: string;
  readonly pid: number;
  /** Everything that n8n has written until now. */
  logs(): string;
  /** Ends n8n the way a machine does that shuts down: it may finish what it is doing. */
  stop(): Promise<void>;
  /** Ends n8n the way a power cut does. */
  kill(): Promise<void>;
}

/** n8n ended, or was not ready in time; the message carries the end of its log. */
export class N8nDidNotStart extends Error {
  constructor(
    reason: string,
    readonly log: string,
  ) {
    super(`n8n did not start: ${reason}\n${lastLines(log) || '(it logged nothing)'}`);
    this.name = 'N8nDidNotStart';
  }
}

/**
 * Starts the real n8n and waits until its editor is ready. Give the `userFolder` of one that has
 * ended to start it again with the same state. n8n never outlives the process that started it.
 *
 * @throws PortTaken when the port that was asked for is in use; N8nDidNotStart with the log's end
 */
export async function startN8n(options: N8nOptions = {}): Promise<RunningN8n> {
  if (options.port !== undefined && !(await isFree(options.port))) {
    throw new PortTaken(options.port);
  }
  const userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'n8n-outbound-')));
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(userFolder, options);
    } catch (error) {
      // A port that was free a moment ago may be taken by now: another try gets another one.
      const lostPort =
        error instanceof N8nDidNotStart && /already in use|EADDRINUSE/.test(error.log);
      if (lostPort && attempt < PORT_ATTEMPTS) continue;
      if (options.userFolder === undefined) await rm(userFolder, { recursive: true, force: true });
      throw error;
    }
  }
}

async function startOnce(userFolder: string, options: N8nOptions): Promise<RunningN8n> {
  const progress = options.progress ?? progressOnStderr;
  const { nodeBinary, n8nScript } = await ensureN8n(options);
  const port = options.port ?? (await freePort());
  const brokerPort = await freePort();
  const startedAt = Date.now();

  const child = spawn(
    process.execPath,
    [join(__dirname, 'guardian.mjs'), nodeBinary, n8nScript, 'start'],
    {
      cwd: userFolder,
      env: n8nEnvironment({ nodeBinary, userFolder, port, brokerPort }, options.env),
      detached: true, // a process group of its own, which ends as a whole
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  const n8n = new N8nProcess(child, port, userFolder);
  try {
    await n8n.ready(options.signal);
  } catch (error) {
    await n8n.kill();
    throw error;
  }
  progress(`n8n: ready on port ${port} in ${secondsSince(startedAt)}`);
  return n8n;
}

class N8nProcess implements RunningN8n {
  readonly baseUrl: string;

  readonly pid: number;

  private log = '';

  private ended = false;

  private readonly exited: Promise<void>;

  private readonly listeners = new Set<() => void>();

  constructor(
    child: ChildProcess,
    readonly port: number,
    readonly userFolder: string,
  ) {
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.pid = child.pid ?? 0;
    const collect = (chunk: Buffer) => {
      this.log += chunk.toString();
      this.notify();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.stdin?.on('error', () => {}); // it closes when n8n ends
    this.exited = new Promise((resolve) => {
      const finish = () => {
        this.ended = true;
        this.notify();
        resolve();
      };
      child.once('close', finish);
      child.once('error', (error) => {
        this.log += error.message;
        finish();
      });
    });
  }

  logs(): string {
    return this.log;
  }

  async ready(signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: Error) => {
        clearTimeout(timer);
        this.listeners.delete(look);
        signal?.removeEventListener('abort', look);
        if (error) reject(error);
        else resolve();
      };
      const look = () => {
        if (signal?.aborted) settle(new N8nDidNotStart('it was called off.', this.log));
        else if (this.log.includes(READY)) settle();
        else if (this.ended) settle(new N8nDidNotStart('it ended by itself.', this.log));
      };
      const timer = setTimeout(
        () => settle(new N8nDidNotStart(`not ready in ${START_TIMEOUT_MS / 1000} s.`, this.log)),
        START_TIMEOUT_MS,
      );
      this.listeners.add(look);
      signal?.addEventListener('abort', look);
      look();
    });
  }

  async stop(): Promise<void> {
    const timer = setTimeout(() => this.signal('SIGKILL'), STOP_GRACE_MS);
    this.signal('SIGTERM');
    await this.exited;
    clearTimeout(timer);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }

  /** To the whole group: n8n has children, such as its task runner. */
  private signal(signal: NodeJS.Signals): void {
    if (this.ended || this.pid === 0) return;
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

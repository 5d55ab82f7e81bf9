import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { lastLines } from './command';

const START_TIMEOUT_MS = 180_000;
const STOP_GRACE_MS = 15_000;

/** A program ended, or was not ready in time; the message carries the end of its log. */
export class DidNotStart extends Error {
  constructor(
    name: string,
    reason: string,
    readonly log: string,
  ) {
    super(`${name} did not start: ${reason}\n${lastLines(log) || '(it logged nothing)'}`);
    this.name = 'DidNotStart';
  }
}

export interface GuardedOptions {
  /** What to call it in errors. */
  name: string;
  program: string;
  args: string[];
  cwd: string;
  env?: NodeJS.ProcessEnv;
  /** What it writes when it is ready. */
  readyWhen: string;
  signal?: AbortSignal | undefined;
}

/** A program that runs in the background and never outlives the process that started it. */
export class GuardedProcess {
  readonly pid: number;

  private log = '';

  private ended = false;

  private readonly exited: Promise<void>;

  private readonly listeners = new Set<() => void>();

  private constructor(child: ChildProcess) {
    this.pid = child.pid ?? 0;
    const collect = (chunk: Buffer) => {
      this.log += chunk.toString();
      this.notify();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.stdin?.on('error', () => {}); // it closes when the program ends
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

  /**
   * Starts a program and waits until it is ready.
   *
   * @throws DidNotStart with the log's end
   */
  static async start(options: GuardedOptions): Promise<GuardedProcess> {
    const { program, args, cwd, env } = options;
    const child = spawn(process.execPath, [join(__dirname, 'guardian.mjs'), program, ...args], {
      cwd,
      env,
      detached: true, // a process group of its own, which ends as a whole
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const started = new GuardedProcess(child);
    try {
      await started.ready(options);
    } catch (error) {
      await started.kill();
      throw error;
    }
    return started;
  }

  /** Everything that the program has written until now. */
  logs(): string {
    return this.log;
  }

  /** Ends the program the way a machine does that shuts down: it may finish what it is doing. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.signal('SIGKILL'), STOP_GRACE_MS);
    this.signal('SIGTERM');
    await this.exited;
    clearTimeout(timer);
  }

  /** Ends the program the way a power cut does. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }

  private async ready({ name, readyWhen, signal }: GuardedOptions): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const settle = (reason?: string) => {
        clearTimeout(timer);
        this.listeners.delete(look);
        signal?.removeEventListener('abort', look);
        if (reason === undefined) resolve();
        else reject(new DidNotStart(name, reason, this.log));
      };
      const look = () => {
        if (signal?.aborted) settle('it was called off.');
        else if (this.log.includes(readyWhen)) settle();
        else if (this.ended) settle('it ended by itself.');
      };
      const timer = setTimeout(
        () => settle(`not ready in ${START_TIMEOUT_MS / 1000} s.`),
        START_TIMEOUT_MS,
      );
      this.listeners.add(look);
      signal?.addEventListener('abort', look);
      look();
    });
  }

  /** To the whole group: the program may have children, as n8n has its task runner. */
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

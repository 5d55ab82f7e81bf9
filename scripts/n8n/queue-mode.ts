import { randomBytes } from 'node:crypto';
import { startPostgresql } from './postgresql';
import { PreparedN8n, type PreparedOptions } from './prepared';
import { type RunningN8n, startWorker } from './process';
import { startRedis } from './redis';

type Undo = () => Promise<void>;

/** An n8n in queue mode: a main process, which polls, and workers, which execute workflows. */
export class QueueModeN8n {
  private constructor(
    readonly main: PreparedN8n,
    readonly workers: RunningN8n[],
    private readonly startAnother: () => Promise<RunningN8n>,
    private readonly undos: Undo[],
  ) {}

  /** Starts PostgreSQL, Redis, the main process with this package installed, and the workers. */
  static async start(workerCount: number, options: PreparedOptions = {}): Promise<QueueModeN8n> {
    const undos: Undo[] = [];
    try {
      const postgresql = await startPostgresql();
      undos.unshift(postgresql.stop);
      const redis = await startRedis();
      undos.unshift(redis.stop);
      const env = {
        EXECUTIONS_MODE: 'queue',
        N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
        ...postgresql.env,
        ...redis.env,
        ...options.env,
      };
      const main = await PreparedN8n.start({ ...options, env });
      undos.unshift(async () => await main.stop());
      const { userFolder } = main.n8n;
      const startAnother = async () => await startWorker({ ...options, env, userFolder });
      const workers: RunningN8n[] = [];
      for (let worker = 0; worker < workerCount; worker++) workers.push(await startAnother());
      undos.unshift(async () => {
        await Promise.all(workers.map(async (worker) => await worker.stop()));
      });
      return new QueueModeN8n(main, workers, startAnother, undos);
    } catch (error) {
      await undo(undos);
      throw error;
    }
  }

  /** A power cut for one worker, and another in its place. */
  async killWorker(index: number): Promise<void> {
    await this.workers[index]?.kill();
    this.workers[index] = await this.startAnother();
  }

  /** Ends everything, and removes its state. */
  async stop(): Promise<void> {
    await undo(this.undos);
  }
}

async function undo(undos: Undo[]): Promise<void> {
  for (const one of undos) await one();
}

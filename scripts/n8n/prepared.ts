import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { N8nClient } from './client';
import { ensureN8n } from './installation';
import { N8n1Client } from './n8n-1-client';
import { installPackage } from './package-install';
import { type N8nOptions, type RunningN8n, startN8n } from './process';

export type PreparedOptions = Omit<N8nOptions, 'userFolder'>;

/** An n8n with this package installed, its owner set up and logged in. */
export class PreparedN8n {
  private constructor(
    private running: RunningN8n,
    readonly client: N8nClient,
    private readonly options: PreparedOptions,
  ) {}

  /** Does everything from an empty machine on; each long step tells of itself in a line. */
  static async start(options: PreparedOptions = {}): Promise<PreparedN8n> {
    await ensureN8n(options);
    const userFolder = await mkdtemp(join(tmpdir(), 'n8n-outbound-'));
    let running: RunningN8n | undefined;
    try {
      await installPackage(userFolder, options);
      running = await startN8n({ ...options, userFolder });
      const Client = options.release === 'n8n 1' ? N8n1Client : N8nClient;
      const client = new Client(running.baseUrl);
      await client.setUpOwner();
      return new PreparedN8n(running, client, options);
    } catch (error) {
      await running?.kill();
      await rm(userFolder, { recursive: true, force: true });
      throw error;
    }
  }

  /** The process that runs now; another one after a restart. */
  get n8n(): RunningN8n {
    return this.running;
  }

  /**
   * Starts n8n again with the same state and port, and logs in again.
   *
   * @param how `stop` lets it finish what it is doing; `kill` is a power cut
   */
  async restart(how: 'stop' | 'kill' = 'stop'): Promise<void> {
    await this.running[how]();
    const { userFolder, port } = this.running;
    this.running = await startN8n({ ...this.options, userFolder, port });
    await this.client.logIn();
  }

  /** Ends n8n and removes its state. */
  async stop(): Promise<void> {
    await this.running.stop();
    await rm(this.running.userFolder, { recursive: true, force: true });
  }
}

import type { TableColumn } from '../dataTables/dataTablesOfN8n';
import type { History } from './history';
import { Log } from './log';
import { DO_NOT_CALL, LOG } from './logRows';
import type { ContextOptions } from './n8n/context';
import { Database } from './n8n/database';
import { Credential } from './world/credential';
import { Network } from './world/network';
import type { PackageText } from './world/package';
import { Processes } from './world/processes';
import { Servers } from './world/servers';
import { Teller } from './world/teller';
import { World } from './world/world';

/** More than any history needs, and an order in a large one. */
const MOST_HAPPENINGS = 3_000_000;
const MOST_HAPPENINGS_AN_ORDER = 300;

function mostHappeningsIn({ steps }: History): number {
  const orders = steps.map((step) =>
    'orders' in step ? step.orders.to - step.orders.from + 1 : 0,
  );
  return orders.reduce((sum, many) => sum + many * MOST_HAPPENINGS_AN_ORDER, MOST_HAPPENINGS);
}

/** Where a history goes on: time, n8n with its processes, the servers, and the network between them. */
export class Stage {
  readonly world: World;
  readonly teller: Teller;
  readonly servers: Servers;
  readonly log: Log;
  readonly credential: Credential;
  readonly processes: Processes;
  readonly network: Network;
  readonly database = new Database();

  /** @param tells whether there is a story, which takes room when millions of things happen */
  constructor(
    text: PackageText,
    readonly history: History,
    tells: boolean,
  ) {
    const { seed, begins, isInOrder, skews, faults, latencyMs } = history;
    this.world = new World(seed, Date.parse(begins.at), mostHappeningsIn(history), isInOrder);
    const { world } = this;
    const teller = new Teller(world, tells);
    this.teller = teller;
    this.servers = new Servers(world, history, teller);
    this.log = new Log(this.servers, history);
    this.credential = new Credential(teller);
    this.processes = new Processes({ text, skews, world, teller });
    const servers = {
      tables: this.servers.answerForTables,
      service: this.servers.answerForService,
    };
    this.network = new Network(world, servers, this.processes.current, {
      faults,
      latencyMs,
      kill: (process) => this.processes.kill(process),
      tell: (who, what) => teller.tell(who, what),
    });
  }

  /** Makes the tables that are there when the history begins. */
  createTables(columnsOfLog: TableColumn[]): void {
    const { hasNoLog, settings } = this.history;
    if (hasNoLog !== true) this.servers.createTable(LOG, columnsOfLog);
    if (settings.doNotCall === true) {
      this.servers.createTable(DO_NOT_CALL, [{ name: 'phone', type: 'string' }]);
    }
  }

  /**
   * What n8n's contexts of one execution or trigger have from here.
   *
   * @param key the account of its workflow, when it has one of its own
   */
  contextOf(
    from: { process: number; sender: string },
    key: 0 | 1 | undefined,
  ): Omit<ContextOptions, 'workflow' | 'node' | 'parameters'> {
    return {
      package: this.processes.at(from.process).package,
      timezone: this.history.begins.timezone,
      credential: () => this.credential.with(key),
      credentialId: `${(key ?? 0) + 1}`,
      send: async (request) =>
        await new Promise((resolve, reject) =>
          this.network.send(request, from, { resolve, reject }),
        ),
      log: (level, what) => this.teller.warn(from.sender, level, what),
    };
  }

  /** Nothing befalls anybody from now on. */
  calm(): void {
    this.network.isCalm = true;
    this.servers.calm();
    for (const process of this.processes.current) process.resume();
    this.teller.tell('the world', 'is calm from now on');
  }
}

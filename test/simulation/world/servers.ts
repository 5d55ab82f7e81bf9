import { DataTablesOfN8n, type Cell, type TableColumn } from '../../dataTables/dataTablesOfN8n';
import { numberOf, type DeedOf, type History } from '../history';
import { textOf } from './answerText';
import { statusAnswer, type Server, type ServerAnswer } from './network';
import { WorldService } from './service';
import type { Teller } from './teller';
import type { World } from './world';

/** What is wrong with the servers for a while. */
interface Troubles {
  tablesFail: { until: number };
  /** By how much their answers are late, at most. */
  tablesSlow: { until: number; lateMs: number };
  serviceFails: { until: number; answer: ServerAnswer };
}

/** The servers behind the network: n8n's data tables and the calling service, on good and bad days. */
export class Servers {
  readonly tables: DataTablesOfN8n;
  readonly service: WorldService;
  private troubles: Partial<Troubles> = {};
  private placingMs: number;
  /** How late the rows of the request that is being answered become visible. */
  private commitMs = 0;

  constructor(
    private readonly world: World,
    history: History,
    private readonly teller: Teller,
  ) {
    // Rows are numbered when they are inserted, and seen by others when that is committed; then n8n answers.
    this.tables = new DataTablesOfN8n({
      now: () => world.now,
      database: history.database,
      isIndexed: true,
      visibleAfterMs: () => (this.commitMs = world.random.next() ** 4 * history.visibleAfterMs),
    });
    this.service = new WorldService(world, history);
    this.placingMs = history.placingMs ?? 0;
  }

  /** What answers requests to n8n's API. */
  readonly answerForTables: Server = ({ method, path, query, body }) => {
    if (this.now('tablesFail') !== undefined) {
      return { status: 500, headers: {}, body: { message: 'SQLITE_BUSY' } };
    }
    this.commitMs = 0;
    const slow = this.now('tablesSlow');
    const lateMs = slow === undefined ? 0 : this.world.random.next() * slow.lateMs;
    const asked = { method, path: path.slice('/api/v1'.length), query, body };
    const { status, body: answer } = this.tables.handle(asked);
    return { status, headers: {}, body: textOf(answer), takesMs: this.commitMs + lateMs };
  };

  /** What answers requests to the calling service. */
  readonly answerForService: Server = (request) => {
    const failed = this.now('serviceFails');
    if (failed !== undefined) return failed.answer;
    const before = this.service.rings.length;
    const answer = this.service.handle(request);
    const ring = this.service.rings[before];
    if (ring === undefined) return answer;
    this.teller.tell(ring.sender, `calls ${ring.phone} about ${numberOf(ring.order)}`);
    return { ...answer, heard: () => (ring.isTold = true), takesMs: this.placingMs };
  };

  /** Makes a table as a person does. */
  createTable(name: string, columns: TableColumn[]): void {
    const body = { name, columns };
    this.tables.handle({ method: 'POST', path: '/data-tables', query: {}, body });
  }

  /** Adds a row to a table as a person does, who sees it at once. */
  addRow(name: string, cells: Record<string, Cell>): void {
    const table = this.tables.tables.find((one) => one.name === name);
    if (table !== undefined) this.tables.add(table, [cells]);
  }

  /** The tables have no room for more rows for a while. */
  fillTables({ ms, refusesChanges = false }: DeedOf<'tablesFull'>): void {
    const what = refusesChanges ? 'rows and changes' : 'rows';
    this.teller.tell('n8n', `has no room for ${what} for ${ms / 1000} s`);
    this.tables.mostRows = this.tables.rowCount;
    this.tables.refusesChanges = refusesChanges;
    this.world.after(ms, () => (this.tables.mostRows = Infinity));
  }

  /** n8n's API fails for a while. */
  failTables({ ms }: DeedOf<'tablesFail'>): void {
    this.teller.tell('n8n', `fails for ${ms / 1000} s`);
    this.troubles.tablesFail = { until: this.world.now + ms };
  }

  /** n8n's API is slow for a while. */
  slowTables({ ms, lateMs }: DeedOf<'tablesSlow'>): void {
    this.teller.tell('n8n', `answers up to ${lateMs / 1000} s late for ${ms / 1000} s`);
    this.troubles.tablesSlow = { until: this.world.now + ms, lateMs };
  }

  /** The service gives one answer to everything for a while. */
  failService(deed: DeedOf<'serviceFails'>): void {
    this.teller.tell('the service', `answers with ${deed.status} for ${deed.ms / 1000} s`);
    this.troubles.serviceFails = {
      until: this.world.now + deed.ms,
      answer: statusAnswer(deed),
    };
  }

  /** The service tells another outcome of an order's last call from now on. */
  changeOutcome({ order, label }: DeedOf<'outcomeChanges'>): void {
    this.teller.tell('the service', `now says "${label}" of ${numberOf(order)}`);
    this.service.changeOutcome(order, label);
  }

  /** Nothing is wrong with them any more. */
  calm(): void {
    this.troubles = {};
    this.placingMs = 0;
    this.tables.mostRows = Infinity;
  }

  private now<Name extends keyof Troubles>(name: Name): Partial<Troubles>[Name] {
    const trouble = this.troubles[name];
    return trouble !== undefined && this.world.now < trouble.until ? trouble : undefined;
  }
}

import type { IDataObject } from 'n8n-workflow';
import type { Condition } from '../dataTables/condition';
import type { Cell } from '../dataTables/dataTablesOfN8n';
import { numberOf, type History } from './history';
import { LOG, logRows, type LogRow } from './logRows';
import type { Servers } from './world/servers';

type Cells = Record<string, Cell>;

/** The call log among n8n's data tables, as a person finds and changes it there. */
export class Log {
  private name = LOG;

  constructor(
    private readonly servers: Servers,
    private readonly history: History,
  ) {}

  /** The rows that a person can see now. */
  rows(): LogRow[] {
    return logRows(this.servers.tables, this.name);
  }

  /** What workflows say of it: its name, or its id when a person has chosen it from the list. */
  get choice(): IDataObject {
    return this.history.isLogFromList === true
      ? { __rl: true, mode: 'list', value: this.servers.tables.idOf(this.name) }
      : { __rl: true, mode: 'name', value: LOG };
  }

  /** The cell by which a person finds the rows of an order. */
  cellOf(order: number): Cells {
    const { hasNoNumbers } = this.history.settings;
    return { [hasNoNumbers === true ? 'customerName' : 'orderNumber']: numberOf(order) };
  }

  /** Gives it another name. */
  rename(name: string): void {
    this.servers.tables.rename(this.name, name);
    this.name = name;
  }

  /** Writes cells into the rows that have others. Returns into how many. */
  update(having: Cells, data: IDataObject): number {
    const { body } = this.servers.tables.handle({
      method: 'PATCH',
      path: `${this.path}/update`,
      query: {},
      body: { filter: { type: 'and', filters: conditions(having) }, data, returnData: true },
    });
    return Array.isArray(body) ? body.length : 0;
  }

  /** Adds a copy of the first row of an order. Returns whether there is one. */
  copyRow(order: number): boolean {
    const [[column, value] = ['']] = Object.entries(this.cellOf(order));
    const row = this.servers.tables.rowsOf(this.name).find((one) => one[column] === value);
    if (row !== undefined) this.servers.addRow(this.name, row);
    return row !== undefined;
  }

  /** Deletes the rows that have cells. */
  delete(having: Cells): void {
    this.deleteWhere(conditions(having));
  }

  /** Deletes all rows. */
  empty(): void {
    this.deleteWhere([{ columnName: 'id', condition: 'gte', value: 0 }]);
  }

  private deleteWhere(filters: Condition[]): void {
    const query = { filter: JSON.stringify({ type: 'and', filters }) };
    const path = `${this.path}/delete`;
    this.servers.tables.handle({ method: 'DELETE', path, query, body: undefined });
  }

  private get path(): string {
    return `/data-tables/${this.servers.tables.idOf(this.name)}/rows`;
  }
}

const conditions = (having: Cells): Condition[] =>
  Object.entries(having).map(([columnName, value]) => ({ columnName, condition: 'eq', value }));

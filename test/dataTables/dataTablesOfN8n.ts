import { inOrder, matcherOf, type Cell, type Filter, type TableRow } from './condition';

export type { Cell, Filter, TableRow } from './condition';

export interface TableColumn {
  name: string;
  type: string;
}

/** One request to n8n's public API; the path begins after `/api/v1`. */
export interface ApiRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
}

export interface ApiAnswer {
  status: number;
  body: unknown;
}

export interface Table {
  id: string;
  name: string;
  columns: TableColumn[];
  /** Another row stands in the place of one that was changed: answers give rows as they were. */
  rows: TableRow[];
  /** Older versions of n8n do not note changes of rows. */
  updatedAt?: string;
}

/** What the database knows of a table beside its rows. */
interface Numbering {
  nextId: number;
  /** When rows become visible that are not yet, by their ids. */
  hidden: Map<number, number>;
}

export interface DataTablesOptions {
  /** Milliseconds since 1970. */
  now?: () => number;
  /**
   * How long rows stay unseen after the database has numbered them: rows of several processes become visible out of order.
   */
  visibleAfterMs?: () => number;
  /**
   * SQLite gives the id of a deleted last row to the next one, and sorts empty cells first; PostgreSQL does
   * neither.
   */
  database?: 'sqlite' | 'postgres';
  /** All tables together hold at most this many rows. */
  mostRows?: number;
  /** The first id of a table that the API makes is this, with a number. */
  idPrefix?: string;
}

/** So many filters are kept ready: readers ask for the same again and again. */
const FILTERS_KEPT = 1_000;
const filters = new Map<string, (row: TableRow) => boolean>();

/** Columns that n8n gives every table. */
const SYSTEM_COLUMNS = new Set(['id', 'createdAt', 'updatedAt', 'dryRunState']);

const refuse = (status: number, message: string): ApiAnswer => ({ status, body: { message } });
const give = (body: unknown, status = 200): ApiAnswer => ({ status, body });

function matcherIn(text: string | undefined): (row: TableRow) => boolean {
  if (text === undefined) return () => true;
  const known = filters.get(text) ?? matcherOf(JSON.parse(text) as Filter);
  if (filters.size >= FILTERS_KEPT) filters.clear();
  filters.set(text, known);
  return known;
}

/**
 * The data tables of n8n's public API, in memory: a request in, its answer out.
 * `test/n8n/dataTablesOfN8n.long.test.ts` compares its answers with those of the real n8n.
 */
export class DataTablesOfN8n {
  /** May be changed at any time, as a person, another project or a restore does. */
  readonly tables: Table[] = [];
  /** At most this many rows; may be changed at any time. */
  mostRows: number;
  /** Entries that a page has at most. */
  largestPage = 250;
  /** Whether this n8n says of a dry run that it was one; older ones do not. */
  saysDryRuns = true;
  private tablesMade = 0;
  private readonly numberings = new WeakMap<Table, Numbering>();
  private readonly now: () => number;
  private readonly visibleAfterMs: () => number;
  private readonly idPrefix: string;
  private readonly database: 'sqlite' | 'postgres';

  constructor(options: DataTablesOptions = {}) {
    this.now = options.now ?? (() => Date.now());
    this.visibleAfterMs = options.visibleAfterMs ?? (() => 0);
    this.mostRows = options.mostRows ?? Infinity;
    this.idPrefix = options.idPrefix ?? 'table';
    this.database = options.database ?? 'sqlite';
  }

  /** Answers a request; its changes are made in one step. */
  handle({ method, path, query, body }: ApiRequest): ApiAnswer {
    const [, collection, id, ...rest] = path.split('/');
    if (collection !== 'data-tables') return refuse(404, 'not found');
    if (id === undefined) {
      if (method === 'GET') return this.list(query);
      return this.create(body as { name: string; columns: TableColumn[] });
    }
    const table = this.tables.find((one) => one.id === id);
    if (table === undefined) return refuse(404, `Could not find the data table: '${id}'`);
    switch (`${method} ${rest.join('/')}`) {
      case 'POST columns':
        return this.addColumn(table, body as TableColumn);
      case 'GET rows':
        return this.read(table, query);
      case 'POST rows':
        return this.insert(table, (body as { data: Array<Record<string, Cell>> }).data);
      case 'PATCH rows/update':
        return this.update(table, body as Parameters<DataTablesOfN8n['update']>[1]);
      case 'DELETE rows/delete':
        return this.delete(table, query);
      default:
        return refuse(404, 'not found');
    }
  }

  /** The rows of a table as a person sees them in n8n. */
  rowsOf(name: string): TableRow[] {
    const table = this.tables.find((one) => one.name === name);
    return table === undefined ? [] : this.visible(table);
  }

  idOf(name: string): string | undefined {
    return this.tables.find((one) => one.name === name)?.id;
  }

  get names(): string[] {
    return this.tables.map(({ name }) => name);
  }

  /** As a person does in n8n. */
  rename(name: string, to: string): void {
    for (const table of this.tables) if (table.name === name) table.name = to;
  }

  reset(): void {
    this.tables.length = 0;
  }

  private list({ limit, cursor }: Record<string, string>): ApiAnswer {
    const shown = this.tables.map(({ id, name, columns, updatedAt }) => ({
      id,
      name,
      columns,
      updatedAt,
    }));
    return give(pageOf(shown, { limit, cursor }, this.largestPage));
  }

  private create({ name, columns }: { name: string; columns: TableColumn[] }): ApiAnswer {
    if (this.tables.some((table) => table.name === name)) {
      return refuse(409, `Data table with name '${name}' already exists in this project`);
    }
    const own = columns.find(({ name: column }) => SYSTEM_COLUMNS.has(column));
    if (own !== undefined) return refuse(400, `Column name '${own.name}' is reserved`);
    const table: Table = {
      id: `${this.idPrefix}${this.tablesMade++}`,
      name,
      columns: [...columns],
      rows: [],
      updatedAt: this.stamp(),
    };
    this.tables.push(table);
    return give({ id: table.id, name, columns, updatedAt: table.updatedAt }, 201);
  }

  private addColumn(table: Table, column: TableColumn): ApiAnswer {
    if (table.columns.some(({ name }) => name === column.name)) {
      return refuse(409, `Data table column with name '${column.name}' already exists`);
    }
    table.columns.push(column);
    return give(column, 201);
  }

  private read(table: Table, query: Record<string, string>): ApiAnswer {
    const found = this.visible(table).filter(matcherIn(query.filter));
    const sorted = inOrder(found, query.sortBy ?? 'id:asc', this.database === 'sqlite');
    return give(pageOf(sorted, query, this.largestPage));
  }

  private insert(table: Table, data: Array<Record<string, Cell>>): ApiAnswer {
    const unknown = data.map((given) => unknownColumn(table, given)).find(Boolean);
    if (unknown !== undefined) return unknown;
    const rows = this.tables.reduce((sum, one) => sum + one.rows.length, 0);
    if (rows + data.length > this.mostRows) {
      return refuse(400, 'Data table size limit exceeded: 200MB used, limit is 200MB');
    }
    const cells = data.map((given) => {
      const row: Record<string, Cell> = {};
      for (const { name } of table.columns) row[name] = given[name] ?? null;
      return row;
    });
    this.add(table, cells, this.visibleAfterMs());
    return give({ success: true, insertedRows: data.length });
  }

  /** Adds rows as the database does: it numbers them. */
  add(table: Table, rows: Array<Record<string, Cell>>, visibleAfterMs = 0): void {
    const now = this.stamp();
    const numbering = this.numberingOf(table);
    for (const cells of rows) {
      const id = this.nextIdOf(table, numbering);
      table.rows.push({ ...cells, id, createdAt: now, updatedAt: now } as TableRow);
      if (visibleAfterMs > 0) numbering.hidden.set(id, this.now() + visibleAfterMs);
    }
    table.updatedAt = now;
  }

  private update(
    table: Table,
    {
      filter,
      data,
      returnData,
      dryRun,
    }: { filter: Filter; data: Record<string, Cell>; returnData?: boolean; dryRun?: boolean },
  ): ApiAnswer {
    const unknown = unknownColumn(table, data);
    if (unknown !== undefined) return unknown;
    const found = this.visible(table).filter(matcherOf(filter));
    if (dryRun === true) {
      if (!this.saysDryRuns) return give(found.map((row) => ({ ...row, ...data })));
      return give(
        found.flatMap((row) => [
          { ...row, dryRunState: 'before' },
          { ...row, ...data, dryRunState: 'after' },
        ]),
      );
    }
    const now = this.stamp();
    const changed = new Map(found.map((row) => [row, { ...row, ...data, updatedAt: now }]));
    if (found.length > 0) {
      table.rows = table.rows.map((row) => changed.get(row) ?? row);
      table.updatedAt = now;
    }
    return give(returnData === true ? [...changed.values()] : true);
  }

  private delete(table: Table, { filter, dryRun, returnData }: Record<string, string>): ApiAnswer {
    const found = new Set(this.visible(table).filter(matcherIn(filter)));
    if (dryRun === 'true') {
      const none = Object.fromEntries(table.columns.map(({ name }) => [name, null]));
      return give(
        [...found].flatMap((row) => [
          { ...row, dryRunState: 'before' },
          { ...none, id: null, createdAt: null, updatedAt: null, dryRunState: 'after' },
        ]),
      );
    }
    table.rows = table.rows.filter((row) => !found.has(row));
    if (found.size > 0) table.updatedAt = this.stamp();
    return give(returnData === 'true' ? [...found] : true);
  }

  private visible(table: Table): TableRow[] {
    const { hidden } = this.numberingOf(table);
    if (hidden.size === 0) return table.rows;
    const now = this.now();
    for (const [id, at] of hidden) if (at <= now) hidden.delete(id);
    return hidden.size === 0 ? table.rows : table.rows.filter(({ id }) => !hidden.has(id));
  }

  private nextIdOf({ rows }: Table, numbering: Numbering): number {
    if (this.database === 'sqlite') return (rows.at(-1)?.id ?? 0) + 1;
    return numbering.nextId++;
  }

  private numberingOf(table: Table): Numbering {
    let numbering = this.numberings.get(table);
    if (numbering === undefined) {
      const newest = Math.max(0, ...table.rows.map(({ id }) => id));
      numbering = { nextId: newest + 1, hidden: new Map() };
      this.numberings.set(table, numbering);
    }
    return numbering;
  }

  private stamp(): string {
    return new Date(this.now()).toISOString();
  }
}

function unknownColumn({ columns }: Table, given: Record<string, Cell>): ApiAnswer | undefined {
  const unknown = Object.keys(given).find((key) => !columns.some(({ name }) => name === key));
  if (unknown === undefined) return undefined;
  return refuse(400, `Validation error with data table request: unknown column name '${unknown}'`);
}

/** A page of a list, and what leads to the next. */
function pageOf<T>(
  all: T[],
  { limit, cursor }: Record<string, string | undefined>,
  largest: number,
) {
  const size = Math.min(Number(limit ?? 100), largest);
  const from = cursor === undefined ? 0 : offsetIn(cursor);
  const end = from + size;
  return {
    data: all.slice(from, end),
    nextCursor: end < all.length ? cursorTo({ limit: size, offset: end }) : null,
  };
}

const cursorTo = (page: { limit: number; offset: number }): string =>
  Buffer.from(JSON.stringify(page)).toString('base64');

const offsetIn = (cursor: string): number =>
  (JSON.parse(Buffer.from(cursor, 'base64').toString()) as { offset: number }).offset;

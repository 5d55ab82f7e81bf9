import { inOrder, matcherOf, type Cell, type Filter, type TableRow } from './condition';
import { TableIndex } from './tableIndex';

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
  /** The project of the user whose key made it when it is left out. */
  projectId?: string;
  /** Older versions of n8n do not note changes of rows. */
  updatedAt?: string;
}

interface NewTable {
  name: string;
  columns: TableColumn[];
  projectId?: string;
}

/** The id of the project that a user has alone. */
const PERSONAL = 'personal';

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
  /** Whether tables that the API makes answer quickly, however large: their rows are changed through the API alone. */
  isIndexed?: boolean;
}

interface ReadFilter {
  filter: Filter;
  matches: (row: TableRow) => boolean;
}

/** So many filters are kept ready: readers ask for the same again and again. */
const FILTERS_KEPT = 1_000;
const filters = new Map<string, ReadFilter>();

/** Columns that n8n gives every table. */
const SYSTEM_COLUMNS = new Set(['id', 'createdAt', 'updatedAt', 'dryRunState']);

const refuse = (status: number, message: string): ApiAnswer => ({ status, body: { message } });
const full = (): ApiAnswer =>
  refuse(400, 'Data table size limit exceeded: 200MB used, limit is 200MB');
const give = (body: unknown, status = 200): ApiAnswer => ({ status, body });

const read = (filter: Filter): ReadFilter => ({ filter, matches: matcherOf(filter) });

const EVERY_ROW = read({ type: 'and', filters: [] });

function filterIn(text: string | undefined): ReadFilter {
  if (text === undefined) return EVERY_ROW;
  const known = filters.get(text) ?? read(JSON.parse(text) as Filter);
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
  /** Whether tables that are full refuse changes, too, and dry runs of them, as n8n's do. */
  refusesChanges = true;
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
  private readonly isIndexed: boolean;
  private readonly indexes = new WeakMap<Table, TableIndex>();

  constructor(options: DataTablesOptions = {}) {
    this.now = options.now ?? (() => Date.now());
    this.visibleAfterMs = options.visibleAfterMs ?? (() => 0);
    this.mostRows = options.mostRows ?? Infinity;
    this.idPrefix = options.idPrefix ?? 'table';
    this.database = options.database ?? 'sqlite';
    this.isIndexed = options.isIndexed ?? false;
  }

  /** Answers a request; its changes are made in one step. */
  handle({ method, path, query, body }: ApiRequest): ApiAnswer {
    const [, collection, id, ...rest] = path.split('/');
    if (collection !== 'data-tables') return refuse(404, 'not found');
    if (id === undefined) {
      if (method === 'GET') return this.list(query);
      return this.create(body as NewTable);
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
    if (table === undefined) return [];
    const hidden = this.hiddenIn(table);
    return hidden.size === 0 ? table.rows : table.rows.filter(({ id }) => !hidden.has(id));
  }

  /** How many rows all tables hold together. */
  get rowCount(): number {
    const counts = this.tables.map((table) => (this.indexes.get(table) ?? table.rows).length);
    return counts.reduce((sum, count) => sum + count, 0);
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
    const shown = this.tables.map(({ id, name, columns, updatedAt, projectId = PERSONAL }) => ({
      id,
      name,
      columns,
      updatedAt,
      projectId,
    }));
    return give(pageOf(shown, pageIn({ limit, cursor }, this.largestPage)));
  }

  private create({ name, columns, projectId = PERSONAL }: NewTable): ApiAnswer {
    const isThere = ({ name: other, projectId: itsProject = PERSONAL }: Table) =>
      other === name && itsProject === projectId;
    if (this.tables.some(isThere)) {
      return refuse(409, `Data table with name '${name}' already exists in this project`);
    }
    const own = columns.find(({ name: column }) => SYSTEM_COLUMNS.has(column));
    if (own !== undefined) return refuse(400, `Column name '${own.name}' is reserved`);
    const table: Table = {
      id: `${this.idPrefix}${this.tablesMade++}`,
      name,
      columns: [...columns],
      rows: [],
      projectId,
      updatedAt: this.stamp(),
    };
    if (this.isIndexed) {
      const index = new TableIndex(this.database === 'sqlite');
      this.indexes.set(table, index);
      Object.defineProperty(table, 'rows', { get: () => index.rows });
    }
    this.tables.push(table);
    return give({ id: table.id, name, columns, projectId, updatedAt: table.updatedAt }, 201);
  }

  private addColumn(table: Table, column: TableColumn): ApiAnswer {
    if (table.columns.some(({ name }) => name === column.name)) {
      return refuse(409, `Data table column with name '${column.name}' already exists`);
    }
    table.columns.push(column);
    return give(column, 201);
  }

  private read(table: Table, query: Record<string, string>): ApiAnswer {
    const page = pageIn(query, this.largestPage);
    const { filter, sortBy = 'id:asc' } = query;
    // One row more says that there is a next page.
    return give(pageOf(this.find(table, filterIn(filter), { sortBy, most: page.end + 1 }), page));
  }

  private insert(table: Table, data: Array<Record<string, Cell>>): ApiAnswer {
    const unknown = data.map((given) => unknownColumn(table, given)).find(Boolean);
    if (unknown !== undefined) return unknown;
    if (this.rowCount + data.length > this.mostRows) return full();
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
      const row = { ...cells, id, createdAt: now, updatedAt: now } as TableRow;
      const index = this.indexes.get(table);
      if (index === undefined) table.rows.push(row);
      else index.add(row);
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
    if (this.refusesChanges && this.rowCount >= this.mostRows) return full();
    const found = this.find(table, read(filter));
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
    const index = this.indexes.get(table);
    if (index !== undefined) for (const [row, by] of changed) index.replace(row, by);
    else if (found.length > 0) table.rows = table.rows.map((row) => changed.get(row) ?? row);
    if (found.length > 0) table.updatedAt = now;
    return give(returnData === true ? [...changed.values()] : true);
  }

  private delete(table: Table, { filter, dryRun, returnData }: Record<string, string>): ApiAnswer {
    const found = new Set(this.find(table, filterIn(filter)));
    if (dryRun === 'true') {
      const none = Object.fromEntries(table.columns.map(({ name }) => [name, null]));
      return give(
        [...found].flatMap((row) => [
          { ...row, dryRunState: 'before' },
          { ...none, id: null, createdAt: null, updatedAt: null, dryRunState: 'after' },
        ]),
      );
    }
    const index = this.indexes.get(table);
    if (index !== undefined) for (const row of found) index.remove(row);
    else table.rows = table.rows.filter((row) => !found.has(row));
    if (found.size > 0) table.updatedAt = this.stamp();
    return give(returnData === 'true' ? [...found] : true);
  }

  /** The rows that can be seen and for which a filter holds; all those of a page, and one more, in its order. */
  private find(
    table: Table,
    { filter, matches }: ReadFilter,
    page?: { sortBy: string; most: number },
  ): TableRow[] {
    const hidden = this.hiddenIn(table);
    const isFound =
      hidden.size === 0 ? matches : (row: TableRow) => !hidden.has(row.id) && matches(row);
    const index = this.indexes.get(table);
    if (index !== undefined) {
      const { sortBy, most } = page ?? { sortBy: 'id:asc', most: Infinity };
      return index.find({ filter, matches: isFound, sortBy, most });
    }
    const found = table.rows.filter(isFound);
    return page === undefined ? found : inOrder(found, page.sortBy, this.database === 'sqlite');
  }

  private hiddenIn(table: Table): Numbering['hidden'] {
    const { hidden } = this.numberingOf(table);
    const now = this.now();
    for (const [id, at] of hidden) if (at <= now) hidden.delete(id);
    return hidden;
  }

  private nextIdOf(table: Table, numbering: Numbering): number {
    if (this.database === 'postgres') return numbering.nextId++;
    const index = this.indexes.get(table);
    const newest = index === undefined ? table.rows.at(-1) : index.newest;
    return (newest?.id ?? 0) + 1;
  }

  private numberingOf(table: Table): Numbering {
    let numbering = this.numberings.get(table);
    if (numbering === undefined) {
      const newest = table.rows.reduce((most, { id }) => Math.max(most, id), 0);
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

interface Page {
  size: number;
  from: number;
  end: number;
}

function pageIn({ limit, cursor }: Record<string, string | undefined>, largest: number): Page {
  const size = Math.min(Number(limit ?? 100), largest);
  const from = cursor === undefined ? 0 : offsetIn(cursor);
  return { size, from, end: from + size };
}

/** A page of a list, and what leads to the next. */
function pageOf<T>(all: T[], { size, from, end }: Page) {
  return {
    data: all.slice(from, end),
    nextCursor: end < all.length ? cursorTo({ limit: size, offset: end }) : null,
  };
}

const cursorTo = (page: { limit: number; offset: number }): string =>
  Buffer.from(JSON.stringify(page)).toString('base64');

const offsetIn = (cursor: string): number =>
  (JSON.parse(Buffer.from(cursor, 'base64').toString()) as { offset: number }).offset;

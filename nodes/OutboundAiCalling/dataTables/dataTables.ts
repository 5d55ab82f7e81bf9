import { offsetAt } from '../clocks';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { secretsOf } from '../service/account';
import type { Answer } from '../http/exchange';
import { sendWithRetries, type Repeat } from '../http/retry';
import { defined, isRecord, textOf } from '../http/json';
import { withoutSecrets } from '../http/redaction';
import {
  sendWithCredential,
  uncancelled,
  type AuthenticatedHttp,
  type Send,
} from '../http/transport';
import { isTooLong, undefinedIf } from './dataTableError';
import { errorOfAnswer } from './errorOfAnswer';
import { rememberInstanceUrl } from './instanceUrl';
import { N8N_KEY_HEADER, readN8nApi, type Scope } from './n8nApi';

export interface Column {
  name: string;
  type: 'string' | 'number' | 'boolean' | 'date';
}

export interface DataTable {
  id: string;
  name: string;
  columns: Column[];
  /** Whoever sees one table of a project sees all of them. */
  projectId?: string;
  /** When n8n last changed the table (ISO 8601); in newer versions, also its rows. */
  updatedAt?: string;
}

/** A row as n8n gives it; dates are ISO 8601. */
export type Row = IDataObject & { id: number };

export interface Condition {
  columnName: string;
  condition: 'eq' | 'neq' | 'like' | 'ilike' | 'gt' | 'gte' | 'lt' | 'lte';
  value: string | number | null;
}

/** Rows for which all conditions hold (`and`), or at least one (`or`). */
export interface Filter {
  type: 'and' | 'or';
  filters: Condition[];
}

export function where(...filters: Condition[]): Filter {
  return { type: 'and', filters };
}

export function holds(
  columnName: string,
  condition: Condition['condition'],
  value: Condition['value'],
): Condition {
  return { columnName, condition, value };
}

export function equals(cells: Record<string, unknown>): Condition[] {
  return Object.entries(cells).map(([name, value]) =>
    holds(name, 'eq', (value ?? null) as Condition['value']),
  );
}

/** The part of n8n's contexts that reaches its public API with a credential. */
export interface DataTablesContext extends AuthenticatedHttp {
  getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
  /** The address that n8n has for itself. */
  getInstanceBaseUrl(): string;
  getTimezone(): string;
}

/** What to write; a function draws it for each try. */
type Drawn = IDataObject | (() => IDataObject);

interface Asked {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  qs?: IDataObject;
  body?: Drawn;
  scope: Scope;
  /** Whether a body says that n8n has done it. Nobody knows what became of a request whose answer does not. */
  isExpected: (body: unknown) => boolean;
  /** Whether it may be sent again after a fault, because doing it twice does no harm; by default, it may. */
  idempotent?: boolean;
}

export const isPage = (body: unknown): boolean => isRecord(body) && Array.isArray(body.data);
/** Whether a body describes what n8n has made. */
const isMade = (body: unknown): boolean => isRecord(body) && textOf(body.name) !== null;
/** Whether a body says that rows were changed or deleted; it has them when they were asked for. */
const isDone = (body: unknown): boolean => body === true || Array.isArray(body);

/** n8n gives at most this many entries a page. */
export const LARGEST_PAGE = 250;
const TIMEOUT_MS = 20_000;
const FIRST_PAUSE_MS = 250;
/** n8n is near: compressing many rows takes longer than sending them uncompressed. */
const HEADERS = { [N8N_KEY_HEADER]: '', 'Accept-Encoding': 'identity' };

/** n8n's data tables through its public API. Every method throws {@link DataTableError} only. */
export class DataTables {
  private constructor(
    private readonly send: Send,
    readonly address: string,
    private readonly secrets: readonly string[],
    /** The time zone of the workflow that works with them. */
    readonly timezone: string,
  ) {}

  /** Opens n8n's half of the `outboundAiCallingApi` credential. */
  static async open(context: DataTablesContext): Promise<DataTables> {
    const data = await context.getCredentials('outboundAiCallingApi');
    const { address } = readN8nApi(data, rememberInstanceUrl(context.getInstanceBaseUrl()));
    // A cancelled execution must still write what became of its calls.
    // Rows are not redacted: a part of a phone number may look like a short key.
    const send = sendWithCredential(uncancelled(context), data, []);
    // A workflow may name a time zone that nobody knows, such as `DEFAULT`.
    const named = context.getTimezone();
    const timezone = Number.isNaN(offsetAt(Date.now(), named)) ? 'UTC' : named;
    return new DataTables(send, address, secretsOf(data), timezone);
  }

  /** One page of the tables that the key may see; its `next` is the cursor of the page after it. */
  async page(cursor: string | undefined) {
    // Changes of rows move no table to another page.
    const qs = { limit: LARGEST_PAGE, sortBy: 'createdAt:asc' };
    return await this.pageOf<DataTable>({ path: '', qs, scope: 'dataTable:list' }, cursor);
  }

  private async pageOf<Entry>(
    { path, qs, scope }: Pick<Asked, 'path' | 'qs' | 'scope'>,
    cursor: string | undefined,
  ): Promise<{ entries: Entry[]; next: string | undefined }> {
    const query = cursor === undefined ? qs : { ...qs, cursor };
    const asked = { method: 'GET', path, qs: query, scope, isExpected: isPage } as const;
    const body = await this.ask(asked);
    const { data, nextCursor } = body as { data: Entry[]; nextCursor?: string | null };
    return { entries: data, next: nextCursor ?? undefined };
  }

  async find(isWanted: (table: DataTable) => boolean): Promise<DataTable | undefined> {
    let cursor: string | undefined;
    do {
      const { entries, next } = await this.page(cursor);
      const found = entries.find(isWanted);
      if (found !== undefined) return found;
      cursor = next;
    } while (cursor !== undefined);
    return undefined;
  }

  /**
   * Makes a table. When two processes make it at once, both get the same one.
   *
   * @param projectId that of the user to whom the key belongs when it is left out
   */
  async create(name: string, columns: Column[], projectId?: string): Promise<DataTable> {
    return await this.ask({
      method: 'POST',
      path: '',
      body: { name, columns, ...defined({ projectId }) },
      scope: 'dataTable:create',
      isExpected: isMade,
      idempotent: false,
    }).then(
      (created) => ({ ...(created as object), columns }) as DataTable,
      async (error: unknown) => {
        const isOfProject = (table: DataTable) =>
          projectId === undefined || table.projectId === projectId;
        const other = await this.find((table) => table.name === name && isOfProject(table));
        if (other === undefined) throw error;
        return other;
      },
    );
  }

  /** Adds a column. A column that another process has added counts as added. */
  async addColumn(tableId: string, column: Column): Promise<void> {
    await this.ask({
      method: 'POST',
      path: `/${tableId}/columns`,
      body: { ...column },
      scope: 'dataTableColumn:create',
      isExpected: isMade,
      idempotent: false,
    }).catch(async (error: unknown) => {
      const table = await this.find(({ id }) => id === tableId);
      const isThere = table?.columns.some(({ name }) => name === column.name) === true;
      if (!isThere) throw error;
    });
  }

  /**
   * Inserts rows. After a fault nobody knows whether they were inserted, and they are inserted
   * again. Readers must therefore recognize a row that is there twice.
   *
   * @returns whether an earlier try may have inserted them too
   */
  async insert(tableId: string, rows: IDataObject[]): Promise<boolean> {
    if (rows.length === 0) return false;
    let tries = 0;
    // Asks for the count only: to return ids, n8n inserts rows one by one.
    const body = { data: rows.map(storable), returnType: 'count' };
    await this.ask({
      method: 'POST',
      path: `/${tableId}/rows`,
      body: () => {
        tries++;
        return body;
      },
      scope: 'dataTableRow:create',
      isExpected: (answer) => isRecord(answer) && answer.insertedRows === rows.length,
    });
    return tries > 1;
  }

  /** Reads rows. In the order of ids, rows whose texts are too long for one answer come in several. */
  async rows(tableId: string, filter: Filter, page: RowPage): Promise<Row[]> {
    return await this.rowsAtOnce(tableId, filter, page).catch(async (error: unknown) => {
      const condition = ID_AFTER.get(page.sortBy);
      const mayBeParted = filter.type === 'and' && condition !== undefined && page.limit > 1;
      if (!isTooLong(error) || !mayBeParted) throw error;
      const limit = Math.ceil(page.limit / 2);
      const half = await this.rows(tableId, filter, { ...page, limit });
      const last = half.at(-1);
      if (half.length < limit || last === undefined) return half;
      const others = where(...filter.filters, holds('id', condition, last.id));
      const rest = await this.rows(tableId, others, { ...page, limit: page.limit - limit });
      return [...half, ...rest];
    });
  }

  private async rowsAtOnce(
    tableId: string,
    filter: Filter,
    { sortBy, limit }: RowPage,
  ): Promise<Row[]> {
    const qs = { filter: JSON.stringify(filter), sortBy, limit };
    const asked = { path: `/${tableId}/rows`, qs, scope: 'dataTableRow:read' } as const;
    const found: Row[] = [];
    let cursor: string | undefined;
    do {
      const { entries, next } = await this.pageOf<Row>(asked, cursor);
      found.push(...entries);
      // n8n may give fewer rows than asked for, even when more pages follow.
      cursor = entries.length === 0 ? undefined : next;
    } while (cursor !== undefined && found.length < limit);
    return found.slice(0, limit);
  }

  /** Changes all rows that match the filter, in one step. */
  async update(tableId: string, filter: Filter, data: IDataObject): Promise<void> {
    await this.change(tableId, filter, data, {});
  }

  /** As {@link update}. Returns the changed rows; drawn cells show which try made the change. */
  async updateAndReturn(tableId: string, filter: Filter, data: Drawn): Promise<Row[]> {
    return (await this.change(tableId, filter, data, { returnData: true })) as Row[];
  }

  /** Throws the error of {@link update} or {@link delete} if the key may not do it. Changes nothing. */
  async checkRights(tableId: string): Promise<void> {
    const nothing = where(holds('id', 'eq', 0));
    await this.change(tableId, nothing, { status: '' }, { dryRun: true });
    await this.remove(tableId, nothing, { dryRun: true });
  }

  /**
   * All rows that match the filter, without a limit. n8n's API has no such read: this is the dry
   * run of an update, and changes nothing.
   *
   * @param content values of one of the rows: n8n requires the values that an update would write
   * @returns undefined when n8n's answer does not prove that it was a dry run, or its full tables let n8n try none
   */
  async allRows(tableId: string, filter: Filter, content: IDataObject): Promise<Row[] | undefined> {
    const how = { dryRun: true, returnData: true };
    const trying = this.change(tableId, filter, content, how);
    // n8n refuses changes, and dry runs of them, while its tables are full. It still reads and deletes.
    const tried = await trying.catch(undefinedIf('full'));
    if (tried === undefined) return undefined;
    const states = tried as Row[];
    const before = states.filter(({ dryRunState }) => dryRunState === 'before');
    for (const row of before) Reflect.deleteProperty(row, 'dryRunState');
    return before.length * 2 === states.length ? before : undefined;
  }

  async delete(tableId: string, filter: Filter): Promise<void> {
    await this.remove(tableId, filter, {});
  }

  async deleteAndReturn(tableId: string, filter: Filter): Promise<Row[]> {
    return (await this.remove(tableId, filter, { returnData: true })) as Row[];
  }

  /** Removes secrets from text of a row, which is not redacted, before a person reads it. */
  withoutSecrets(text: string): string {
    return String(withoutSecrets(text, this.secrets));
  }

  private async change(tableId: string, filter: Filter, data: Drawn, how: IDataObject) {
    const cells = () => storable(typeof data === 'function' ? data() : data);
    return await this.ask({
      method: 'PATCH',
      path: `/${tableId}/rows/update`,
      body: () => ({ filter, data: cells(), ...how }),
      scope: 'dataTableRow:update',
      isExpected: how.returnData === true ? Array.isArray : isDone,
    });
  }

  private async remove(tableId: string, filter: Filter, how: IDataObject) {
    return await this.ask({
      method: 'DELETE',
      path: `/${tableId}/rows/delete`,
      qs: { filter: JSON.stringify(filter), ...how },
      scope: 'dataTableRow:delete',
      isExpected: how.returnData === true ? Array.isArray : isDone,
    });
  }

  private async ask(asked: Asked): Promise<unknown> {
    const { method, path, qs, idempotent = true, scope, isExpected, body } = asked;
    const url = `${this.address}/data-tables${path}`;
    const { host } = new URL(url);
    const request = { method, url, qs, headers: HEADERS, timeoutMs: TIMEOUT_MS };
    const repeat: Repeat = idempotent ? { idempotent } : { idempotent, mayHaveBeenProcessed };
    const send: Send = async (one) => {
      const drawn = typeof body === 'function' ? body() : body;
      return await this.send(drawn === undefined ? one : { ...one, body: drawn });
    };
    const answer = await sendWithRetries(send, request, repeat, { firstPauseMs: FIRST_PAUSE_MS });
    const errorIn = (one: typeof answer) => errorOfAnswer(one, host, scope, isExpected);
    if (errorIn(answer) === undefined) return (answer as Answer).body;
    throw errorIn(withoutSecrets(answer, this.secrets) as typeof answer);
  }
}

interface RowPage {
  sortBy: string;
  limit: number;
}

/** By the order of a page: the condition on the ids of the rows after it. */
const ID_AFTER = new Map<string, Condition['condition']>([
  ['id:asc', 'gt'],
  ['id:desc', 'lt'],
]);

/** n8n does not process a request beyond its rate limit. */
function mayHaveBeenProcessed({ status }: Answer): boolean {
  return status !== 429;
}

/** Cells without U+0000: PostgreSQL refuses a whole request for one. */
function storable(cells: IDataObject): IDataObject {
  const entries = Object.entries(cells).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replaceAll('\u0000', '') : value,
  ]);
  return Object.fromEntries(entries);
}

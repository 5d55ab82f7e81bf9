import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { secretsOf } from '../service/account';
import { sendWithRetries, type Repeat } from '../http/retry';
import { isRecord, textOf } from '../http/json';
import { withoutSecrets } from '../http/redaction';
import {
  sendWithCredential,
  uncancelled,
  type Answer,
  type AuthenticatedHttp,
  type Send,
} from '../http/transport';
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
  /**
   * When n8n last changed the table or its rows, ISO 8601. Older versions ignore changes of rows.
   */
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

/** Rows for which all conditions hold. */
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

/** The part of n8n's contexts that reaches its public API with a credential. */
export interface DataTablesContext extends AuthenticatedHttp {
  getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
  /** The address that n8n has for itself. */
  getInstanceBaseUrl(): string;
}

/** `once`: one try inserted the rows. `perhapsTwice`: an earlier try may have inserted them too. */
export type Inserted = 'once' | 'perhapsTwice';

interface Asked {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  qs?: IDataObject;
  /** A function draws the body of each try. */
  body?: IDataObject | (() => IDataObject);
  scope: Scope;
  /** Whether a body says that n8n has done it. Nobody knows what became of a request whose answer does not. */
  isExpected: (body: unknown) => boolean;
  /** Whether it may be sent again after a fault, because doing it twice does no harm. */
  idempotent: boolean;
  onTry?: () => void;
}

/** Whether a body is one page of a list. */
export const isPage = (body: unknown): boolean => isRecord(body) && Array.isArray(body.data);
/** Whether a body describes what n8n has made. */
const isMade = (body: unknown): boolean => isRecord(body) && textOf(body.name) !== null;
/** Whether a body says that rows were changed or deleted; it has them when they were asked for. */
const isDone = (body: unknown): boolean => body === true || Array.isArray(body);

const CREDENTIAL = 'outboundAiCallingApi';
/** n8n gives at most this many entries a page. */
export const LARGEST_PAGE = 250;
const TIMEOUT_MS = 20_000;
const FIRST_PAUSE_MS = 250;
/** n8n is near: compressing many rows takes longer than sending them uncompressed. */
const HEADERS = { [N8N_KEY_HEADER]: '', 'Accept-Encoding': 'identity' };

/** n8n's data tables through its public API. Every method throws {@link DataTableError} only. */
export class DataTables {
  private readonly host: string;

  private constructor(
    private readonly send: Send,
    /** The address of n8n's public API. */
    readonly address: string,
    private readonly secrets: readonly string[],
  ) {
    this.host = new URL(address).host;
  }

  /** Opens n8n's half of the `outboundAiCallingApi` credential. */
  static async open(context: DataTablesContext): Promise<DataTables> {
    const data = await context.getCredentials(CREDENTIAL);
    const { address } = readN8nApi(data, rememberInstanceUrl(context.getInstanceBaseUrl()));
    // A cancelled execution must still write what became of its calls.
    // Rows are not redacted: a part of a phone number may look like a short key.
    const how = { type: CREDENTIAL, data, secrets: [] };
    return new DataTables(sendWithCredential(uncancelled(context), how), address, secretsOf(data));
  }

  /** One page of the tables that the key may see; its `cursor` leads to the next page. */
  async page(cursor?: string): Promise<{ tables: DataTable[]; cursor: string | undefined }> {
    const body = await this.ask({
      method: 'GET',
      path: '',
      qs: { limit: LARGEST_PAGE, ...(cursor === undefined ? {} : { cursor }) },
      scope: 'dataTable:list',
      isExpected: isPage,
      idempotent: true,
    });
    const { data, nextCursor } = body as { data: DataTable[]; nextCursor?: string | null };
    return { tables: data, cursor: nextCursor ?? undefined };
  }

  async find(isWanted: (table: DataTable) => boolean): Promise<DataTable | undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.page(cursor);
      const found = page.tables.find(isWanted);
      if (found !== undefined) return found;
      cursor = page.cursor;
    } while (cursor !== undefined);
    return undefined;
  }

  /** Makes a table. When two processes make it at once, both get the same one. */
  async create(name: string, columns: Column[]): Promise<DataTable> {
    return await this.ask({
      method: 'POST',
      path: '',
      body: { name, columns } as unknown as IDataObject,
      scope: 'dataTable:create',
      isExpected: isMade,
      idempotent: false,
    }).then(
      (created) => ({ ...(created as object), columns }) as DataTable,
      async (error: unknown) => {
        const other = await this.find((table) => table.name === name);
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
   */
  async insert(tableId: string, rows: IDataObject[]): Promise<Inserted> {
    if (rows.length === 0) return 'once';
    let tries = 0;
    await this.ask({
      onTry: () => void tries++,
      method: 'POST',
      path: `/${tableId}/rows`,
      // Asks for the count only: to return ids, n8n inserts rows one by one.
      body: { data: rows.map(storable), returnType: 'count' },
      scope: 'dataTableRow:create',
      isExpected: (body) => isRecord(body) && body.insertedRows === rows.length,
      idempotent: true,
    });
    return tries > 1 ? 'perhapsTwice' : 'once';
  }

  /** The first rows that match the filter, sorted by one column. */
  async rows(
    tableId: string,
    filter: Filter,
    { sortBy, limit }: { sortBy: string; limit: number },
  ): Promise<Row[]> {
    const found: Row[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.pageOfRows(tableId, {
        filter: JSON.stringify(filter),
        sortBy,
        limit,
        ...(cursor === undefined ? {} : { cursor }),
      });
      found.push(...page.rows);
      // n8n may give fewer rows than asked for, even when more pages follow.
      cursor = page.rows.length === 0 ? undefined : page.cursor;
    } while (cursor !== undefined && found.length < limit);
    return found.slice(0, limit);
  }

  private async pageOfRows(
    tableId: string,
    qs: IDataObject,
  ): Promise<{ rows: Row[]; cursor: string | undefined }> {
    const body = await this.ask({
      method: 'GET',
      path: `/${tableId}/rows`,
      qs,
      scope: 'dataTableRow:read',
      isExpected: isPage,
      idempotent: true,
    });
    const { data, nextCursor } = body as { data: Row[]; nextCursor?: string | null };
    return { rows: data, cursor: nextCursor ?? undefined };
  }

  /** Changes all rows that match the filter, in one step. */
  async update(tableId: string, filter: Filter, data: IDataObject): Promise<void> {
    await this.change(tableId, filter, data, {});
  }

  /**
   * As {@link update}. Returns the changed rows.
   *
   * @param data a function draws the cells of each try, so that the answer shows which try made the change
   */
  async updateAndReturn(
    tableId: string,
    filter: Filter,
    data: IDataObject | (() => IDataObject),
  ): Promise<Row[]> {
    return (await this.change(tableId, filter, data, { returnData: true })) as Row[];
  }

  /** Throws the error of {@link update} if the key may not change rows. Changes nothing. */
  async checkUpdate(tableId: string): Promise<void> {
    const nothing = where(holds('id', 'eq', 0));
    await this.change(tableId, nothing, { status: '' }, { dryRun: true });
  }

  /**
   * All rows that match the filter, without a limit. n8n's API has no such read: this is the dry
   * run of an update, and changes nothing.
   *
   * @param content values of one of the rows: n8n requires the values that an update would write
   * @returns undefined when n8n's answer does not prove that it was a dry run
   */
  async allRows(tableId: string, filter: Filter, content: IDataObject): Promise<Row[] | undefined> {
    const how = { dryRun: true, returnData: true };
    const states = (await this.change(tableId, filter, content, how)) as Row[];
    const before = states.filter(({ dryRunState }) => dryRunState === 'before');
    for (const row of before) Reflect.deleteProperty(row, 'dryRunState');
    return before.length * 2 === states.length ? before : undefined;
  }

  async delete(tableId: string, filter: Filter): Promise<void> {
    await this.remove(tableId, filter, {});
  }

  /** As {@link delete}. Returns the deleted rows. */
  async deleteAndReturn(tableId: string, filter: Filter): Promise<Row[]> {
    return (await this.remove(tableId, filter, { returnData: true })) as Row[];
  }

  /** Throws the error of {@link delete} if the key may not delete rows. Deletes nothing. */
  async checkDelete(tableId: string): Promise<void> {
    await this.remove(tableId, where(holds('id', 'eq', 0)), { dryRun: true });
  }

  /**
   * Removes secrets from text of a row before a person reads it: rows themselves are not redacted.
   */
  withoutSecrets(text: string): string {
    return String(withoutSecrets(text, this.secrets));
  }

  private async change(
    tableId: string,
    filter: Filter,
    data: IDataObject | (() => IDataObject),
    how: IDataObject,
  ) {
    const cells = () => storable(typeof data === 'function' ? data() : data);
    return await this.ask({
      method: 'PATCH',
      path: `/${tableId}/rows/update`,
      body: () => ({ filter, data: cells(), ...how }) as unknown as IDataObject,
      scope: 'dataTableRow:update',
      isExpected: how.returnData === true ? Array.isArray : isDone,
      idempotent: true,
    });
  }

  private async remove(tableId: string, filter: Filter, how: IDataObject) {
    return await this.ask({
      method: 'DELETE',
      path: `/${tableId}/rows/delete`,
      qs: { filter: JSON.stringify(filter), ...how },
      scope: 'dataTableRow:delete',
      isExpected: how.returnData === true ? Array.isArray : isDone,
      idempotent: true,
    });
  }

  private async ask(asked: Asked): Promise<unknown> {
    const { idempotent, scope, isExpected, body, onTry } = asked;
    const request = {
      method: asked.method,
      url: `${this.address}/data-tables${asked.path}`,
      headers: HEADERS,
      timeoutMs: TIMEOUT_MS,
      ...(asked.qs === undefined ? {} : { qs: asked.qs }),
    };
    const repeat: Repeat = idempotent ? { idempotent } : { idempotent, mayHaveBeenProcessed };
    const send: Send = async (one) => {
      onTry?.();
      const drawn = typeof body === 'function' ? body() : body;
      return await this.send(drawn === undefined ? one : { ...one, body: drawn });
    };
    const answer = await sendWithRetries(send, request, repeat, {
      firstPauseMs: FIRST_PAUSE_MS,
    });
    const errorIn = (one: typeof answer) => errorOfAnswer(one, this.host, scope, isExpected);
    if (errorIn(answer) === undefined) return (answer as Answer).body;
    throw errorIn(withoutSecrets(answer, this.secrets) as typeof answer);
  }
}

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
  return Object.fromEntries(entries) as IDataObject;
}

import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  IHttpRequestOptions,
} from 'n8n-workflow';
import { sendPatiently, type Repeat } from '../service/attempts';
import {
  faultOf,
  type Answer,
  type AuthenticatedHttp,
  type NetworkFault,
} from '../service/transport';
import { CallLogFailure } from './callLogFailure';

export interface Column {
  name: string;
  type: 'string' | 'number' | 'boolean' | 'date';
}

export interface DataTable {
  id: string;
  name: string;
  columns: Column[];
}

/** A row as n8n gives it; dates are ISO 8601. */
export type Row = IDataObject & { id: number };

export interface Filter {
  columnName: string;
  condition: 'eq' | 'neq';
  value: string | number | null;
}

export interface RowQuery {
  filters: Filter[];
  sortBy: string;
  limit: number;
  /** From the page before. */
  cursor?: string | undefined;
}

export interface RowPage {
  rows: Row[];
  /** Leads to the next page; undefined after the last one. */
  cursor: string | undefined;
}

/** What n8n's contexts offer for reaching its public API with a credential. */
export interface CallLogContext extends AuthenticatedHttp {
  getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
}

interface Asked {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  qs?: IDataObject;
  body?: IDataObject;
  /** The scope that the API key needs for it. */
  scope: string;
}

const CREDENTIAL = 'n8nCallLogApi';
/** n8n gives so many entries a page at most. */
export const LARGEST_PAGE = 250;
const TIMEOUT_MS = 20_000;
const FIRST_PAUSE_MS = 250;

/**
 * The address of n8n's public API, without a trailing slash.
 *
 * @throws CallLogFailure when the credential holds none
 */
export function readApiAddress(credential: IDataObject): string {
  const text = String(credential.baseUrl ?? '').trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable =
    url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '';
  if (isUsable) return (url.origin + url.pathname).replace(/\/+$/, '');
  throw new CallLogFailure(
    'invalidCredential',
    'The base URL of the n8n API credential is not usable',
    'Enter the address of the public API of this n8n, e.g. http://localhost:5678/api/v1',
  );
}

function messageOf(body: unknown): string {
  const message = (body as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : '';
}

/**
 * What an answer of n8n's public API means when it is not the one that was wanted.
 *
 * @param scope the scope that the request needed
 */
export function failureOfAnswer(
  answer: Answer | NetworkFault,
  host: string,
  scope: string,
): CallLogFailure | undefined {
  if ('fault' in answer) {
    return new CallLogFailure(
      'unreachable',
      `The n8n API at ${host} could not be reached`,
      'Check the base URL in the n8n API credential: it must be reachable from where n8n itself runs.',
    );
  }
  const { status, body } = answer;
  const isJson = typeof body === 'object' && body !== null;
  if (isJson && status >= 200 && status < 300) return undefined;
  if (status === 401) {
    return new CallLogFailure(
      'keyRefused',
      'n8n refused the API key',
      'Create an API key under Settings > n8n API and copy it into the credential, complete.',
    );
  }
  if (status === 403) {
    return new CallLogFailure(
      'scopeMissing',
      `The n8n API key lacks the scope "${scope}"`,
      `Add "${scope}" to the API key under Settings > n8n API. Its owner also needs access to the table.`,
    );
  }
  if (isJson && status === 404) {
    return new CallLogFailure(
      'tableMissing',
      'The data table of the call log does not exist',
      'Choose a data table under "Call Log Table", or enter a name under which one is created.',
    );
  }
  if (isJson && status >= 400) {
    return new CallLogFailure(
      'refused',
      `n8n refused: ${messageOf(body) || `status ${status}`}`,
      'Look at the data table of the call log in n8n, then run the workflow again.',
    );
  }
  return new CallLogFailure(
    'notN8n',
    `${host} answered, but not as the public API of n8n does`,
    'Check the base URL in the n8n API credential: it ends with /api/v1, and the public API must not be disabled.',
  );
}

/** n8n's data tables through its public API. Every method throws {@link CallLogFailure} only. */
export class DataTables {
  private constructor(
    private readonly context: CallLogContext,
    private readonly credential: ICredentialDataDecryptedObject,
    private readonly address: string,
  ) {}

  /** Opens the `n8nCallLogApi` credential. */
  static async open(context: CallLogContext): Promise<DataTables> {
    const credential = await context.getCredentials(CREDENTIAL);
    return new DataTables(context, credential, readApiAddress(credential));
  }

  /** The tables that the key may see, one page; `cursor` of a page leads to the next. */
  async page(cursor?: string): Promise<{ tables: DataTable[]; cursor: string | undefined }> {
    const qs = { limit: LARGEST_PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const body = await this.ask({ method: 'GET', path: '', qs, scope: 'dataTable:list' });
    const { data, nextCursor } = body as { data?: DataTable[]; nextCursor?: string | null };
    return { tables: data ?? [], cursor: nextCursor ?? undefined };
  }

  async find(holds: (table: DataTable) => boolean): Promise<DataTable | undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.page(cursor);
      const found = page.tables.find(holds);
      if (found !== undefined) return found;
      cursor = page.cursor;
    } while (cursor !== undefined);
    return undefined;
  }

  async create(name: string, columns: Column[]): Promise<DataTable> {
    const body = { name, columns } as unknown as IDataObject;
    const created = await this.ask({ method: 'POST', path: '', body, scope: 'dataTable:create' });
    return { columns, ...(created as object) } as DataTable;
  }

  /** @returns the ids of the new rows, in order */
  async insert(tableId: string, rows: IDataObject[]): Promise<number[]> {
    const ids = await this.ask({
      method: 'POST',
      path: `/${tableId}/rows`,
      body: { data: rows, returnType: 'id' },
      scope: 'dataTableRow:create',
    });
    return (ids as Array<{ id: number }>).map(({ id }) => id);
  }

  /** One page of rows in the order of one column, e.g. `nextCheckAt:asc`. */
  async rows(tableId: string, { filters, sortBy, limit, cursor }: RowQuery): Promise<RowPage> {
    const filter = JSON.stringify({ type: 'and', filters });
    const body = await this.ask({
      method: 'GET',
      path: `/${tableId}/rows`,
      qs: { filter, sortBy, limit, ...(cursor === undefined ? {} : { cursor }) },
      scope: 'dataTableRow:read',
    });
    const { data, nextCursor } = body as { data?: Row[]; nextCursor?: string | null };
    return { rows: data ?? [], cursor: nextCursor ?? undefined };
  }

  /**
   * Changes rows that still are what the filters say.
   *
   * @param dryRun changes nothing and shows whether it could be
   * @returns the changed rows
   */
  async update(
    tableId: string,
    filter: { type: 'and' | 'or'; filters: Filter[] },
    data: IDataObject,
    { returnData = false, dryRun = false } = {},
  ): Promise<Row[]> {
    const changed = await this.ask({
      method: 'PATCH',
      path: `/${tableId}/rows/update`,
      body: { filter, data, returnData, dryRun } as unknown as IDataObject,
      scope: 'dataTableRow:update',
    });
    return Array.isArray(changed) ? (changed as Row[]) : [];
  }

  private async ask({ method, path, qs, body, scope }: Asked): Promise<unknown> {
    const url = `${this.address}/data-tables${path}`;
    const options: IHttpRequestOptions = {
      method,
      url,
      json: true,
      timeout: TIMEOUT_MS,
      disableFollowRedirect: true,
      ignoreHttpStatusErrors: true,
      returnFullResponse: true,
      ...(qs === undefined ? {} : { qs }),
      ...(body === undefined ? {} : { body }),
    };
    const credentialsDecrypted = {
      id: '',
      name: CREDENTIAL,
      type: CREDENTIAL,
      data: this.credential,
    };
    const send = async (): Promise<Answer | NetworkFault> =>
      await this.context.helpers.httpRequestWithAuthentication
        .call(this.context, CREDENTIAL, options, { credentialsDecrypted })
        .then((response) => {
          const { statusCode, headers, body: received } = response as FullResponse;
          // PATCH without returned rows is answered with a bare `true`.
          return { status: statusCode, headers, body: received === true ? [] : received };
        }, faultOf);
    // A row inserted twice would be a call that nobody placed; everything else may be repeated.
    const repeat: Repeat = method === 'POST' ? 'dial' : 'read';
    const request = { method: 'GET' as const, url, timeoutMs: TIMEOUT_MS };
    const answer = await sendPatiently(send, request, repeat, { firstPauseMs: FIRST_PAUSE_MS });
    const failure = failureOfAnswer(answer, new URL(this.address).host, scope);
    if (failure !== undefined) throw failure;
    return (answer as Answer).body;
  }
}

interface FullResponse {
  statusCode: number;
  headers: Record<string, unknown>;
  body: unknown;
}

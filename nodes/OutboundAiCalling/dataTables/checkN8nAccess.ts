import type { DataTableErrorKind } from './dataTableError';
import { holds, isPage, where } from './dataTables';
import { errorOfAnswer, scopesMissing } from './errorOfAnswer';
import { N8N_KEY_HEADER, type N8nApi, type Scope } from './n8nApi';
import type { OutgoingRequest, Send } from '../http/transport';

/** The id of a table that does not exist: n8n draws its ids at random. */
const NO_TABLE = '/AAAAAAAAAAAAAAAA';
const TIMEOUT_MS = 5_000;

/** Errors about the missing table. They show that n8n has accepted the key. */
const LET_THROUGH = new Set<DataTableErrorKind>([
  'tableMissing',
  'refused',
  'full',
  'failing',
  'busy',
]);

const noRow = where(holds('id', 'eq', 0));

/** Requests that change nothing and need one scope each. */
const QUESTIONS: Array<
  Pick<OutgoingRequest, 'method' | 'qs' | 'body'> & { path: string; scope: Scope }
> = [
  { method: 'GET', path: '', qs: { limit: 1 }, scope: 'dataTable:list' },
  {
    // n8n refuses the name of one of its own columns, and so creates nothing.
    method: 'POST',
    path: '',
    body: { name: 'Never made', columns: [{ name: 'id', type: 'number' }] },
    scope: 'dataTable:create',
  },
  {
    method: 'POST',
    path: `${NO_TABLE}/columns`,
    body: { name: 'status', type: 'string' },
    scope: 'dataTableColumn:create',
  },
  { method: 'GET', path: `${NO_TABLE}/rows`, qs: { limit: 1 }, scope: 'dataTableRow:read' },
  {
    method: 'POST',
    path: `${NO_TABLE}/rows`,
    body: { data: [{ status: '' }], returnType: 'count' },
    scope: 'dataTableRow:create',
  },
  {
    method: 'PATCH',
    path: `${NO_TABLE}/rows/update`,
    body: { filter: noRow, data: { status: '' } },
    scope: 'dataTableRow:update',
  },
  {
    method: 'DELETE',
    path: `${NO_TABLE}/rows/delete`,
    qs: { filter: JSON.stringify(noRow) },
    scope: 'dataTableRow:delete',
  },
];

/**
 * Checks that n8n's API can be reached, has data tables, and lets the key do what a call log needs.
 * Changes nothing.
 *
 * @throws DataTableError `scopeMissing`, which names every missing scope, or another error
 */
export async function checkN8nAccess(send: Send, { address, key }: N8nApi): Promise<void> {
  const { host } = new URL(address);
  const headers = { [N8N_KEY_HEADER]: key };
  const lacking: Scope[] = [];
  for (const { path, scope, ...asked } of QUESTIONS) {
    const url = `${address}/data-tables${path}`;
    const answer = await send({ ...asked, url, headers, timeoutMs: TIMEOUT_MS });
    const error = errorOfAnswer(answer, host, scope, isPage);
    if (error?.kind === 'scopeMissing') lacking.push(scope);
    else if (error !== undefined && !LET_THROUGH.has(error.kind)) throw error;
  }
  if (lacking.length > 0) throw scopesMissing(lacking);
}

import type { Answer } from '../http/exchange';
import type { NetworkFault } from '../http/networkFault';
import { whatCame } from '../service/answers';
import { quoted } from '../values';
import { DataTableError, type DataTableErrorKind } from './dataTableError';
import type { Scope } from './n8nApi';

/** Statuses of a server, or of what stands before it, that takes no request now. */
const BUSY = new Set([408, 429]);
/** How n8n says that all tables together hold as much as they may: whatever a row says, it is not stored. */
const FULL = /size limit/i;

function messageOf(body: unknown): string {
  const message = (body as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : '';
}

export function scopesMissing(scopes: Scope[]): DataTableError {
  const named = quoted(scopes);
  return new DataTableError(
    'scopeMissing',
    `The n8n API key lacks the ${scopes.length === 1 ? 'scope' : 'scopes'} ${named}`,
    `Add ${named} to the key under Settings > n8n API. Its owner also needs access to the table.`,
  );
}

const CHECK_URL =
  'Check "n8n API URL" in the credential: it must be the address at which n8n reaches itself, e.g. http://localhost:5678/api/v1';

function errorOfFault({ fault }: NetworkFault, host: string): DataTableError {
  const errors: Record<NetworkFault['fault'], [DataTableErrorKind, string, advice: string]> = {
    noConnection: ['unreachable', `The API of n8n at ${host} could not be reached`, CHECK_URL],
    untrusted: ['unreachable', `The certificate of n8n at ${host} was not accepted`, CHECK_URL],
    timedOut: [
      'unreachable',
      `The API of n8n at ${host} did not answer in time`,
      'n8n or its database may be busy. Run the workflow again later.',
    ],
    lost: [
      'unreachable',
      `The connection to the API of n8n at ${host} broke before the answer came`,
      `n8n may have restarted. If it breaks each time: ${CHECK_URL.replace('Check', 'check')}`,
    ],
    tooLong: [
      'tooLong',
      `The answer of n8n at ${host} was too long`,
      'Look at the data table in n8n: its texts may be very long.',
    ],
    cancelled: [
      'unreachable',
      'The execution was cancelled while a request to the API of n8n was under way',
      'Look at the data table in n8n.',
    ],
    notSent: [
      'unreachable',
      'The execution was cancelled before a request to the API of n8n was sent',
      'Nothing was changed.',
    ],
  };
  return new DataTableError(...errors[fault]);
}

/**
 * Reads an answer of n8n's public API as an error.
 *
 * @param scope the scope that the request needed
 * @param isExpected whether a body is what n8n answers when the request succeeds
 * @returns undefined when the answer is a success
 */
export function errorOfAnswer(
  answer: Answer | NetworkFault,
  host: string,
  scope: Scope,
  isExpected: (body: unknown) => boolean,
): DataTableError | undefined {
  if ('fault' in answer) return errorOfFault(answer, host);
  const { status, body } = answer;
  if (status >= 200 && status < 300 && isExpected(body)) return undefined;
  const said = messageOf(body);
  if (status === 413) {
    return new DataTableError(
      'tooLarge',
      `n8n at ${host}, or a proxy before it, refused a request as too large (status 413)`,
      'Let the proxy pass requests of 1 MB, in nginx with client_max_body_size 1m. Or enter the address at which n8n reaches itself as "n8n API URL" in the credential, e.g. http://localhost:5678/api/v1',
    );
  }
  // n8n refuses in JSON with a message. Another answer says nothing about the key or the table.
  if (said === '' || status < 400) {
    return new DataTableError(
      'notN8n',
      `${host} answered, but not as the API of n8n does (${whatCame(answer)})`,
      'n8n may be starting, or something before it may have answered in its place, e.g. a proxy or a firewall, or the proxy that n8n itself uses: name this host in NO_PROXY then. If it stays so, check "n8n API URL" in the credential: it ends with /api/v1, and the public API of n8n must not be disabled.',
    );
  }
  if (status === 401) {
    return new DataTableError(
      'keyRefused',
      'n8n refused the n8n API key',
      'It may have expired. Create a key under Settings > n8n API that does not expire, and copy it into the credential, complete.',
    );
  }
  if (status === 403) return scopesMissing([scope]);
  if (status === 404 && /^not found$/i.test(said)) {
    return new DataTableError(
      'noDataTables',
      `The n8n at ${host} has no data tables in its API`,
      'Call logs and lists in data tables need n8n 2. Update n8n, or do without them.',
    );
  }
  if (status === 404) {
    return new DataTableError(
      'tableMissing',
      'The data table does not exist',
      'It was deleted, or the n8n API key cannot see it. Choose another data table.',
    );
  }
  if (BUSY.has(status)) {
    return new DataTableError(
      'busy',
      `n8n is busy: ${said}`,
      'Run the workflow again later, or raise the limit of requests where it is set.',
    );
  }
  if (status >= 500) {
    return new DataTableError(
      'failing',
      `n8n failed: ${said}`,
      'Look at the log of n8n, then run the workflow again.',
    );
  }
  const isFull = FULL.test(said);
  return new DataTableError(
    isFull ? 'full' : 'refused',
    `n8n refused: ${said}`,
    isFull
      ? 'The data tables of this n8n are full, all together. Delete old rows, e.g. with Call Log > Prune, or give them more room, then run the workflow again.'
      : 'Look at the data table in n8n, then run the workflow again.',
  );
}

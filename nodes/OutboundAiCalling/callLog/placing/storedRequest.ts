import type { IDataObject } from 'n8n-workflow';
import type { CallRequest } from '../../service/callingService';
import { readIdentifier } from '../../service/identifier';
import { isRecord } from '../../http/json';
import type { Row } from '../../dataTables/dataTables';
import { retryIn } from '../ends/nextAttempt';
import { storedIn, testedCustomer, type StoredSettings } from './loggedRequest';
import { attemptIn } from '../states';
import { textIn } from '../table/cells';

export interface StoredCall {
  attempt: number;
  request: CallRequest;
  stored: StoredSettings;
}

/** The name in the row of a test call contains the name of the customer. */
const TEST_CALL = /^Test call(?: \((.*)\))?$/s;

function customerNameIn(row: Row, isTestCall: boolean): string | undefined {
  const shown = textIn(row.customerName);
  if (!isTestCall || shown === undefined) return shown;
  const about = TEST_CALL.exec(shown);
  return about === null ? shown : about[1];
}

function variablesIn(stored: IDataObject): Record<string, string> | undefined {
  const { variables = {} } = stored;
  if (!isRecord(variables)) return undefined;
  const entries = Object.entries(variables).map(([name, value]) => [name, String(value)] as const);
  return Object.fromEntries(entries);
}

/**
 * Reads the call that a row stores. Columns that a person sees win over the stored request.
 *
 * @returns `nonsense` says in words for people why the call cannot be placed
 */
export function readStoredCall(row: Row): StoredCall | { nonsense: string } {
  const stored = storedIn(row);
  if (stored === undefined) return { nonsense: 'request does not hold what was to be placed' };
  const attempt = attemptIn(row);
  if (attempt === undefined) return { nonsense: 'attempt is no whole number above 0' };
  const customerPhone = textIn(row.customerPhone)?.trim() ?? '';
  if (customerPhone === '') return { nonsense: 'customerPhone is empty' };
  const scriptId = readIdentifier(textIn(row.scriptId) ?? stored.scriptId);
  if (scriptId === undefined) return { nonsense: 'scriptId is not a script id' };
  const variables = variablesIn(stored);
  if (variables === undefined) return { nonsense: 'request does not hold the script variables' };
  const isTestCall = stored.testCall === true;
  const texts = {
    customerName: customerNameIn(row, isTestCall),
    orderNumber: textIn(row.orderNumber),
    orderNotes: textIn(stored.orderNotes),
    campaignName: textIn(stored.campaignName),
  };
  const given = Object.entries(texts).filter(([, text]) => text !== undefined);
  return {
    attempt,
    request: { scriptId, customerPhone, variables, ...Object.fromEntries(given) },
    stored: {
      testCall: isTestCall || undefined,
      inPlaceOf: testedCustomer(row),
      dialled: textIn(stored.dialled),
      retry: retryIn(row),
      rules: isRecord(stored.rules) ? stored.rules : undefined,
      settings: isRecord(stored.settings) ? stored.settings : undefined,
    },
  };
}

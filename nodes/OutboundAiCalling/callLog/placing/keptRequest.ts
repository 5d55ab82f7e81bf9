import type { IDataObject } from 'n8n-workflow';
import type { CallRequest } from '../../service/callingService';
import { readIdentifier } from '../../service/identifier';
import { isRecord } from '../../http/json';
import type { Row } from '../../dataTables/dataTables';
import { attemptIn, retryIn } from '../ends/nextAttempt';
import { keptIn, testedCustomer, type KeptSettings } from './loggedRequest';
import { textIn } from '../table/cells';

/** A call to place, read from its row. */
export interface KeptCall {
  attempt: number;
  request: CallRequest;
  kept: KeptSettings;
}

/** The name in the row of a test call contains the name of the customer. */
const TEST_CALL = /^Test call(?: \((.*)\))?$/s;

function customerNameIn(row: Row, isTestCall: boolean): string | undefined {
  const shown = textIn(row.customerName);
  if (!isTestCall || shown === undefined) return shown;
  const about = TEST_CALL.exec(shown);
  return about === null ? shown : about[1];
}

function variablesIn(kept: IDataObject): Record<string, string> | undefined {
  const { variables = {} } = kept;
  if (!isRecord(variables)) return undefined;
  const entries = Object.entries(variables).map(([name, value]) => [name, String(value)] as const);
  return Object.fromEntries(entries);
}

/**
 * Reads the call that a row stores. Columns that a person sees win over the stored request.
 *
 * @returns `nonsense` says in words for people why the call cannot be placed
 */
export function readKeptCall(row: Row): KeptCall | { nonsense: string } {
  const kept = keptIn(row);
  if (kept === undefined) return { nonsense: 'request does not hold what was to be placed' };
  const attempt = attemptIn(row);
  if (attempt === undefined) return { nonsense: 'attempt is no whole number above 0' };
  const customerPhone = textIn(row.customerPhone)?.trim() ?? '';
  if (customerPhone === '') return { nonsense: 'customerPhone is empty' };
  const scriptId = readIdentifier(row.scriptId) ?? readIdentifier(kept.scriptId);
  if (scriptId === undefined) return { nonsense: 'scriptId is not a script id' };
  const variables = variablesIn(kept);
  if (variables === undefined) return { nonsense: 'request does not hold the script variables' };
  const isTestCall = kept.testCall === true;
  const texts = {
    customerName: customerNameIn(row, isTestCall),
    orderNumber: textIn(row.orderNumber),
    orderNotes: textIn(kept.orderNotes),
    campaignName: textIn(kept.campaignName),
  };
  const given = Object.entries(texts).filter(([, text]) => text !== undefined);
  const inPlaceOf = testedCustomer(row);
  const retry = retryIn(row);
  return {
    attempt,
    request: { scriptId, customerPhone, variables, ...Object.fromEntries(given) },
    kept: {
      ...(isTestCall ? { testCall: true } : {}),
      ...(inPlaceOf === undefined ? {} : { inPlaceOf }),
      ...(retry === undefined ? {} : { retry }),
      ...(isRecord(kept.rules) ? { rules: kept.rules } : {}),
      ...(isRecord(kept.settings) ? { settings: kept.settings } : {}),
    },
  };
}

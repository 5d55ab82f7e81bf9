import type { IDataObject } from 'n8n-workflow';
import type { CallRequest } from '../../service/callingService';
import { readIdentifier } from '../../service/identifier';
import { isRecord } from '../../http/json';
import type { Row } from '../../dataTables/dataTables';
import { attemptIn, retryIn } from '../ends/nextAttempt';
import { keptIn, testedCustomer, type KeptSettings } from './loggedRequest';
import { textIn } from '../table/cells';

/** A call as its row tells that it is to be placed. */
export interface KeptCall {
  attempt: number;
  request: CallRequest;
  kept: KeptSettings;
}

/** The name of a test call's row tells whom it was about. */
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
 * Reads what a row keeps for the time at which its call is placed. What a person sees in a column of
 * its own counts as it stands there.
 *
 * @returns `nonsense` says in a person's words why the call cannot be placed as the row stands
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

import type { IDataObject } from 'n8n-workflow';
import type { CallRequest } from '../../service/callingService';
import { readIdentifier } from '../../service/identifier';
import { objectionToVariableName, type ScriptVariables } from '../../service/scriptVariables';
import { isRecord } from '../../http/json';
import { readScriptValue } from '../../objections';
import { isEmpty } from '../../values';
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

/** The script variables of a row. A person may have written them: they are read as those of an item. */
function variablesIn(stored: IDataObject): { variables: ScriptVariables } | { nonsense: string } {
  const { variables: given = {} } = stored;
  if (!isRecord(given)) return { nonsense: 'request does not hold the script variables' };
  const variables: ScriptVariables = {};
  for (const [name, value] of Object.entries(given)) {
    const objection = objectionToVariableName(name);
    if (objection !== undefined) return { nonsense: `request: ${objection}` };
    const reading = readScriptValue(value);
    if (reading === undefined) continue;
    if ('objection' in reading) {
      return { nonsense: `request: script variable ${name} ${reading.objection}` };
    }
    variables[name] = reading.text;
  }
  return { variables };
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
  const read = variablesIn(stored);
  if ('nonsense' in read) return read;
  const retry = retryIn(row);
  if (retry === undefined && !isEmpty(stored.retry)) {
    return { nonsense: 'request does not hold the plan of Second Attempts' };
  }
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
    request: { scriptId, customerPhone, ...read, ...Object.fromEntries(given) },
    stored: {
      testCall: isTestCall || undefined,
      inPlaceOf: testedCustomer(row),
      dialled: textIn(stored.dialled),
      retry,
      rules: isRecord(stored.rules) ? stored.rules : undefined,
      settings: isRecord(stored.settings) ? stored.settings : undefined,
    },
  };
}

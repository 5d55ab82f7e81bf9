import { jsonParse, type IDataObject } from 'n8n-workflow';
import type { Row } from '../../dataTables/dataTables';
import { isRecord } from '../../http/json';
import { readScriptValue } from '../../objections';
import type { RetryPlan } from '../../placedCalls';
import type { CallRequest } from '../../service/callingService';
import { readIdentifier } from '../../service/identifier';
import { readOutcomeList } from '../../service/outcomeList';
import { objectionToVariableName, type ScriptVariables } from '../../service/scriptVariables';
import { isEmpty } from '../../values';
import { attemptIn, hasOrderId } from '../states';
import { textIn } from '../table/cells';

/** The settings that a row stores next to the request, so that the call can be placed later. */
export interface StoredSettings {
  /** The call rings the phone of the builder, not of a customer. */
  testCall?: true;
  /** The phone of the customer in whose place the builder is called. */
  inPlaceOf?: string;
  /** The number for the service, in E.164, also before a test call. A person may change the row's phone. */
  dialled?: string;
  /** The attempt was cancelled once for a corrected outcome: who schedules it again means it. */
  wasRuledOut?: true;
  /** Before the call is placed, the log is asked for another call like it. */
  asksForOthers?: true;
  retry?: RetryPlan;
  /** The rules as the person has set them. They are asked when the call is placed. */
  rules?: IDataObject;
  /** Other settings for that time, such as a time zone. */
  settings?: IDataObject;
}

export interface LoggedRequest extends CallRequest, StoredSettings {
  /** Calls with the same key are the same call. A test call has none. */
  duplicateKey?: string;
}

export interface NewCall {
  /** Drawn by this package before the call. All rows of a call have the same id. */
  callId: string;
  /** An earlier request may have written a row with this id, and has surely not placed the call. */
  isShared?: boolean;
  request: LoggedRequest;
}

/** The stored request of a row; undefined when a person has broken it. */
export function storedIn({ request }: Row): IDataObject | undefined {
  const stored = jsonParse<unknown>(textIn(request) ?? 'null', { fallbackValue: null });
  return isRecord(stored) ? stored : undefined;
}

/** The number that was dialled, in E.164; of a call that was not placed, the phone of its row. */
export function dialledIn(row: Row): string | undefined {
  const dialled = hasOrderId(row) ? textIn(storedIn(row)?.dialled) : undefined;
  return dialled ?? textIn(row.customerPhone);
}

/** Says which number was dialled: also in the request, as a person may change the row. */
export function dialledColumns(row: Row, dialled: string | undefined): IDataObject {
  if (dialled === undefined) return {};
  return { customerPhone: dialled, request: JSON.stringify({ ...storedIn(row), dialled }) };
}

/** The stored request without what became of the attempt since. The test phone of a test call stays. */
export function undialledRequest(row: Row): Row['request'] {
  const stored = storedIn(row);
  if (stored === undefined || stored.testCall === true) return row.request;
  return JSON.stringify({ ...stored, dialled: undefined, wasRuledOut: undefined });
}

export function wasRuledOut(row: Row): boolean {
  return storedIn(row)?.wasRuledOut === true;
}

export function ruledOutColumns(row: Row): IDataObject {
  return { request: JSON.stringify({ ...storedIn(row), wasRuledOut: true }) };
}

/** Whether the row is of a test call, which says nothing about its order. */
export function isOfTestCall(row: Row): boolean {
  return storedIn(row)?.testCall === true;
}

/** The phone of the customer in whose place a test call was made, in E.164. */
export function testedCustomer(row: Row): string | undefined {
  return isOfTestCall(row) ? textIn(storedIn(row)?.inPlaceOf) : undefined;
}

/** Ten years; a longer delay is a mistake. */
const MOST_MINUTES = 10 * 365 * 24 * 60;

/** A call has at most this many attempts, whatever its row says. */
export const MOST_ATTEMPTS = 10;

/** The retry plan in a row; undefined when the row has none, or a person's edit cannot be read. */
export function retryIn(row: Row): RetryPlan | undefined {
  const retry = storedIn(row)?.retry;
  if (!isRecord(retry)) return undefined;
  const { outcomes, afterMinutes } = retry;
  const keys = Array.isArray(outcomes) ? readOutcomeList(outcomes) : undefined;
  if (keys === undefined || !Array.isArray(afterMinutes)) return undefined;
  const minutes = afterMinutes.map(Number);
  if (minutes.some((delay) => !(delay > 0 && delay <= MOST_MINUTES))) return undefined;
  return { outcomes: keys, afterMinutes: minutes.slice(0, MOST_ATTEMPTS - 1) };
}

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

import { jsonParse, type IDataObject } from 'n8n-workflow';
import { isRecord } from '../../http/json';
import type { RetryPlan } from '../../placedCalls';
import type { CallRequest } from '../../service/callingService';
import type { Row } from '../../dataTables/dataTables';
import { textIn } from '../table/cells';

/** The settings that a row stores next to the request, so that the call can be placed later. */
export interface StoredSettings {
  /** The call rings the phone of the builder, not of a customer. */
  testCall?: true;
  /** The phone of the customer in whose place the builder is called. */
  inPlaceOf?: string;
  /** The number for the service, in E.164, also before a test call. A person may change the row's phone. */
  dialled?: string;
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
  return textIn(storedIn(row)?.dialled) ?? textIn(row.customerPhone);
}

/** Says which number was dialled: also in the request, for do-not-call lists, as a person may change the row. */
export function dialledColumns(row: Row, dialled: string | undefined): IDataObject {
  if (dialled === undefined) return {};
  const stored = storedIn(row);
  if (!isRecord(stored?.rules) || !('doNotCallOutcomes' in stored.rules)) {
    return { customerPhone: dialled };
  }
  return { customerPhone: dialled, request: JSON.stringify({ ...stored, dialled }) };
}

/** Whether the row is of a test call, which says nothing about its order. */
export function isOfTestCall(row: Row): boolean {
  return storedIn(row)?.testCall === true;
}

/** The phone of the customer in whose place a test call was made, in E.164. */
export function testedCustomer(row: Row): string | undefined {
  return isOfTestCall(row) ? textIn(storedIn(row)?.inPlaceOf) : undefined;
}

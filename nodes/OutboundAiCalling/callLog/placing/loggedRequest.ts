import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../http/json';
import type { CallRequest } from '../../service/callingService';
import type { Row } from '../../dataTables/dataTables';
import { textIn } from '../table/cells';

/** When a call is placed again: after which outcomes, and how long after each attempt has ended. */
export interface RetryPlan {
  /** Keys of outcomes. */
  outcomes: string[];
  /** Minutes from the end of the first attempt to the second, and so on. */
  afterMinutes: number[];
}

/** What a row keeps beside the request, so that the call can be placed later as it was set. */
export interface KeptSettings {
  /** The builder's own phone is rung, in place of a customer's. */
  testCall?: true;
  /** The phone of that customer. */
  inPlaceOf?: string;
  retry?: RetryPlan;
  /** The rules as the person has set them; they are asked when the call is placed. */
  rules?: IDataObject;
  /** Whatever else is needed then, such as a time zone. */
  settings?: IDataObject;
}

/** What a row keeps of a request. */
export interface LoggedRequest extends CallRequest, KeptSettings {
  /** What makes it the same call as another; none of a test call. */
  duplicateKey?: string;
}

/** The first attempt at a call, to be placed now or later. */
export interface NewCall {
  /** Ours, made before the call: rows with the same are rows of the same call. */
  callId: string;
  request: LoggedRequest;
}

/** What a row keeps of its request; undefined when a person has edited it into something else. */
export function keptIn({ request }: Row): IDataObject | undefined {
  try {
    const kept: unknown = JSON.parse(textIn(request) ?? 'null');
    return isRecord(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the row is of a call to a test phone, which tells nothing about its order. */
export function isOfTestCall(row: Row): boolean {
  return keptIn(row)?.testCall === true;
}

/** The customer whom the row of a test call is about, as a phone in E.164. */
export function testedCustomer(row: Row): string | undefined {
  return isOfTestCall(row) ? textIn(keptIn(row)?.inPlaceOf) : undefined;
}

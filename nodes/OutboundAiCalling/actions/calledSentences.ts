import type { IExecuteFunctions } from 'n8n-workflow';
import { NOBODY_CALLED, NOBODY_CALLED_YET, type Called } from '../nodeError';
import { isTool, memoryOf } from './execution';

/** An error's text names at most this many ids; its context has all of them. */
const IDS_TOLD = 20;

/** A sentence that ends with ids; empty without any. */
export function idsSentence(start: string, ids: Array<number | string>): string {
  if (ids.length === 0) return '';
  const more = ids.length > IDS_TOLD ? ` and ${ids.length - IDS_TOLD} more` : '';
  return `${start} ${ids.slice(0, IDS_TOLD).join(', ')}${more}.`;
}

/** @param maybe how many more may have been set off */
function ofMany(what: string, ids: string, maybe: number): string {
  return `${what} by an earlier try${maybe === 0 ? '' : `, and ${maybe} more may have been`}: ${ids}`;
}

/** For an execution that has called nobody: calls that it may have scheduled may still ring. */
function scheduledEarlier(context: IExecuteFunctions): Called {
  return memoryOf(context).notes.mayBeScheduled === true ? NOBODY_CALLED_YET : NOBODY_CALLED;
}

function setOffEarlier(context: IExecuteFunctions): Called {
  const { orderIds, maybePlaced, dialling, maybeDialling } = memoryOf(context).setOff;
  if (orderIds.length > 0) {
    const people = orderIds.length === 1 ? '1 person was' : `${orderIds.length} people were`;
    const ids = idsSentence('call IDs at the service', orderIds).slice(0, -1);
    return ofMany(`${people} called`, ids, maybePlaced);
  }
  if (dialling.length > 0) {
    const campaigns =
      dialling.length === 1 ? '1 campaign was' : `${dialling.length} campaigns were`;
    const ids = idsSentence('campaign IDs', dialling).slice(0, -1);
    return ofMany(`${campaigns} set dialling`, ids, maybeDialling);
  }
  const isOpen = maybePlaced > 0 || maybeDialling > 0;
  return isOpen ? 'Somebody may have been called by an earlier try' : scheduledEarlier(context);
}

/**
 * How the error of a try begins that failed before its items: earlier tries may have called
 * somebody. With an AI agent, nobody knows which of its requests is tried again.
 */
export function calledEarlier(context: IExecuteFunctions): Called {
  const called = setOffEarlier(context);
  if (called === scheduledEarlier(context) || !isTool(context)) return called;
  return 'Somebody may have been called by an earlier request of the agent';
}

/**
 * As {@link calledEarlier}, for errors about the items of this try alone. An agent's mistake, or
 * the end of its request, has nothing to do with its other requests.
 *
 * @param called how the error begins by the calls of this try
 */
export function calledByAnyTry(context: IExecuteFunctions, called = NOBODY_CALLED): Called {
  if (called !== NOBODY_CALLED) return called;
  return isTool(context) ? scheduledEarlier(context) : setOffEarlier(context);
}

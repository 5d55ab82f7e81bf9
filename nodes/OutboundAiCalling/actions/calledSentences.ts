import type { IExecuteFunctions } from 'n8n-workflow';
import { NOBODY_CALLED, NOBODY_CALLED_YET, type Called } from '../nodeError';
import { isTool, memoryOf } from './execution';
import type { SetOff } from './memory/setOff';

/** An error's text names at most this many ids; its context has all of them. */
const IDS_TOLD = 20;

/** A sentence that ends with ids; empty without any. */
export function idsSentence(start: string, ids: Array<number | string>): string {
  if (ids.length === 0) return '';
  const more = ids.length > IDS_TOLD ? ` and ${ids.length - IDS_TOLD} more` : '';
  return `${start} ${ids.slice(0, IDS_TOLD).join(', ')}${more}.`;
}

/** Who was called, or may have been, in words; undefined when nobody was. */
function calledWords(
  { orderIds, maybePlaced, dialling, maybeDialling }: SetOff,
  when: string,
): Called | undefined {
  const told = (what: string, ids: string, maybe: number) =>
    `${what} ${when}${maybe === 0 ? '' : `, and ${maybe} more may have been`}: ${ids.slice(0, -1)}`;
  if (orderIds.length > 0) {
    const people = orderIds.length === 1 ? '1 person was' : `${orderIds.length} people were`;
    const ids = idsSentence('call IDs at the service', orderIds);
    return told(`${people} called`, ids, maybePlaced);
  }
  if (dialling.length > 0) {
    const campaigns =
      dialling.length === 1 ? '1 campaign was' : `${dialling.length} campaigns were`;
    return told(`${campaigns} set dialling`, idsSentence('campaign IDs', dialling), maybeDialling);
  }
  const isOpen = maybePlaced > 0 || maybeDialling > 0;
  return isOpen ? `Somebody may have been called ${when}` : undefined;
}

/** For an execution that has called nobody: calls that it may have scheduled may still ring. */
function scheduledEarlier(context: IExecuteFunctions): Called {
  return memoryOf(context).notes.mayBeScheduled === true ? NOBODY_CALLED_YET : NOBODY_CALLED;
}

function setOffEarlier(context: IExecuteFunctions): Called {
  const told = calledWords(memoryOf(context).setOff, 'by an earlier try');
  return told ?? scheduledEarlier(context);
}

/**
 * Adds what other nodes and other rounds of a loop have done: whoever executes all of it again would
 * call these people twice. An agent, and an item with its own error, ask about themselves alone.
 */
function withOthers(context: IExecuteFunctions, called: Called): Called {
  if (isTool(context) || context.continueOnFail()) return called;
  const others = memoryOf(context).setOffElsewhere;
  const told = calledWords(others, 'earlier in this execution');
  if (told !== undefined) return called === NOBODY_CALLED ? told : `${told}. ${called}`;
  return called === NOBODY_CALLED && others.scheduled > 0 ? NOBODY_CALLED_YET : called;
}

/**
 * How the error of a try begins that failed before its items: earlier tries may have called
 * somebody. With an AI agent, nobody knows which of its requests is tried again.
 *
 * @param called how the error begins by the calls of this try
 */
export function calledEarlier(context: IExecuteFunctions, called: Called): Called {
  if (called !== NOBODY_CALLED || !isTool(context)) return calledByAnyTry(context, called);
  const earlier = setOffEarlier(context);
  if (earlier === scheduledEarlier(context)) return earlier;
  return 'Somebody may have been called by an earlier request of the agent';
}

/**
 * As {@link calledEarlier}, for errors about the items of this try alone. An agent's mistake, or
 * the end of its request, has nothing to do with its other requests.
 */
export function calledByAnyTry(context: IExecuteFunctions, called = NOBODY_CALLED): Called {
  if (called !== NOBODY_CALLED) return withOthers(context, called);
  return withOthers(context, isTool(context) ? scheduledEarlier(context) : setOffEarlier(context));
}

export function orderIdsOf(context: IExecuteFunctions): number[] {
  const { setOff, setOffElsewhere } = memoryOf(context);
  return isTool(context) ? setOff.orderIds : [...setOffElsewhere.orderIds, ...setOff.orderIds];
}

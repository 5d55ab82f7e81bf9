import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { LoggedCall } from '../../callLog/loggedCalls';
import { concurrency, requestTimeoutSeconds } from '../../fields';
import { originOf, placedCalls } from '../../placedCalls';
import { DuplicateKeys } from '../../rules/duplicates';
import { maxCalls, refuseTooManyCalls } from '../../rules/maxCalls';
import { RuleObjection } from '../../rules/rule';
import { readRules, ruleFields, rulesOf, type Rules, type RuleSettings } from '../../rules/rules';
import { skippedItem } from '../../rules/skipped';
import type { CallRequest, PlacedCall, Read } from '../../service/callingService';
import { mayHaveHappened } from '../../service/failure';
import { unlessStopped, type ItemExecution, type ItemWork, type ReadItem } from '../eachItem';
import type { OperationExecution } from '../execution';
import type { ItemParameters } from '../itemParameters';
import { defaultCountry } from '../phoneNumbers';
import { tellLogProblems, writeAhead, type Loggable } from './callLogging';
import { readCallRequest } from './callRequest';

/** The options of the operations that call somebody. */
export const placementOptions: INodeProperties[] = [
  ...ruleFields,
  concurrency,
  defaultCountry,
  maxCalls,
  requestTimeoutSeconds,
];

/** A call that is to be placed, and what has to hold for it. */
export interface Placement extends Loggable {
  request: CallRequest;
  rules: RuleSettings;
  /** How long the execution itself waits for the outcome, in milliseconds. */
  waitMs?: number;
}

/** What became of a call: it was placed, or a rule objected to it. */
export type Placed = { read: Read<PlacedCall> } | { skipped: IDataObject };

/** Spaces around an order number make no other order. */
function orderOf({ orderNumber = '' }: CallRequest): string {
  return orderNumber.trim();
}

/** Reads and checks everything about a call; a mistake never dials. */
export function readPlacement(parameters: ItemParameters): Placement {
  const request = readCallRequest(parameters);
  const usualKey = JSON.stringify([orderOf(request), request.customerPhone]);
  return { request, rules: readRules(parameters, usualKey) };
}

/**
 * What all operations share that place a call for each item: the same person is not called twice
 * about the same order by retries of one execution, whatever else was changed.
 */
export function placingWork<Request>(
  placementIn: (request: Request) => Placement,
): Pick<ItemWork<Request>, 'calls' | 'identity' | 'checkAll' | 'beforehand' | 'afterwards'> {
  return {
    calls: true,
    identity: (request) => {
      const { request: content } = placementIn(request);
      return { subject: [content.customerPhone, orderOf(content)], content, effect: 'call' };
    },
    checkAll: (context: IExecuteFunctions, requests) =>
      refuseTooManyCalls(context, requests.length),
    beforehand: async (execution: OperationExecution, items: Array<ReadItem<Request>>) =>
      await writeAhead(execution, items, placementIn),
    afterwards: ({ context }, items) =>
      tellLogProblems(
        context,
        items.map(({ request }) => placementIn(request)),
      ),
  };
}

/** Claims of all items of an execution go to n8n together. */
const keysByHelpers = new WeakMap<object, DuplicateKeys>();

function duplicateKeysOf({ context, memory }: OperationExecution): DuplicateKeys {
  const { helpers } = context;
  const undecided = (memory.notes.undecidedKeys ??= []) as string[];
  const keys = keysByHelpers.get(helpers) ?? new DuplicateKeys(helpers, undecided);
  keysByHelpers.set(helpers, keys);
  return keys;
}

/**
 * Places a call, unless an earlier try has placed it or a rule objects. Rules are asked just before
 * each request; what they have claimed is given back when nothing was sent.
 */
export async function placeCall(placement: Placement, item: ItemExecution): Promise<Placed> {
  const { request, row } = placement;
  const { service, remembered } = item;
  const wasKnown = remembered.isKnown;
  // A row that no earlier try has noted was written for this call, and has to say what became of it.
  const isRowOpen = !wasKnown || remembered.note.callId === undefined;
  const rules = rulesOf(placement.rules, duplicateKeysOf(item));
  const beforeEachTry = async () => {
    await unlessStopped(item);
    await rules.ask();
    await row?.placing();
    // Writing the row took time: the hours may have ended meanwhile.
    await rules.ask();
  };
  return await remembered
    .once(async () => await service.triggerCall(request, { beforeEachTry }))
    .then(
      async (read): Promise<Placed> => {
        await notePlaced(read.result.orderId, placement, item, { wasKnown, isRowOpen });
        return { read };
      },
      async (failure: unknown): Promise<Placed> => {
        // At once, not when the log is written: others wait for their turn.
        if (!(failure instanceof RuleObjection)) item.halt();
        if (isRowOpen) await settleUnplaced(failure, rules, row, item);
        if (!(failure instanceof RuleObjection)) return await Promise.reject(failure);
        return { skipped: skippedItem(failure.objection, request) };
      },
    );
}

/** Why a row shows no call although the item has an order id. */
const SHARED = 'The same call was asked for twice at once, and was placed once';

/** Has everybody know of the call who waits for its outcome. */
async function notePlaced(
  orderId: number,
  { request, row, waitMs }: Placement,
  { credentialId, account, notePlaced: tell, remembered }: ItemExecution,
  { wasKnown, isRowOpen }: { wasKnown: boolean; isRowOpen: boolean },
): Promise<void> {
  tell(orderId);
  const { scriptId, customerPhone, customerName, orderNumber } = request;
  const placedAt = Date.now();
  if (!wasKnown) {
    placedCalls.note(originOf(credentialId, account), {
      orderId,
      scriptId,
      customerPhone,
      ...(customerName === undefined ? {} : { customerName }),
      ...(orderNumber === undefined ? {} : { orderNumber }),
      placedAt,
    });
  }
  if (row === undefined) return;
  if (remembered.isShared) return await row.notPlaced(new Error(SHARED), false);
  const isUntold = typeof remembered.note.logProblem === 'string';
  if (isRowOpen || isUntold) await row.placed(orderId, placedAt, waitMs);
  remembered.addToNote({ callId: row.callId, logProblem: row.problem ?? null });
}

/** Nobody was called, or nobody knows: tells the log, and gives back what was claimed. */
async function settleUnplaced(
  failure: unknown,
  rules: Rules,
  row: LoggedCall | undefined,
  { remembered, context }: ItemExecution,
): Promise<void> {
  const maybe = mayHaveHappened(failure) && !remembered.isShared;
  if (row !== undefined) {
    if (maybe) remembered.addToNote({ callId: row.callId });
    await row.notPlaced(failure, maybe);
  }
  if (maybe) return;
  await rules.giveBack().catch((error: unknown) => {
    // The person must learn of the failure itself.
    const why = error instanceof Error ? error.message : String(error);
    context.logger.error(`A duplicate key could not be given back: ${why}`);
  });
}

/** The output of a call, which says so when the call log does not tell what became of it. */
export function withLogProblem(item: IDataObject, { row }: Placement): IDataObject {
  return row?.problem === undefined ? item : { ...item, callLogError: row.problem };
}

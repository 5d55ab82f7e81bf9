import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { CallLog } from '../../callLog/callLog';
import { firstLookAt, NoLongerScheduled, type RowToPlace } from '../../callLog/placing/rowToPlace';
import { AGENT_ASKS_AGAIN_WITHIN_MS } from '../../callLog/table/rowColumns';
import { concurrency, requestTimeoutSeconds } from '../../fields';
import { defined } from '../../http/json';
import { errorMessage } from '../../nodeError';
import { hintAtLoggedCalls } from '../../rules/loggedDuplicates';
import { refuseTooManyCalls } from '../../rules/maxCalls';
import { isCallAgain, RuleObjection, type Objection } from '../../rules/rule';
import { readRules, Rules } from '../../rules/rules';
import { skippedItem } from '../../rules/skipped';
import type { PlacedCall, Read } from '../../service/callingService';
import { mayHaveBeenProcessed } from '../../service/failure';
import { simulatedService } from '../../service/simulatedService';
import { eachItem } from '../eachItem';
import type { ItemExecution, ReadItem } from '../itemWork';
import { NotBegun, throwIfStopped, unlessStopped } from '../stopping';
import { isTool, type OperationExecution } from '../execution';
import { hasTriesLeft, isTriedAgain, noteTry } from '../furtherTries';
import { DoneElsewhere } from '../memory/remembered';
import type { ItemParameters } from '../itemParameters';
import { asNotCalled } from '../notCalled';
import type { Operation } from '../operation';
import { defaultCountry } from '../phoneFields';
import { tellCallsAgain } from '../secondPress';
import { identityOf, readAskedCall, type Placement } from './askedCall';
import { refuseIfLogged } from './loggedBefore';
import { askBeforeRequest, giveBack, openRules } from './askingRules';
import { tellLogProblems, writeAhead } from './callLogging';
import { dryRunOf, type CallRemarks } from './callOutput';
import { whyNoLongerScheduled, yieldToOtherTries } from './callsOfTries';
import { noteCallOfAgent } from './callIds';
import { attemptSettings } from './attemptSettings';
import { refuseOtherName } from './earlierRequests';
import { checkNotCalledOutput, itemsOfFirstOutput, notCalledOutput } from './notCalledOutput';
import { noteForTriggers } from './noteForTriggers';
import { hintWhoPlaces, warnOfUnheardOutcomes } from './planWarnings';
import { readRetryPlanWithLog, retry } from './retryPlan';
import { takeTurns, tellSeveralAtOnce, tryInTurn } from './severalCalls';
import {
  beginCallInRetry,
  endCallInRetry,
  noteCallForStop,
  refuseCallsAfterStop,
} from './stoppedCalls';
import { tellNotCalled } from './tellNotCalled';

export const placementOptions: INodeProperties[] = [
  concurrency,
  defaultCountry,
  notCalledOutput,
  requestTimeoutSeconds,
  retry,
];

/** The result of a call; `skipped` is the item when it was not placed, or a dry run's item. */
type Placed = { read: Read<PlacedCall> } | { skipped: IDataObject };

type ItemOfCall = (
  placed: Read<PlacedCall>,
  placement: Placement,
  item: ItemExecution,
) => IDataObject | Promise<IDataObject>;

type Entry = ReadItem<Placement>;

/** Reads and checks everything about a call; a mistake never dials. */
export function readPlacement(parameters: ItemParameters, waitMs = 0): Placement {
  const call = readAskedCall(parameters);
  checkNotCalledOutput(parameters);
  const retry = readRetryPlanWithLog(parameters);
  const isLogged = retry !== undefined || parameters.has('rules.doNotCallOutcomes');
  // Extend `call`, do not copy it: rules hold it, and read the row that is set later.
  return Object.assign(call, {
    rules: call.isTestCall ? new Rules([]) : readRules(parameters, call),
    stored: isLogged ? attemptSettings(parameters, call, retry) : undefined,
    waitMs,
  });
}

/** Opens the log and all rules, then writes the rows. When this fails, nobody has been called. */
async function prepare(execution: OperationExecution, placements: Entry[]): Promise<void> {
  noteTry(execution);
  if (placements.length === 0) return;
  const { log, real } = await openRules(execution, 'call', placements);
  refuseCallsAfterStop(execution, real);
  if (log !== undefined) await refuseIfLogged(execution, log, real);
  if (log !== undefined) await writeRows(execution, log, placements, real);
  takeTurns(real.map(({ request }) => request));
  tryInTurn(placements.flatMap(({ request }) => (request.isDryRun ? request : [])));
}

/** Whether no earlier try has done it. */
const isNew = ({ remembered }: Entry): boolean => !remembered.isEarlier;

const requestsOf = (items: Entry[]): Placement[] => items.map(({ request }) => request);

async function writeRows(
  execution: OperationExecution,
  log: CallLog,
  placements: Entry[],
  real: Entry[],
): Promise<void> {
  const { context } = execution;
  await warnOfUnheardOutcomes(context, log, requestsOf(placements));
  if (requestsOf(real).some(({ stored }) => stored?.retry)) await hintWhoPlaces(context, log);
  if (!isTool(context)) {
    await hintAtLoggedCalls(context, log, requestsOf(placements.filter(isNew)));
  }
  if (real.length === 0) return;
  const allowed = real.filter(({ request }) => request.objection === undefined);
  const batch = await writeAhead(log, execution, allowed);
  const callIds = allowed.map(({ request }) => request.row?.callId);
  const calls = requestsOf(allowed.filter(isNew));
  const underWay = requestsOf(allowed.filter(({ remembered }) => remembered.isUnderWay));
  await yieldToOtherTries(execution, log, { batch, callIds, calls, underWay });
  const yielding = [...calls, ...underWay].filter(({ objection }) => objection !== undefined);
  await Promise.all(
    yielding.map(async ({ row }) => await row?.writeNotPlaced({ kind: 'withdrawn' })),
  );
}

/** Makes an operation that places a call for each item, and in all tries of an execution only once. */
export function eachCall(
  read: (parameters: ItemParameters) => Placement,
  itemOf: ItemOfCall,
): Operation['execute'] {
  return eachItem<Placement>({
    read,
    calls: true,
    identity: (request) => identityOf('call', request),
    checkCount: refuseTooManyCalls,
    beforehand: prepare,
    async perform(placement, item) {
      const perform = async () => await performCall(placement, item, itemOf);
      return await (placement.inTurn?.(perform) ?? perform());
    },
    settle: endUnlessTriedAgain,
    afterwards(context, placements, unread) {
      tellLogProblems(context, placements);
      tellNotCalled(context, placements, unread);
      tellCallsAgain(context, placements);
      tellSeveralAtOnce(context, placements);
    },
  });
}

async function performCall(
  placement: Placement,
  item: ItemExecution,
  itemOf: ItemOfCall,
): Promise<IDataObject> {
  const placed = await placeCall(placement, item);
  if ('read' in placed) return outputOf(await itemOf(placed.read, placement, item), placement);
  const skipped = outputOf(placed.skipped, placement);
  // An earlier try has called the person, or may have.
  const isCalled = placement.objection?.reason === 'earlierTry';
  return isCalled ? skipped : asNotCalled(skipped);
}

/** Places a call, unless an earlier try has placed it or a rule objects. A dry run only asks. */
async function placeCall(placement: Placement, item: ItemExecution): Promise<Placed> {
  const place = async (): Promise<Placed> =>
    placement.isDryRun ? await tryPlacement(placement, item) : await placeInTurn(placement, item);
  return await placement.rules
    .inTurn(place)
    .catch((failure: unknown) => {
      placement.hasFailed = !mayHaveBeenProcessed(failure);
      if (!placement.hasFailed) noteCallForStop(item, placement);
      throw failure;
    })
    .finally(() => endCallInRetry(item, placement));
}

/** Turns a failure that concerns this call alone into an objection; returns any other as it is. */
function objectionIn(thrown: unknown): unknown {
  if (!(thrown instanceof DoneElsewhere)) return thrown;
  // The call ID of another account means nothing here: a person may read it, nothing else.
  const { orderId } = (thrown.done as Read<PlacedCall>).result;
  const words = `an earlier try has called this person with another account (call ID ${orderId})`;
  return new RuleObjection({ reason: 'earlierTry', words });
}

function skip(placement: Placement, objection: Objection): Placed {
  placement.objection = objection;
  return { skipped: skippedItem(objection, placement.request) };
}

/** Each request of an agent is a run of its own: "Max Calls" counts all of them and this one. */
function refuseTooManyOfAgent({ context, memory }: ItemExecution): void {
  if (!isTool(context)) return;
  const { orderIds, maybePlaced } = memory.setOff;
  refuseTooManyCalls(context, orderIds.length + maybePlaced);
}

async function placeInTurn(placement: Placement, item: ItemExecution): Promise<Placed> {
  const { request, rules, row, objection } = placement;
  if (objection !== undefined) return skip(placement, objection);
  const { service, remembered } = item;
  // If no earlier try has noted a row, this try wrote one, which must say what became of the call.
  const isRowOpen = row?.isWrittenAhead || remembered.note.callId === undefined;
  const beforeEachTry = async () => await askBeforeRequest(placement, () => throwIfStopped(item));
  return await remembered
    .once(
      async () => {
        beginCallInRetry(item, placement);
        refuseOtherName(item, placement);
        refuseTooManyOfAgent(item);
        await unlessStopped(item);
        await rules.admit();
        return await service.triggerCall(request, beforeEachTry);
      },
      row && { callId: row.callId },
    )
    .then(
      async (read) => await placed(read, placement, item, isRowOpen),
      async (thrown: unknown) => await notPlaced(thrown, placement, item, isRowOpen),
    );
}

async function placed(
  read: Read<PlacedCall>,
  placement: Placement,
  item: ItemExecution,
  isRowOpen: boolean,
): Promise<Placed> {
  const { orderId } = read.result;
  noteCallForStop(item, placement, orderId);
  await recordPlaced(orderId, placement, item, isRowOpen);
  // An agent asks for another call here: do not return the earlier call as its result.
  if (!isTool(item.context) || !item.remembered.isOtherwise) return { read };
  const words = `this execution has called this person before (call ID ${orderId})`;
  return skip(placement, { reason: 'earlierTry', orderId, words });
}

async function notPlaced(
  thrown: unknown,
  placement: Placement,
  item: ItemExecution,
  isRowOpen: boolean,
): Promise<Placed> {
  const { row } = placement;
  const why =
    thrown instanceof NoLongerScheduled ? await whyNoLongerScheduled(placement) : undefined;
  const failure = why === undefined ? objectionIn(thrown) : new RuleObjection(why);
  // Halt now, not after the log is written: other items wait for their turn.
  if (!(failure instanceof RuleObjection) && !item.remembered.isEarlier) item.halt();
  if (isRowOpen) await settleUnplaced(failure, placement, item);
  noteCallOfAgent(item.memory, placement, row?.isLeftOpen === true);
  if (!(failure instanceof RuleObjection)) throw failure;
  return skip(placement, failure.objection);
}

async function tryPlacement(placement: Placement, { remembered }: ItemExecution): Promise<Placed> {
  const { request, rules, simulatedOutcome, sameCall } = placement;
  const isRepeated = sameCall?.wouldBePlaced === true && identityOf('call', placement).isSingle;
  const repeated: Objection | undefined = isRepeated ? { reason: 'duplicate' } : undefined;
  const objection: Objection | undefined = remembered.findEntry()
    ? { reason: 'earlierTry' }
    : (placement.objection ?? repeated ?? (await rules.wouldObject()));
  placement.objection = objection;
  if (sameCall !== undefined && objection === undefined) sameCall.wouldBePlaced = true;
  if (simulatedOutcome !== undefined) {
    if (objection !== undefined) return { skipped: skippedItem(objection, request) };
    return { read: await simulatedService().triggerCall(request) };
  }
  return { skipped: dryRunOf(request, objection) };
}

async function recordPlaced(
  orderId: number,
  { request, row, waitMs, isTestCall, stored }: Placement,
  { account, notePlaced: tell, remembered }: ItemExecution,
  isRowOpen: boolean,
): Promise<void> {
  tell(orderId);
  const placedAt = Date.now();
  const { callId } = row ?? {};
  const details = { orderId, callId, placedAt, isTestCall, retry: stored?.retry };
  if (remembered.isOwn) noteForTriggers(request, details, { account });
  if (row === undefined) return;
  if (isOfOther(row, remembered)) return await row.writeNotPlaced({ kind: 'withdrawn' });
  const wasNotWritten = remembered.note.logProblem !== undefined;
  if (isRowOpen || wasNotWritten)
    await row.writePlaced(orderId, placedAt, firstLookAt(placedAt, waitMs), request.customerPhone);
  remembered.addToNote({ callId: row.callId, logProblem: row.problem });
}

/** Whether this try has written a row for a call that another try, with a row of its own, has placed, or may have. */
const isOfOther = (row: RowToPlace, { isOwn }: ItemExecution['remembered']): boolean =>
  row.isWrittenAhead && !isOwn;

/** Writes the failure into the row. It gives back claims, unless the call may have been placed. */
async function settleUnplaced(
  failure: unknown,
  { rules, row }: Placement,
  item: ItemExecution,
): Promise<void> {
  const { remembered, context, cancelled } = item;
  const maybe = mayHaveBeenProcessed(failure);
  // Give back before the row is written, which takes a while: the next call may claim this.
  if (!maybe) await giveBack(rules, context);
  if (row === undefined) return;
  if (isOfOther(row, remembered)) return await row.writeNotPlaced({ kind: 'withdrawn' });
  if (maybe) remembered.addToNote({ callId: row.callId });
  const reason = errorMessage(failure);
  // A retry of a stopped execution begins as a new one, with rows of its own.
  if (failure instanceof NotBegun && !cancelled.aborted)
    return await row.writeNotPlaced({ kind: 'leftOpen', reason });
  const isAgain = failure instanceof RuleObjection && isCallAgain(failure.objection);
  if (isAgain) return await row.writeNotPlaced({ kind: 'withdrawn' });
  if (maybe) return await row.writeMaybePlaced(failure);
  const isAsked = isTool(context);
  // A row that is settled has been cancelled, or was changed by a person.
  if (row.state !== 'settled') row.isLeftOpen = isAsked || hasTriesLeft(item);
  const forMs = isAsked ? AGENT_ASKS_AGAIN_WITHIN_MS : undefined;
  await row.writeNotPlaced({ kind: row.isLeftOpen ? 'leftOpen' : 'never', reason, forMs });
}

/** Writes the ends of calls that this try has not placed, when n8n does not try again. Otherwise the next try decides. */
async function endUnlessTriedAgain(
  execution: OperationExecution,
  placements: Placement[],
  items: INodeExecutionData[] | undefined,
): Promise<void> {
  const rows = placements.flatMap(({ row }) => (row?.isLeftOpen === true ? row : []));
  if (rows.length === 0) return;
  const output = items && itemsOfFirstOutput(execution.context, items);
  if (isTriedAgain(execution, output)) return;
  // If this fails, the next execution or poll writes these ends, once the locks have run out.
  await rows[0]?.rows.uncalled.endLeftOpen(rows).catch(() => {});
}

/** Adds remarks to an item: a test call, a simulated one, or one that the log does not show. */
function outputOf(
  item: IDataObject,
  { row, isTestCall, simulatedOutcome }: Placement,
): IDataObject {
  const test: CallRemarks = {
    ...(isTestCall ? { testCall: true } : {}),
    ...(simulatedOutcome === undefined ? {} : { simulated: true }),
  };
  const log: CallRemarks = defined({ callLogError: row?.problem });
  return { ...test, ...item, ...test, ...log };
}

import type { IExecuteFunctions } from 'n8n-workflow';
import { isoIn, MINUTE_MS } from '../../clocks';
import { DataTableError } from '../../dataTables/dataTableError';
import type { CallLog } from '../../callLog/callLog';
import { isAbandoned } from '../../callLog/ends/ends';
import { respell } from '../../callLog/mending';
import {
  attemptOf,
  attemptsOf,
  callStateOf,
  callStatusIn,
  hasOrderId,
  IN_PROGRESS,
  NOT_PLACED,
  ownStatusIn,
  SCHEDULED,
} from '../../callLog/states';
import { textIn, timeIn } from '../../callLog/table/cells';
import { drawnId } from '../../callLog/table/rowColumns';
import { findOutOfReach } from '../../callLog/reading/outOfReach';
import {
  deleteWaiting,
  SCHEDULE_AGAIN,
  Scheduling,
  type Verdict,
} from '../../callLog/scheduling/scheduling';
import { groupBy } from '../../collections';
import { holds, type Row } from '../../dataTables/dataTables';
import { tellHint } from '../../hints';
import { defined } from '../../http/json';
import { dryRunItem, skippedItem } from '../../rules/skipped';
import { refuseTooManyCalls } from '../../rules/maxCalls';
import { inWords, isCallAgain, RuleObjection, type Objection } from '../../rules/rule';
import type { ReadItem } from '../itemWork';
import { NotBegun } from '../stopping';
import { isTool, type OperationExecution } from '../execution';
import type { ExecutionMemory } from '../memory/executionMemory';
import { hashOf } from '../memory/request';
import type { JudgedCall } from './askedCall';
import { giveBack, openRules } from './askingRules';
import type { Appointment, ScheduleOutput } from './callOutput';
import { loggedRequest } from './callLogging';
import { refuseIfLogged } from './loggedBefore';
import { newCallId } from './callIds';
import { hintWhoPlaces } from './planWarnings';
import { ofTries, yieldToOtherTries } from './callsOfTries';
import type { AttemptSettings } from './attemptSettings';
import type { DueTime } from './callAt';

/** A call to schedule; its rules are those that are asked now, not when it is due. */
export interface CallToSchedule extends JudgedCall, DueTime {
  dueAt: number;
  /** The IANA name of the time zone in which the output shows `dueAt`. */
  timezone: string;
  stored: AttemptSettings;
  /** When it was due, what was asked for, and the table of the log, by the request that got its id first. */
  before?: { dueAt: number; said: string; tableId: string };
  /** The output of the item, or the failure that it ends with. */
  result?: { item: ScheduleOutput } | { failure: unknown };
}

type Entry = ReadItem<CallToSchedule>;

function callIdOf({ request }: Entry): string {
  return request.callId as string;
}

function appointmentOf({ request, dueAt, timezone }: CallToSchedule): Appointment {
  const { customerPhone, orderNumber } = request;
  const callAt = isoIn(dueAt, timezone);
  return { callAt, attempt: 1, customerPhone, ...defined({ orderNumber }) };
}

/** The item of a call in a dry run or a simulation, which write nothing. */
function triedItem(call: CallToSchedule): ScheduleOutput {
  const { request, simulatedOutcome, objection } = call;
  const appointment = appointmentOf(call);
  if (simulatedOutcome === undefined) {
    return dryRunItem(true, objection, { ...appointment, scriptId: request.scriptId });
  }
  if (objection !== undefined) return { ...skippedItem(objection, request), simulated: true };
  return { callId: `simulated-${drawnId()}`, status: 'scheduled', ...appointment, simulated: true };
}

function skip(call: CallToSchedule, objection: Objection): void {
  call.objection = objection;
  call.result = { item: skippedItem(objection, call.request) };
}

/** Whether an earlier try asked otherwise. Times less than a minute apart are one, and so are all that have passed. */
function isOtherwise({ request }: Entry): boolean {
  const { dueAt, before } = request;
  if (before === undefined) return false;
  const now = Date.now();
  const apart = Math.max(dueAt, now) - Math.max(before.dueAt, now);
  return before.said !== saidBy(request) || Math.abs(apart) >= MINUTE_MS;
}

/** Everything that a call asks for but its time, as a hash. */
function saidBy(request: CallToSchedule): string {
  return hashOf(loggedRequest(request));
}

/** The duplicate key that is claimed for a call. */
function keyOf({ duplicates }: CallToSchedule): string | undefined {
  return duplicates?.isPrevented === true ? duplicates.key : undefined;
}

function lastAttemptOf(rows: Row[]): Row | undefined {
  const attempts = [...attemptsOf(rows).values()];
  return attempts.sort((a, b) => attemptOf(b) - attemptOf(a))[0];
}

/** When a call that stands is due, or was placed. */
function standsFor({ request }: Entry, row: Row | undefined): number {
  return timeIn(row?.dueAt) ?? request.before?.dueAt ?? request.dueAt;
}

/** Tells an agent that asks for something else that its call stands as it was asked for before. */
function tellStanding(one: Entry, row: Row | undefined): void {
  const { request } = one;
  const callAt = isoIn(standsFor(one, row), request.timezone);
  const words = `this execution has scheduled this call for ${callAt}. That stands: to change it, cancel the call first`;
  request.objection = { reason: 'earlierTry', words };
  const item = skippedItem(request.objection, request.request);
  request.result = { item: { ...item, callId: callIdOf(one), callAt } };
}

/** Gives a call of an earlier try the item that its row tells. */
function giveStanding(one: Entry, row: Row | undefined): void {
  const { request, remembered } = one;
  request.dueAt = standsFor(one, row);
  const isStored = row === undefined || remembered.wasSkipped;
  const item = isStored ? (remembered.note.item as ScheduleOutput) : itemOf(one, row);
  request.result = { item };
  remembered.addToNote({ item });
}

/** @param row of a call that an earlier try has scheduled */
function itemOf(one: Entry, row: Row): ScheduleOutput {
  const ours = callStateOf(row) === 'open' ? IN_PROGRESS : ownStatusIn(row);
  const status = ours ?? callStatusIn(textIn(row.status) ?? '');
  const cells = { customerPhone: textIn(row.customerPhone), orderNumber: textIn(row.orderNumber) };
  return scheduledItem(one, status, { attempt: attemptOf(row), ...defined(cells) });
}

/** The item of a call that is scheduled. `inRow`: what its row says in place of its request. */
function scheduledItem(
  one: Entry,
  status = SCHEDULED,
  inRow: Partial<Appointment> = {},
): ScheduleOutput {
  const { request } = one;
  const test = request.isTestCall ? { testCall: true as const } : {};
  return { callId: callIdOf(one), status, ...appointmentOf(request), ...inRow, ...test };
}

async function tryOut(call: CallToSchedule): Promise<void> {
  try {
    call.objection ??= await call.rules.wouldObject();
    call.result = { item: triedItem(call) };
  } catch (failure) {
    call.result = { failure };
  }
}

/**
 * Writes calls into the log, for later executions to place. It sends nothing to the calling
 * service, and sets the `result` of each call.
 *
 * @throws DataTableError when the log cannot be used: nothing is scheduled
 */
export async function scheduleCalls(execution: OperationExecution, items: Entry[]): Promise<void> {
  if (items.length === 0) return;
  const { context, memory } = execution;
  // An agent may request several calls at once: a later request finds the results of the others.
  await memory.inTurn(async () => {
    const { log, real } = await openRules(execution, 'schedule', items);
    if (isTool(context)) {
      // Each request of an agent is a run of its own: "Max Calls" counts all of them.
      const fresh = items.filter(({ remembered }) => !remembered.isEarlier);
      refuseTooManyCalls(context, memory.setOff.scheduled + fresh.length);
    }
    const dry = items.filter(({ request }) => request.isDryRun);
    await Promise.all(dry.map(async ({ request }) => await tryOut(request)));
    if (log === undefined) return;
    if (real.length > 0) await hintWhoPlaces(context, log);
    await refuseIfLogged(execution, log, real);
    await writeDown(execution, log, real);
    // The call that comes before may be one that nobody places.
    if (items.some(({ request }) => request.objection?.reason === 'duplicate')) {
      const unreached = await findOutOfReach(log).catch(() => []);
      for (const { sentence } of unreached) tellHint(context, sentence, 'warning');
    }
  });
}

/** Gives a call its id, or that of an earlier try. Returns whether nothing objects to the call. */
async function nameCall(
  memory: ExecutionMemory,
  { tableId }: CallLog,
  { request, remembered }: Entry,
): Promise<boolean> {
  const naming = remembered.once(async () => ({
    callId: newCallId(memory, request),
    dueAt: request.dueAt,
    said: saidBy(request),
    tableId,
  }));
  return await naming.then(
    ({ callId, ...before }) => {
      Object.assign(request, { callId, before });
      return true;
    },
    (failure: unknown) => {
      if (!(failure instanceof RuleObjection)) throw failure;
      skip(request, failure.objection);
      return false;
    },
  );
}

/**
 * Gives every call its id, or that of an earlier try, before anything is written.
 *
 * @returns the calls to which nothing objects
 */
async function nameCalls(memory: ExecutionMemory, log: CallLog, items: Entry[]): Promise<Entry[]> {
  const named: Entry[] = [];
  for (const one of items) {
    const { request, remembered } = one;
    if (request.objection !== undefined) {
      skip(request, request.objection);
      continue;
    }
    const { isElsewhere, note } = remembered;
    // The other account has surely not written it: this account may.
    if (isElsewhere && note.item === undefined && note.isAllowed !== true) remembered.forget();
    if (await nameCall(memory, log, one)) named.push(one);
  }
  return named;
}

/** Names a call of which nothing stands that earlier tries have done. What they have claimed for it stays its own. */
async function nameAnew(memory: ExecutionMemory, log: CallLog, one: Entry): Promise<boolean> {
  const { request, remembered } = one;
  const { key } = remembered.note;
  request.holdsKey = key !== undefined && key === keyOf(request);
  remembered.forget();
  return await nameCall(memory, log, one);
}

/** What becomes of a call that an earlier try has named. `waits`: its row is to be deleted, unless it begins before. */
type Fate = 'anew' | 'cancelled' | 'elsewhere' | 'stands' | 'waits';

const ELSEWHERE: Objection = {
  reason: 'earlierTry',
  words: 'an earlier try of this execution may have scheduled the call in another call log',
};

/** @param row of its last attempt */
function fateOf(
  one: Entry,
  row: Row | undefined,
  { tableId, isOfAgent }: { tableId: string; isOfAgent: boolean },
): Fate {
  const { note, wasSkipped } = one.remembered;
  const state = row && callStateOf(row);
  const isAnother = isOtherwise(one);
  if (state === 'cancelled') return isOfAgent && isAnother ? 'anew' : 'cancelled';
  if (wasSkipped) return 'stands';
  if (row === undefined) {
    if (note.item !== undefined) return 'stands';
    const { before = { tableId } } = one.request;
    return note.isAllowed === true && before.tableId !== tableId ? 'elsewhere' : 'anew';
  }
  if (attemptOf(row) > 1 || hasOrderId(row)) return 'stands';
  if (state === 'ahead') return ownStatusIn(row) === SCHEDULED ? 'waits' : 'anew';
  if (state === 'notPlaced' && isAbandoned(row)) return 'anew';
  // To change a call that waits, an agent cancels it.
  return state === 'scheduled' && isAnother && !isOfAgent ? 'waits' : 'stands';
}

/** After so many looks, a row stands that executions mark and put back again and again. */
const MOST_LOOKS = 5;

/**
 * The calls to write, each under an id of which the log has no row. First it is decided what stands of the calls that
 * earlier tries have written: a call that has begun, and one that waits as this try asks for it. Rows that wait and
 * say something else are deleted. A call that was cancelled since stays cancelled.
 */
async function entriesOf(
  { context, memory }: OperationExecution,
  log: CallLog,
  calls: Entry[],
): Promise<Entry[]> {
  const isOfAgent = isTool(context);
  const entries = new Set(calls.filter(({ remembered }) => !remembered.isEarlier));
  let open = calls.filter((one) => !entries.has(one));
  for (let looks = 1; open.length > 0; looks++) {
    const rows = await log.allRowsOfAll([ofTries(memory)]);
    const byCall = groupBy(rows, ({ callId }) => callId);
    const waiting = new Map<unknown, Entry>();
    const askedMeanwhile: Entry[] = [];
    for (const one of open) {
      const row = lastAttemptOf(byCall.get(callIdOf(one)) ?? []);
      const fate = fateOf(one, row, { tableId: log.tableId, isOfAgent });
      if (fate === 'cancelled') skip(one.request, { reason: 'cancelled' });
      else if (fate === 'elsewhere') skip(one.request, ELSEWHERE);
      else if (fate === 'waits' && looks < MOST_LOOKS) waiting.set(callIdOf(one), one);
      else if (fate !== 'anew') {
        const isAnother = isOfAgent && !one.remembered.wasSkipped && isOtherwise(one);
        (isAnother ? tellStanding : giveStanding)(one, row);
      } else if (await nameAnew(memory, log, one)) {
        // An agent may have asked twice at once.
        if (one.remembered.isOwn) entries.add(one);
        else askedMeanwhile.push(one);
      }
    }
    const isWaiting = ({ callId }: Row) => waiting.has(callId);
    await respell(log, rows.filter(isWaiting));
    await deleteWaiting(log, ofTries(memory), rows, isWaiting);
    open = [...waiting.values(), ...askedMeanwhile];
  }
  return calls.filter((one) => entries.has(one));
}

/** Writes calls ahead, decides on them, and makes those due that the rules allow. */
async function writeDown(
  execution: OperationExecution,
  log: CallLog,
  real: Entry[],
): Promise<void> {
  const entries = await entriesOf(execution, log, await nameCalls(execution.memory, log, real));
  if (entries.length === 0) return;
  const callIds = real.map(({ request }) => request.callId);
  const scheduling = await writeAhead(execution, log, entries, callIds).catch(
    async (error: unknown) => {
      await disallow(entries, execution.context);
      throw error;
    },
  );
  if (await decide(execution, entries)) await makeDue(execution, log, entries, scheduling);
  else await scheduling.withdraw();
}

/** Writes the rows of the calls, and objects to calls that another try of the execution makes. */
async function writeAhead(
  execution: OperationExecution,
  log: CallLog,
  entries: Entry[],
  callIds: Array<string | undefined>,
): Promise<Scheduling> {
  const requests = entries.map(({ request }) => request);
  const calls = entries.map((entry) => ({
    call: { callId: callIdOf(entry), request: loggedRequest(entry.request) },
    at: entry.request.dueAt,
  }));
  const scheduling = await Scheduling.writeAhead(log, calls);
  const { batch } = scheduling;
  await yieldToOtherTries(execution, log, { batch, callIds, calls: requests }).catch(
    async (error: unknown) => {
      await scheduling.withdraw().catch(() => {});
      throw error;
    },
  );
  for (const one of requests) if (one.objection !== undefined) skip(one, one.objection);
  return scheduling;
}

/** Asks the rules. Returns whether the calls are to be made due; otherwise none of this try is. */
async function decide(
  { context, cancelled }: OperationExecution,
  entries: Entry[],
): Promise<boolean> {
  await Promise.all(entries.map(async (entry) => await ask(entry, context)));
  const isFailed = entries.some(({ request: { result } }) => result && 'failure' in result);
  if (!cancelled.aborted && (!isFailed || context.continueOnFail())) return true;
  for (const { request } of entries) request.result ??= { failure: new NotBegun() };
  await disallow(entries, context);
  return false;
}

/** Makes the calls due that the rules allow, in one step, and notes what became of each. */
async function makeDue(
  execution: OperationExecution,
  log: CallLog,
  entries: Entry[],
  scheduling: Scheduling,
): Promise<void> {
  const { context, cancelled, memory } = execution;
  // Ids and claims stay: a retry looks what stands. The ends of calls that rules refuse are written.
  const unsure = (error: unknown): never => {
    memory.notes.mayBeScheduled = true;
    for (const entry of entries) if (typeof verdictOn(entry) === 'object') noteWritten(entry);
    throw mayBeScheduled(error);
  };
  await scheduling.settle(entries.map(verdictOn)).catch(async (error: unknown) => {
    if (scheduling.isUnsure) unsure(error);
    await disallow(entries, context);
    throw error;
  });
  await skipTakenOver(execution, log, entries, scheduling).catch(unsure);
  for (const entry of entries) noteWritten(entry);
  if (!cancelled.aborted) return;
  const scheduled = entries.filter(({ request }) => request.objection === undefined).length;
  const were = scheduled === 1 ? '1 call was' : `${scheduled} calls were`;
  context.logger.warn(`"${context.getNode().name}" was cancelled: ${were} scheduled before`);
}

/** Leaves out calls that another try has taken over before they were due, or that others have ended as too late. */
async function skipTakenOver(
  { context, memory }: OperationExecution,
  log: CallLog,
  entries: Entry[],
  { isLate }: Scheduling,
): Promise<void> {
  const isOverlapping = !isTool(context) && memory.isRetry;
  if (!isOverlapping && !isLate) return;
  const scheduled = entries.filter((entry) => verdictOn(entry) === 'scheduled');
  const isOne = (entry: Entry) => holds('callId', 'eq', callIdOf(entry));
  const rows = attemptsOf(await log.rowsOfAny(scheduled.map(isOne))).values();
  const byCallId = new Map([...rows].map((row) => [row.callId, row]));
  for (const entry of scheduled) {
    const { request } = entry;
    const row = byCallId.get(callIdOf(entry));
    if (row === undefined) {
      skip(request, { reason: 'earlierTry' });
      // The other try has the claim of an earlier one too.
      if (request.holdsKey !== true) await giveBack(request.rules, context);
    } else if (isLate && row.status === NOT_PLACED) {
      const failure = new DataTableError('refused', String(row.lastError), SCHEDULE_AGAIN);
      request.result = { failure };
      await giveBack(request.rules, context);
    }
  }
}

/** Asks the rules that can be asked before the call is due. */
async function ask({ request, remembered }: Entry, context: IExecuteFunctions): Promise<void> {
  if (request.result !== undefined) return;
  await request.rules.ask().then(
    () => remembered.addToNote({ isAllowed: true, ...defined({ key: keyOf(request) }) }),
    async (failure: unknown) => {
      if (failure instanceof RuleObjection) request.objection = failure.objection;
      else request.result = { failure };
      await giveBack(request.rules, context);
    },
  );
}

/** A call that failed leaves no row: its item has the error, and the next try of n8n may schedule it. */
function verdictOn({ request: { objection, result } }: Entry): Verdict {
  if (result !== undefined) return 'none';
  if (objection === undefined) return 'scheduled';
  return isCallAgain(objection) ? 'none' : { reason: inWords(objection) };
}

function noteWritten(entry: Entry): void {
  const { request, remembered } = entry;
  if (request.result !== undefined) {
    // It was not scheduled: a retry schedules a new call.
    remembered.forget();
    return;
  }
  const { objection } = request;
  const item = objection ? skippedItem(objection, request.request) : scheduledItem(entry);
  request.result = { item };
  remembered.addToNote({ item });
}

/** Forgets calls that are surely not scheduled, and gives back their claims. */
async function disallow(entries: Entry[], context: IExecuteFunctions): Promise<void> {
  for (const { remembered } of entries) remembered.forget();
  await Promise.all(entries.map(async ({ request }) => await giveBack(request.rules, context)));
}

/** Adds to an error that the calls may have been scheduled, and that only a retry is safe. */
function mayBeScheduled(error: unknown): unknown {
  if (!(error instanceof DataTableError)) return error;
  const message = `The calls may have been scheduled all the same: ${error.message}`;
  const advice = 'Retry this execution: it schedules nobody twice, and a new one may.';
  return new DataTableError(error.kind, message, advice);
}

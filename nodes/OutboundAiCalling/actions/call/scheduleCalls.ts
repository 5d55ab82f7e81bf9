import { isoIn, MINUTE_MS } from '../../clocks';
import { DataTableError } from '../../dataTables/dataTableError';
import type { CallLog } from '../../callLog/callLog';
import { callStateOf, NOT_PLACED, type CallState } from '../../callLog/states';
import { drawnId } from '../../callLog/table/rowColumns';
import { findOutOfReach } from '../../callLog/reading/outOfReach';
import { SCHEDULE_AGAIN, Scheduling, type Verdict } from '../../callLog/scheduling/scheduling';
import { tellHint } from '../../hints';
import { defined } from '../../http/json';
import { dryRunItem, skippedItem } from '../../rules/skipped';
import { refuseTooManyCalls } from '../../rules/maxCalls';
import { inWords, isCallAgain, RuleObjection, type Objection } from '../../rules/rule';
import type { ReadItem } from '../itemWork';
import { NotBegun } from '../stopping';
import { isTool, type OperationExecution } from '../execution';
import type { ExecutionMemory } from '../memory/executionMemory';
import type { JudgedCall } from './askedCall';
import { giveBack, openRules } from './askingRules';
import type { Appointment, ScheduleOutput } from './callOutput';
import { loggedRequest } from './callLogging';
import { refuseIfLogged } from './loggedBefore';
import { newCallId } from './callIds';
import { rowsOfTries, yieldToOtherTries } from './callsOfTries';
import type { AttemptSettings } from './attemptSettings';
import type { DueTime } from './callAt';

/** For somebody who schedules the first calls of a log. */
const WHO_PLACES =
  'Scheduled calls wait until a workflow that runs Place Scheduled Calls every minute is published.';

/** A call to schedule; its rules are those that are asked now, not when it is due. */
export interface CallToSchedule extends JudgedCall, DueTime {
  dueAt: number;
  /** The IANA name of the time zone in which the output shows `dueAt`. */
  timezone: string;
  stored: AttemptSettings;
  /** When it was due by the request that got its id first. */
  dueBefore?: number;
  /** The rules allowed it in an earlier try, which may have scheduled it: their claims stay. */
  wasAllowed?: boolean;
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

/** Whether an agent asks for something else. Times less than a minute apart are one, and so are all that have passed. */
function isOtherwise({ request, remembered }: Entry): boolean {
  const { dueAt, dueBefore = dueAt } = request;
  const now = Date.now();
  const apart = Math.max(dueAt, now) - Math.max(dueBefore, now);
  return remembered.isOtherwise || Math.abs(apart) >= MINUTE_MS;
}

/** Tells an agent that its call stands as it was asked for before. */
function giveStanding(call: CallToSchedule): void {
  const callAt = isoIn(call.dueBefore ?? call.dueAt, call.timezone);
  const words = `this execution has scheduled this call for ${callAt}. That stands: to change it, cancel the call first`;
  call.objection = { reason: 'earlierTry', words };
  const { callId } = call;
  call.result = { item: { ...skippedItem(call.objection, call.request), callId, callAt } };
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
    if (log?.isNew === true) tellHint(context, WHO_PLACES, 'info');
    if (log === undefined) return;
    await refuseIfLogged(execution, log, real);
    await writeDown(execution, log, real);
    // The call that comes before may be one that nobody places.
    if (items.some(({ request }) => request.objection?.reason === 'duplicate')) {
      const unreached = await findOutOfReach(log).catch(() => []);
      for (const { sentence } of unreached) tellHint(context, sentence, 'warning');
    }
  });
}

/** Gives a call its id, or that of an earlier try. */
async function nameCall(memory: ExecutionMemory, { request, remembered }: Entry): Promise<void> {
  const { callId, dueAt } = await remembered.once(async () => ({
    callId: newCallId(memory, request),
    dueAt: request.dueAt,
  }));
  Object.assign(request, { callId, dueBefore: dueAt });
}

/**
 * Gives every call its id before anything is written. Retries reuse the id: rows with the same id
 * are rows of one call, which is placed once.
 *
 * @returns the calls to which nothing objects
 */
async function nameCalls(memory: ExecutionMemory, items: Entry[]): Promise<Entry[]> {
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
    await nameCall(memory, one).then(
      () => named.push(one),
      (failure: unknown) => {
        if (!(failure instanceof RuleObjection)) throw failure;
        skip(request, failure.objection);
      },
    );
  }
  return named;
}

/** Forgets a call that was cancelled: an agent asks for another one in its place. */
function forgetCancelled(memory: ExecutionMemory, { request, remembered }: Entry): void {
  const { duplicates } = request;
  // The execution has the key of the call that was cancelled: it is for the call in its place.
  const isClaimed = remembered.note.isAllowed === true && duplicates?.isPrevented === true;
  if (isClaimed) (memory.notes.keysNotGivenBack ??= []).push(duplicates.key);
  remembered.forget();
}

/**
 * The calls whose item no earlier try has stored. A call that was cancelled since stays cancelled, but an
 * agent that then asks for another time or with other data means another call.
 */
async function entriesOf(
  { context, memory }: OperationExecution,
  log: CallLog,
  calls: Entry[],
): Promise<Entry[]> {
  const earlier = calls.filter(({ remembered }) => remembered.isEarlier);
  const rows = await rowsOfTries(log, earlier.map(callIdOf));
  const idsOf = (state: CallState) =>
    new Set(rows.filter((row) => callStateOf(row) === state).map(({ callId }) => callId));
  const cancelled = idsOf('cancelled');
  const waiting = idsOf('scheduled');
  const entries: Entry[] = [];
  for (const one of calls) {
    const { request, remembered } = one;
    const isAnotherCall = () => isTool(context) && isOtherwise(one);
    const isCancelled = cancelled.has(callIdOf(one));
    if (isCancelled && !isAnotherCall()) {
      skip(request, { reason: 'cancelled' });
      continue;
    }
    if (isCancelled) {
      forgetCancelled(memory, one);
      await nameCall(memory, one);
    }
    const { item, isAllowed } = remembered.note;
    request.wasAllowed = isAllowed;
    // Of a try that failed half-way only the row tells whether it has scheduled the call.
    const stands = item === undefined ? waiting.has(callIdOf(one)) : 'status' in item;
    if (stands && isAnotherCall()) giveStanding(request);
    else if (item === undefined) entries.push(one);
    else request.result = { item };
  }
  return entries;
}

/** Writes calls ahead, decides on them, and makes those due that the rules allow. */
async function writeDown(
  execution: OperationExecution,
  log: CallLog,
  real: Entry[],
): Promise<void> {
  const entries = await entriesOf(execution, log, await nameCalls(execution.memory, real));
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
  const isFailed = entries.some(
    ({ request: { result } }) => result !== undefined && 'failure' in result,
  );
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
  // Ids and claims stay: a retry writes the same calls again.
  const unsure = (error: unknown): never => {
    memory.notes.mayBeScheduled = true;
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
  const rows = await rowsOfTries(log, scheduled.map(callIdOf));
  const byCallId = new Map(rows.map((row) => [row.callId, row]));
  for (const entry of scheduled) {
    const { request } = entry;
    const row = byCallId.get(callIdOf(entry));
    const isEnded = isLate && row?.status === NOT_PLACED;
    if (row !== undefined && !isEnded) continue;
    if (row === undefined) skip(request, { reason: 'earlierTry' });
    else
      request.result = {
        failure: new DataTableError('refused', String(row.lastError), SCHEDULE_AGAIN),
      };
    await giveBack(request.rules, context);
  }
}

/** Asks the rules that can be asked before the call is due. */
async function ask(
  { request, remembered }: Entry,
  context: OperationExecution['context'],
): Promise<void> {
  if (request.wasAllowed === true || request.result !== undefined) return;
  await request.rules.ask().then(
    () => remembered.addToNote({ isAllowed: true }),
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
  const { objection, isTestCall } = request;
  const test = isTestCall ? { testCall: true as const } : {};
  const item: ScheduleOutput =
    objection === undefined
      ? { callId: callIdOf(entry), status: 'scheduled', ...appointmentOf(request), ...test }
      : skippedItem(objection, request.request);
  request.result = { item };
  remembered.addToNote({ item });
}

/** Forgets calls that surely no try has scheduled, and gives back their claims. */
async function disallow(entries: Entry[], context: OperationExecution['context']): Promise<void> {
  const surely = entries.filter(({ request }) => request.wasAllowed !== true);
  for (const { remembered } of surely) remembered.forget();
  await Promise.all(surely.map(async ({ request }) => await giveBack(request.rules, context)));
}

/** Adds to an error that the calls may have been scheduled, and that only a retry is safe. */
function mayBeScheduled(error: unknown): unknown {
  if (!(error instanceof DataTableError)) return error;
  const message = `The calls may have been scheduled all the same: ${error.message}`;
  const advice = 'Retry this execution: it schedules nobody twice, and a new one may.';
  return new DataTableError(error.kind, message, advice);
}

import { isoIn } from '../../clocks';
import { DataTableError } from '../../dataTables/dataTableError';
import type { CallLog } from '../../callLog/callLog';
import { drawnId } from '../../callLog/table/drawnId';
import type { NewCall } from '../../callLog/placing/loggedRequest';
import { Scheduling, type Verdict } from '../../callLog/scheduling/scheduling';
import { errorMessage } from '../../nodeError';
import { dryRunItem } from '../../rules/dryRun';
import { inWords, isCallAgain, RuleObjection, type Objection } from '../../rules/rule';
import type { Rules } from '../../rules/rules';
import { skippedItem } from '../../rules/skipped';
import { NotBegun, type ReadItem } from '../eachItem';
import { isTool, type OperationExecution } from '../execution';
import { objectToDoneOtherwise, type AskedCall } from './askedCall';
import type { Appointment, ScheduleOutput } from './callOutput';
import { loggedRequest, openKeptLog } from './callLogging';
import { giveBack } from './giveBack';
import type { KeptForAttempts } from './keptSettings';
import { ruleExecution } from './ruleExecution';
import { tellUnseenOutcomes } from './unseenOutcomes';

/** A call that is to be written down for later. */
export interface CallToSchedule extends AskedCall {
  /** Milliseconds since 1970. */
  dueAt: number;
  /** The IANA name of the time zone in which a person is told that time. */
  timezone: string;
  kept: KeptForAttempts;
  /** The rules that are asked now; the others are asked when the call is due. */
  rules: Rules;
  objection?: Objection;
  /** What the item gives out, or why it gives nothing. */
  result?: { item: ScheduleOutput } | { failure: unknown };
}

/** A call on its way into the log. */
interface Entry extends ReadItem<CallToSchedule> {
  call: NewCall;
  /** An earlier try has claimed what rules claim, and may have scheduled it: it stays claimed. */
  wasAllowed: boolean;
}

/** What tells people whom and what an item is about. */
function toldOf({ request, dueAt, timezone }: CallToSchedule): Appointment {
  const { customerPhone, orderNumber } = request;
  return {
    callAt: isoIn(dueAt, timezone),
    attempt: 1,
    customerPhone,
    ...(orderNumber === undefined ? {} : { orderNumber }),
  };
}

/** The item of a call that is not written: whether it would be, or as if it had been. */
function triedItem(call: CallToSchedule, objection: Objection | undefined): ScheduleOutput {
  const { request, simulatedOutcome } = call;
  const told = toldOf(call);
  if (simulatedOutcome === undefined) {
    return dryRunItem(true, objection, { ...told, scriptId: request.scriptId });
  }
  if (objection !== undefined) return { ...skippedItem(objection, request), simulated: true };
  return { callId: `simulated-${drawnId()}`, status: 'scheduled', ...told, simulated: true };
}

async function tryOut(call: CallToSchedule): Promise<void> {
  const asked = call.objection ?? call.rules.wouldObject();
  await Promise.resolve(asked).then(
    (objection) => {
      if (objection !== undefined) call.objection = objection;
      call.result = { item: triedItem(call, objection) };
    },
    (failure: unknown) => {
      call.result = { failure };
    },
  );
}

/**
 * Writes calls into the log that later executions place; nothing is sent to the calling service. What
 * becomes of each call is set as its `result`.
 *
 * @throws DataTableError when the log cannot be used: nothing is scheduled
 */
export async function scheduleCalls(
  execution: OperationExecution,
  items: Array<ReadItem<CallToSchedule>>,
): Promise<void> {
  if (items.length === 0) return;
  const real = items.filter(({ request }) => !request.isDryRun);
  const log = await openKeptLog(execution, { isDryRun: real.length === 0 });
  await tellUnseenOutcomes(
    execution.context,
    log,
    items.map(({ request }) => request.kept),
  );
  const rules = ruleExecution(execution, log);
  for (const { request } of items) await request.rules.open(rules);
  objectToDoneOtherwise(execution, 'schedule', items);
  const dry = items.filter(({ request }) => request.isDryRun);
  await Promise.all(dry.map(async ({ request }) => await tryOut(request)));
  if (log === undefined) return;
  // An agent may ask for the same call twice at once: the second finds what became of the first.
  await execution.memory.inTurn(async () => await writeDown(execution, log, await entriesOf(real)));
}

/**
 * Every call gets its id before anything is written, and keeps it through retries: rows with the same id
 * are rows of the same call, which is placed once.
 *
 * @returns those that no earlier try has written
 */
async function entriesOf(items: Array<ReadItem<CallToSchedule>>): Promise<Entry[]> {
  const list = drawnId();
  const entries: Entry[] = [];
  for (const [index, { request, remembered }] of items.entries()) {
    if (request.objection !== undefined) {
      request.result = { item: skippedItem(request.objection, request.request) };
      continue;
    }
    const give = async () => await Promise.resolve({ callId: `${list}-${index}` });
    const { isElsewhere, note } = remembered;
    // It was surely not written: this account may write it.
    if (isElsewhere && note.item === undefined && note.isAllowed !== true) remembered.forget();
    const given = await remembered.once(give).catch((failure: unknown) => {
      if (failure instanceof RuleObjection) return failure;
      throw failure;
    });
    if (given instanceof RuleObjection) {
      request.objection = given.objection;
      request.result = { item: skippedItem(given.objection, request.request) };
      continue;
    }
    const { callId } = given;
    request.callId = callId;
    const { item, isAllowed: wasAllowed = false } = remembered.note;
    const call = { callId, request: loggedRequest(request) };
    if (item !== undefined) request.result = { item };
    else entries.push({ request, remembered, call, wasAllowed });
  }
  return entries;
}

async function writeDown(
  { context, cancelled, memory }: OperationExecution,
  log: CallLog,
  entries: Entry[],
): Promise<void> {
  if (entries.length === 0) return;
  const batches = (memory.notes.logBatches ??= []);
  // The other calls of an agent are no earlier tries: their turn may still come.
  for (const earlier of isTool(context) ? [] : batches.splice(0)) await log.deleteBatch(earlier);
  const batch = drawnId();
  batches.push(batch);
  const calls = entries.map(({ call, request }) => ({ call, at: request.dueAt }));
  const scheduling = await Scheduling.writeAhead(log, calls, batch).catch(
    async (error: unknown) => await withdrawn(entries, context, error),
  );
  await Promise.all(entries.map(ask));
  const isFailed = entries.some(({ request }) => request.result !== undefined);
  if (cancelled.aborted || (isFailed && !context.continueOnFail())) {
    for (const { request } of entries) request.result ??= { failure: new NotBegun() };
    await disallow(entries, context);
    return await scheduling.withdraw();
  }
  await scheduling.settle(entries.map(verdictOn)).catch(async (error: unknown) => {
    if (!scheduling.isUnsure) return await withdrawn(entries, context, error);
    // A retry writes them again, as the same calls, and nobody else may claim them.
    memory.notes.mayBeScheduled = true;
    throw mayBeScheduled(error);
  });
  for (const entry of entries) noteWritten(entry);
  if (!cancelled.aborted) return;
  const scheduled = entries.filter(({ request }) => request.objection === undefined).length;
  const were = scheduled === 1 ? '1 call was' : `${scheduled} calls were`;
  context.logger.warn(`"${context.getNode().name}" was cancelled: ${were} scheduled before`);
}

/** Asks what can be asked ahead. */
async function ask({ request, remembered, wasAllowed }: Entry): Promise<void> {
  if (wasAllowed) return;
  await request.rules.ask().then(
    () => remembered.addToNote({ isAllowed: true }),
    (failure: unknown) => {
      if (failure instanceof RuleObjection) request.objection = failure.objection;
      else request.result = { failure };
    },
  );
}

function verdictOn({ request: { objection, result } }: Entry): Verdict {
  if (objection !== undefined) {
    return isCallAgain(objection) ? 'none' : { reason: inWords(objection) };
  }
  return result !== undefined && 'failure' in result
    ? { reason: errorMessage(result.failure) }
    : 'scheduled';
}

function noteWritten({ request, remembered, call }: Entry): void {
  if (request.result !== undefined) {
    // Its row says that it failed; another try is another call.
    remembered.forget();
    return;
  }
  const { objection, isTestCall } = request;
  const item: ScheduleOutput =
    objection === undefined
      ? {
          callId: call.callId,
          status: 'scheduled',
          ...toldOf(request),
          ...(isTestCall ? { testCall: true as const } : {}),
        }
      : skippedItem(objection, request.request);
  request.result = { item };
  remembered.addToNote({ item });
}

/** The calls are surely not scheduled: what was claimed for them is given back, and they are forgotten. */
async function disallow(entries: Entry[], context: OperationExecution['context']): Promise<void> {
  const surely = entries.filter(({ wasAllowed }) => !wasAllowed);
  for (const { remembered } of surely) remembered.forget();
  await Promise.all(surely.map(async ({ request }) => await giveBack(request.rules, context)));
}

async function withdrawn(
  entries: Entry[],
  context: OperationExecution['context'],
  error: unknown,
): Promise<never> {
  await disallow(entries, context);
  throw error;
}

/** An error that says what has to be known of calls that may have been scheduled. */
function mayBeScheduled(error: unknown): unknown {
  if (!(error instanceof DataTableError)) return error;
  const message = `The calls may have been scheduled all the same: ${error.message}`;
  const advice = `Retry this execution: it schedules nobody twice. A new execution would. ${error.advice}`;
  return new DataTableError(error.kind, message, advice);
}

import { MINUTE_MS } from '../clocks';
import { defined } from '../http/json';
import { isManualExecution } from '../rules/manualExecutions';
import { RuleObjection } from '../rules/rule';
import { NothingSent } from '../service/failure';
import { isTool, type OperationExecution } from './execution';
import { refusalOf } from './notes';

/** After a person stops an execution, doing the same again is refused once within this time. */
const REMEMBERED_FOR_MS = 10 * MINUTE_MS;

interface Deed {
  words: string;
  notedAt: number;
  /** Of a retry that n8n gave no memory: it gives none to the next one either. */
  byRetry?: string;
  /** It goes on, and may come to nothing. */
  isBegun?: boolean;
}

/** What stopped executions of this process, and retries of them, have done, or may have. */
const deeds = new Map<string, Deed>();

function placeOf({ context, account }: OperationExecution): string {
  return JSON.stringify([context.getWorkflow().id, context.getNode().id, account]);
}

function nameOf(execution: OperationExecution, subject: unknown): string {
  return `${placeOf(execution)} ${JSON.stringify(subject)}`;
}

/** Whether n8n has saved nothing of what the node did in the execution that this one retries. */
function isForgetfulRetry({ context, memory }: OperationExecution): boolean {
  return context.getMode() === 'retry' && !memory.isOfRetried && !isTool(context);
}

/** Remembers something that was done, or may have been, if its execution is stopped or the retry of one. */
export function noteForStop(execution: OperationExecution, subject: unknown, words: string): void {
  // An agent decides itself what to do again.
  if (isTool(execution.context)) return;
  const note = (byRetry?: string) =>
    deeds.set(nameOf(execution, subject), { words, notedAt: Date.now(), ...defined({ byRetry }) });
  if (isForgetfulRetry(execution)) note(execution.context.getExecutionId());
  const { cancelled } = execution;
  if (cancelled.aborted) note();
  else cancelled.addEventListener('abort', () => note(), { once: true });
}

/**
 * Begins something, which ends with {@link endInRetry}, if this is the retry of a stopped execution ({@link isForgetfulRetry}).
 *
 * @throws RuleObjection when another such retry does it at the same time, or has done it since this one began
 */
export function beginInRetry(execution: OperationExecution, subject: unknown, words: string): void {
  if (!isForgetfulRetry(execution)) return;
  const byRetry = execution.context.getExecutionId();
  const name = nameOf(execution, subject);
  const other = deeds.get(name);
  if (other?.byRetry !== undefined && other.byRetry !== byRetry) {
    throw new RuleObjection({
      reason: 'earlierTry',
      words: `another retry goes on: ${other.words}`,
    });
  }
  if (other === undefined) deeds.set(name, { words, notedAt: Date.now(), byRetry, isBegun: true });
}

export function endInRetry(execution: OperationExecution, subject: unknown): void {
  if (!isForgetfulRetry(execution)) return;
  const name = nameOf(execution, subject);
  const { isBegun, byRetry } = deeds.get(name) ?? {};
  if (isBegun && byRetry === execution.context.getExecutionId()) deeds.delete(name);
}

/**
 * Refuses what a stopped execution has done, or a retry of one: a person who stops one may believe that this takes back
 * what it did, and n8n shows its retries as failed. It is refused once, in all tries of the next manual execution or
 * retry.
 *
 * @param subjects what is about to be done; undefined: everything that the node has done is refused
 * @param deed what the message says that the stopped execution had done, e.g. `placed calls`
 * @throws NothingSent
 */
export function refuseAfterStop(
  execution: OperationExecution,
  subjects: unknown[] | undefined,
  deed: string,
  advice: string,
): void {
  const { context, memory } = execution;
  const by = context.getExecutionId();
  // n8n saves nothing of what a stopped execution has done, so a retry of it begins as a new one.
  const isByHand = isManualExecution(context) || context.getMode() === 'retry';
  if (!isByHand || isTool(context)) return;
  const now = Date.now();
  for (const [name, { notedAt }] of deeds) {
    if (notedAt < now - REMEMBERED_FOR_MS) deeds.delete(name);
  }
  const ofNode = () => [...deeds.keys()].filter((name) => name.startsWith(placeOf(execution)));
  // Retries of several failed executions may create a campaign each.
  const isOfOthers = ({ byRetry, isBegun = false }: Deed) =>
    byRetry === undefined ||
    (subjects !== undefined && byRetry !== by && !isBegun && isForgetfulRetry(execution));
  const names = subjects?.map((subject) => nameOf(execution, subject)) ?? ofNode();
  const found = names.flatMap((name) => {
    const one = deeds.get(name);
    return one !== undefined && isOfOthers(one) ? { name, words: one.words } : [];
  });
  for (const { name } of found) deeds.delete(name);
  if (found.length > 0) {
    const done = found.map(({ words }) => words);
    memory.notes.stoppedBefore = refusalOf(by, done);
    // The log would name the same calls to the next retry.
    memory.notes.knowsCalls = true;
  }
  // With "continue on error", a loop comes to its next round after one that was refused.
  const notes = subjects === undefined ? memory.notesOfAllScopes : [memory.notes];
  // A retry of the execution that was refused has these notes too, and goes on.
  const note = notes.find(({ stoppedBefore }) => stoppedBefore?.refused === by);
  if (note?.stoppedBefore === undefined) return;
  throw new NothingSent(
    `The execution that was stopped, or a retry, had ${deed}: ${note.stoppedBefore.words}`,
    advice,
  );
}

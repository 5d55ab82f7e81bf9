import { MINUTE_MS } from '../clocks';
import { isManualExecution } from '../rules/manualExecutions';
import { NothingSent } from '../service/failure';
import { isTool, type OperationExecution } from './execution';
import { refusalOf } from './notes';

/** After a person stops an execution, doing the same again is refused once within this time. */
const REMEMBERED_FOR_MS = 10 * MINUTE_MS;

/** What stopped executions of this process have done, or may have: in words. */
const stopped = new Map<string, { words: string; stoppedAt: number }>();

function placeOf({ context, account }: OperationExecution): string {
  return JSON.stringify([context.getWorkflow().id, context.getNode().id, account]);
}

function nameOf(execution: OperationExecution, subject: unknown): string {
  return `${placeOf(execution)} ${JSON.stringify(subject)}`;
}

/** Remembers something that was done, or may have been, if its execution is stopped. */
export function noteForStop(execution: OperationExecution, subject: unknown, words: string): void {
  // An agent decides itself what to do again.
  if (isTool(execution.context)) return;
  const note = () => stopped.set(nameOf(execution, subject), { words, stoppedAt: Date.now() });
  const { cancelled } = execution;
  if (cancelled.aborted) note();
  else cancelled.addEventListener('abort', note, { once: true });
}

/**
 * Refuses what a stopped execution has done: a person who stops one may believe that this takes back what it did. It
 * is refused once, in all tries of the next manual execution or retry.
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
  for (const [name, { stoppedAt }] of stopped) {
    if (stoppedAt < now - REMEMBERED_FOR_MS) stopped.delete(name);
  }
  const ofNode = () => [...stopped.keys()].filter((name) => name.startsWith(placeOf(execution)));
  const names = subjects?.map((subject) => nameOf(execution, subject)) ?? ofNode();
  const found = names.flatMap((name) => stopped.get(name)?.words ?? []);
  for (const name of names) stopped.delete(name);
  if (found.length > 0) {
    memory.notes.stoppedBefore = refusalOf(by, found);
    // The log would name the same calls to the next retry.
    memory.notes.knowsCalls = true;
  }
  // With "continue on error", a loop comes to its next round after one that was refused.
  const notes = subjects === undefined ? memory.notesOfAllScopes : [memory.notes];
  // A retry of the execution that was refused has these notes too, and goes on.
  const note = notes.find(({ stoppedBefore }) => stoppedBefore?.refused === by);
  if (note?.stoppedBefore === undefined) return;
  throw new NothingSent(
    `The execution that was stopped had ${deed}: ${note.stoppedBefore.words}`,
    advice,
  );
}

import { groupBy } from '../../../nodes/OutboundAiCalling/collections';
import type { BookedExecution, Books, Fired } from '../books';
import type { History, Step, TriggerOfHistory } from '../history';
import type { LogRow } from '../logRows';
import { API_KEYS, type Ring } from '../world/service';

// What several laws ask the books.

export type Check = (history: History, books: Books) => string[];

export const MINUTE_MS = 60_000;

export const DAY_MS = 24 * 60 * MINUTE_MS;

/** A call that was about to be placed when Cancel came may ring for so long after. */
export const ABOUT_TO_RING_MS = 90_000;

/** From its last question to its request a process takes less long. */
const ABOUT_TO_SEND_MS = 50;

/** The nodes wait no longer for n8n's answer. */
const TABLES_WAITED_FOR_MS = 20_000;

/** Whether n8n's tables answer later than the nodes wait, so that requests are made again. */
export const outlastsWaiting = (step: Step): boolean =>
  step.do === 'tablesSlow' && step.lateMs >= TABLES_WAITED_FOR_MS;

export const RULES_THAT_STOP = [
  'hours',
  'maxCallsPerDay',
  'maxCallsPerPersonPerDay',
  'maxCostPerDay',
];

export const STOOD_STILL = /n8n stood still/;

export const byOrder = <T extends { order: number }>(entries: T[]): Map<number, T[]> =>
  groupBy(entries, ({ order }) => order);

export const clock = ({ startedAt }: Books, at: number): string =>
  `${((at - startedAt) / 1000).toFixed(1)} s`;

/** Executions that ask for a call about each order, but for retries: those call nobody again. */
export function intents({ executions }: Books): Map<number, BookedExecution[]> {
  const map = new Map<number, BookedExecution[]>();
  for (const execution of executions) {
    if (!['schedule', 'call', 'callAndWait'].includes(execution.deed)) continue;
    for (const order of execution.orders) {
      map.set(order, [...(map.get(order) ?? []), execution]);
    }
  }
  return map;
}

/** Whether a person has deleted what the log told of an order, or has written over it by scheduling again. */
export const wasUndone = (order: number, { deletedByHand, scheduledByHand }: Books): boolean =>
  deletedByHand.has(order) || scheduledByHand.has(order);

/** Whether the log was made to forget an order, or a call about it. */
export const wasDeleted = (order: number, books: Books): boolean =>
  wasUndone(order, books) ||
  books.executions.some(({ deed, orders }) => deed === 'prune' && orders.includes(order));

export const isFirst = ({ retryOf }: BookedExecution): boolean => retryOf === undefined;

/** How often a step asks for each of its calls. */
export function timesIn(step: History['steps'][number] | undefined): number {
  if (step?.do === 'retry') return step.isRebuilt === true ? 2 : 1;
  return step?.do === 'call' && step.isRepeated === true ? (step.rounds ?? 1) : 1;
}

export const attemptsOf = ({ settings: { planMinutes = [] } }: BookedExecution): number =>
  planMinutes.length + 1;

/**
 * Whether an execution asks for its calls again, and means other calls: in rounds of a loop, or because its agent
 * has heard that nobody was called.
 */
export const asksAgain =
  ({ steps }: History) =>
  ({ step, deed }: BookedExecution): boolean =>
    (deed === 'call' && 'asks' in (steps[step] ?? {})) || timesIn(steps[step]) > 1;

/** Rows that are not scheduled yet, because their list is still being written. */
export function isWrittenAhead(rows: LogRow[]): boolean {
  return rows.some(({ status }) => status === 'not_placed');
}

export const isCancelledCall =
  (of: number) =>
  ({ order, status, attempt }: LogRow): boolean =>
    order === of && attempt === 1 && status === 'cancelled';

/** Whether a later try of its execution may come to the call of a row. */
export const isUntried = ({ status, batch, hasEnded }: LogRow): boolean =>
  status === 'not_placed' && batch !== '' && !hasEnded;

/** A process that stands still between its last question and its request cannot ask again. */
export const hasStoodStill = ({ process, sentAt }: Ring, { processes }: Books): boolean =>
  processes[process]?.resumedAt.some((at) => at <= sentAt && sentAt < at + ABOUT_TO_SEND_MS) ===
  true;

/** A rule of one of the workflows that ask for a call; undefined when one of them does not have it. */
export function rulesOf<T>(
  asked: BookedExecution[] | undefined,
  rule: (settings: History['settings']) => T | undefined,
): T[] | undefined {
  const rules = (asked ?? []).map(({ settings }) => rule(settings));
  return rules.length === 0 || rules.includes(undefined) ? undefined : (rules as T[]);
}

/** Whether an order may have fired twice: its trigger was killed at some time. */
export function wasKilled({ processes }: Books, process: number): boolean {
  return processes[process]?.kills !== 0;
}

/**
 * Whether a trigger has to tell of a call. One that was away while the second key was in use goes on, with that
 * key, where it stood with the first.
 */
export function isForTrigger(
  ring: Ring,
  { exchangedBefore, executions }: Books,
  trigger: number,
  key: TriggerOfHistory['key'],
): boolean {
  if (key !== undefined) return ring.key === API_KEYS[key];
  if (ring.key === API_KEYS[0]) return true;
  // Prune keeps what a trigger waits for; it may come before the trigger's first poll with that key.
  const isPruned = executions.some(
    ({ deed, orders }) => deed === 'prune' && orders.includes(ring.order),
  );
  return exchangedBefore[trigger] === 1 && !isPruned;
}

/** What a trigger has fired. */
export const firedBy = ({ fired }: Books, trigger: number): Fired[] =>
  fired.filter((one) => one.trigger === trigger);

/** What a person and n8n do every day: nobody edits, stops or breaks anything. */
export const EVERY_DAY = new Set<string>([
  'schedule',
  'call',
  'callAndWait',
  'place',
  'poll',
  'try',
]);

export const isFair = ({ steps, faults }: History): boolean =>
  faults.length === 0 && steps.every((step) => EVERY_DAY.has(step.do));

/** What has a waiting call cancelled, or its row deleted. */
export const CANCELS = new Set<string>([
  ...[
    'cancel',
    'cancelByHand',
    'cancelExecution',
    'edit',
    'editDueAt',
    'copyRow',
    'scheduleByHand',
  ],
  ...['deleteRows', 'emptyLog', 'prune'],
]);

/** The executions of which one is a retry of the other, or both of a third one. */
export function triesOf({ id, retryOf }: BookedExecution, executions: BookedExecution[]) {
  const first = retryOf ?? id;
  return executions.filter((one) => (one.retryOf ?? one.id) === first);
}

/** A label in lower snake case. */
export const keyOfLabel = (label: string): string =>
  label.toLowerCase().replace(/[^\p{L}]+/gu, '_');

import { LONGEST_POLL_MS } from './lookTimes';

const latest = new Map<string, { context: object; startedAt: number }>();
const published = new WeakSet<object>();

export interface OngoingPoll {
  /** Whether n8n waits for this poll while it publishes the workflow or starts. */
  isPublishing: boolean;
  isSuperseded(): boolean;
  end(): void;
}

/**
 * Begins a poll, unless another one of the trigger goes on. n8n starts a poll even while the
 * previous one runs. Within one publication, the running poll goes on. After a new publication, the
 * new poll takes over. Under the durable scheduler, the running poll always goes on: it is short,
 * and what it hands over is saved when it ends.
 *
 * @param context n8n's context: one object for all polls of a publication. Under the durable
 * scheduler, each poll has its own, and so does publishing
 * @param isBudgeted whether n8n gives the poll less time than usual, as the durable scheduler does
 * @returns undefined when this poll must do nothing
 */
export function beginPoll(
  trigger: string,
  context: object,
  isBudgeted: boolean,
): OngoingPoll | undefined {
  const now = Date.now();
  const other = latest.get(trigger);
  const isUnderWay = other !== undefined && now - other.startedAt < LONGEST_POLL_MS;
  if (isUnderWay && (other.context === context || isBudgeted)) return undefined;
  const isPublishing = !isBudgeted && !published.has(context);
  published.add(context);
  const mine = { context, startedAt: now };
  latest.set(trigger, mine);
  return {
    isPublishing,
    isSuperseded: () => latest.get(trigger) !== mine,
    end: () => {
      if (latest.get(trigger) === mine) latest.delete(trigger);
    },
  };
}

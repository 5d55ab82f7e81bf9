import { LONGEST_POLL_MS } from './schedule';
import type { TriggerKey } from './watch/watch';

const latest = new Map<TriggerKey, { context: object; startedAt: number }>();
const published = new WeakSet<object>();

/** A poll that goes on, and no other of its trigger beside it. */
export interface OngoingPoll {
  /** Whether this is the poll that n8n waits for when it publishes the workflow or starts. */
  isPublishing: boolean;
  isSuperseded(): boolean;
  end(): void;
}

/**
 * Lets a poll begin. n8n starts a poll although the last one is still under way: of one
 * publication the older goes on, of two publications the newer takes over. Under the durable scheduler
 * the older goes on always: it is short, and what it hands over is saved when it ends.
 *
 * @param context n8n's context, which is one object for all polls of a publication; under the
 * durable scheduler, which publishes with a context of its own, it is another one each time
 * @param isBudgeted whether n8n bounds the poll more closely than usual, as that scheduler does
 * @returns undefined when there is nothing to do
 */
export function beginPoll(
  trigger: TriggerKey,
  context: object,
  isBudgeted: boolean,
  now = Date.now(),
): OngoingPoll | undefined {
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

import { LONGEST_POLL_MS } from './lookTimes';

/** The latest poll under each name of a trigger. */
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
 * @param names what n8n calls the trigger: its id, and its name in the workflow. A node that is pasted in place of
 * another, or comes with an older version of the workflow, has the name of that one and another id
 * @param context n8n's context: one object for all polls of a publication. Under the durable
 * scheduler, each poll has its own, and so does publishing
 * @param isBudgeted whether n8n gives the poll less time than usual, as the durable scheduler does
 * @returns undefined when this poll must do nothing
 */
export function beginPoll(
  names: string[],
  context: object,
  isBudgeted: boolean,
): OngoingPoll | undefined {
  const now = Date.now();
  const others = names.flatMap((name) => latest.get(name) ?? []);
  const underWay = others.filter(({ startedAt }) => now - startedAt < LONGEST_POLL_MS);
  if (underWay.some((other) => other.context === context || isBudgeted)) return undefined;
  const isPublishing = !isBudgeted && !published.has(context);
  published.add(context);
  const mine = { context, startedAt: now };
  for (const name of names) latest.set(name, mine);
  return {
    isPublishing,
    isSuperseded: () => names.some((name) => latest.get(name) !== mine),
    end: () => {
      for (const name of names) if (latest.get(name) === mine) latest.delete(name);
    },
  };
}

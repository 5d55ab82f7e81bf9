import type { History, Step } from '../history';
import type { Random } from '../world/random';

/** What shops meet now and then. */
export interface Twist {
  /** In how many of the histories. */
  chance: number;
  give(history: History, random: Random): History;
}

export const MINUTE_MS = 60_000;

/** A time that is drawn, both bounds included. */
export const at = (random: Random, min: number, max: number) => ({ at: random.integer(min, max) });

/** The history with more steps. */
export const withSteps = (history: History, steps: Step[]): History => ({
  ...history,
  steps: [...history.steps, ...steps],
});

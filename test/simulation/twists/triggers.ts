import type { Step } from '../history';
import { at, withSteps, type Twist } from './twist';

/** Triggers watch the instance beside the log. */
export const onInstance: Twist = {
  chance: 0.07,
  give(history, random) {
    const more = history.skews.map((_, process) => ({ process, watch: 'instance' as const }));
    const isFast = random.chance(0.3);
    const added = more.map((trigger) => (isFast ? { ...trigger, fastChecks: true } : trigger));
    return { ...history, triggers: [...history.triggers, ...added] };
  },
};

/** A trigger is published late, and may be unpublished for a while. */
export const lateTriggers: Twist = {
  chance: 0.05,
  give(history, random) {
    // They watch the log.
    if (history.settings.hasNoLog === true) return history;
    const added = Array.from({ length: random.integer(1, 2) }, () => ({
      process: random.integer(0, 1),
      publishedAt: random.integer(5_000, 250_000),
      ...(random.chance(0.3) ? { fastChecks: true } : {}),
      ...(random.chance(0.3) ? { finalOnly: true } : {}),
    }));
    const first = history.triggers.length;
    const away = added.flatMap(({ publishedAt }, index): Step[] =>
      random.chance(0.4)
        ? [
            {
              do: 'unpublish',
              trigger: first + index,
              ms: random.pick([5_000, 60_000, 600_000]),
              when: at(random, publishedAt, publishedAt + 100_000),
            },
          ]
        : [],
    );
    return withSteps({ ...history, triggers: [...history.triggers, ...added] }, away);
  },
};

/** Two accounts share one log, each with workflows and triggers of its own. */
export const twoAccounts: Twist = {
  chance: 0.05,
  give(history, random) {
    const key = () => (random.chance(0.5) ? 1 : 0);
    const alone = history.steps.filter((step) => step.do !== 'exchangeKey');
    const steps = alone.map((step): Step => ({ ...step, key: key() }));
    const placing = steps
      .filter((step) => step.do === 'place')
      .map((step): Step => ({ ...step, key: step.key === 1 ? 0 : 1 }));
    const triggers = [0, 1].flatMap((one) =>
      history.triggers
        .filter(() => one === 0 || random.chance(0.8))
        .map((trigger) => ({ ...trigger, key: one === 1 ? (1 as const) : (0 as const) })),
    );
    return withSteps({ ...history, steps, triggers }, placing);
  },
};

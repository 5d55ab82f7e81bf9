import type { Fault, Step } from '../history';
import { at, withSteps, type Twist } from './twist';

/** As in a first workflow: no log, and triggers on the instance. */
export const withoutLog: Twist = {
  chance: 0.05,
  give(history, random) {
    const settings = { ...history.settings, hasNoLog: true };
    // These need a log.
    for (const name of [
      ...(['planMinutes', 'maxCallsPerDay', 'maxCallsPerPersonPerDay'] as const),
      'doNotCallOutcomes' as const,
    ]) {
      delete settings[name];
    }
    const triggers = history.skews.map((_, process) => ({ process, watch: 'instance' as const }));
    // Without a log, retries of one execution in two processes do not know of each other.
    const alone = history.steps.filter((step) => step.do !== 'retry');
    const steps = alone.map((step): Step =>
      step.do === 'schedule' ? { ...step, do: random.chance(0.7) ? 'call' : 'callAndWait' } : step,
    );
    return { ...history, settings, triggers, steps };
  },
};

/** Who was not called goes on in a branch of its own. */
export const notCalledOutput: Twist = {
  chance: 0.05,
  give(history, random) {
    const settings = { ...history.settings, notCalledOutput: true };
    if (random.chance(0.5)) settings.continueOnFail = true;
    if (settings.hours !== undefined) settings.outsideHours = random.pick(['fail', 'skip']);
    return { ...history, settings };
  },
};

/** Orders have no number: several of one person would have one duplicate key. */
export const noNumbers: Twist = {
  chance: 0.05,
  give: (history) => ({
    ...history,
    people: undefined,
    settings: { ...history.settings, hasNoNumbers: true },
    steps: history.steps.map((step) => (step.do === 'cancel' ? { ...step, by: 'phone' } : step)),
  }),
};

/** Calls may cost so much a day. */
export const costs: Twist = {
  chance: 0.03,
  give(history, random) {
    // Nobody is called any more when one call costs more than a day may; and only a log tells costs.
    if (history.callSeconds.max > 120 || history.settings.hasNoLog) return history;
    return { ...history, settings: { ...history.settings, maxCostPerDay: random.pick([3, 6]) } };
  },
};

/** Workflows have rules of their own, and may ask for the same orders. */
export const otherRules: Twist = {
  chance: 0.05,
  give(history, random) {
    // Caps and attempts need a log.
    if (history.settings.hasNoLog === true) return history;
    const own = (): NonNullable<Step['settings']> => ({
      ...(random.chance(0.6) ? { preventDuplicates: random.chance(0.6) } : {}),
      ...(random.chance(0.4)
        ? { planMinutes: random.chance(0.3) ? undefined : random.pick([[1], [3, 4]]) }
        : {}),
      ...(random.chance(0.3) ? { maxCallsPerDay: random.integer(1, 4) } : {}),
      ...(random.chance(0.2) ? { maxCallsPerPersonPerDay: random.integer(1, 3) } : {}),
      ...(random.chance(0.2) ? { doNotCall: undefined, doNotCallOutcomes: undefined } : {}),
      ...(random.chance(0.2)
        ? { hours: random.chance(0.5) ? { start: '12:02', end: '21:00' } : undefined }
        : {}),
      ...(random.chance(0.2) ? { continueOnFail: random.chance(0.5) } : {}),
      ...(random.chance(0.2) ? { concurrency: random.integer(1, 2) } : {}),
      ...(random.chance(0.2) ? { scheduleAgain: true } : {}),
    });
    const begins = (step: Step) => 'orders' in step && step.do !== 'try';
    const steps = history.steps.map((step): Step => {
      if (step.do === 'place') {
        return { ...step, settings: { maxInProgress: random.integer(1, 4) } };
      }
      return begins(step) ? { ...step, settings: own() } : step;
    });
    const begun = history.steps.filter(begins);
    const again = Array.from({ length: random.integer(0, 2) }, (): Step => {
      const { when, ...step } = random.pick(begun) as Extract<Step, { do: 'call' }>;
      const startAt = 'at' in when ? when.at : 0;
      const span = random.pick([50, 2_000, 20_000, 100_000]);
      const kind = random.pick(['schedule', 'call', 'callAndWait'] as const);
      return { ...step, do: kind, settings: own(), when: at(random, startAt, startAt + span) };
    });
    const settings = { ...history.settings, inOwnWorkflows: true };
    // A retry of a workflow would be that of another one.
    return withSteps({ ...history, steps, settings }, again);
  },
};

/** An AI agent has a call as its tool: it asks for several at once, and again. */
export const agents: Twist = {
  chance: 0.05,
  give(history, random) {
    const steps = history.steps.flatMap((step): Step[] => {
      // Only a failed execution can be retried.
      if (step.do === 'retry') return [];
      if (step.do !== 'schedule' && step.do !== 'call' && step.do !== 'callAndWait') return [step];
      if (step.orders.to - step.orders.from > 9 || random.chance(0.2)) return [step];
      const asks = { times: random.integer(1, 3), apartMs: random.pick([0, 30, 2_000, 40_000]) };
      if (step.do === 'schedule' && random.chance(0.5)) return [{ ...step, asks }];
      return [{ ...step, do: 'call', asks }];
    });
    return { ...history, steps };
  },
};

/** One execution calls in a loop of several rounds. */
export const loops: Twist = {
  chance: 0.05,
  give(history, random) {
    const steps = history.steps.map((step): Step =>
      step.do === 'call' || (step.do === 'schedule' && random.chance(0.5))
        ? {
            ...step,
            do: 'call',
            rounds: random.integer(2, 4),
            ...(random.chance(0.4) ? { isRepeated: true } : {}),
          }
        : step,
    );
    return { ...history, steps };
  },
};

/** An execution fails; a person saves the workflow with a loop around the node, and retries it. */
export const rebuilt: Twist = {
  chance: 0.04,
  give(history, random) {
    if (history.settings.hasNoLog === true) return history;
    const begun = history.steps.flatMap((step, index) =>
      step.do === 'call' && step.asks === undefined && step.rounds === undefined ? [index] : [],
    );
    if (begun.length === 0) return history;
    const retry = (step: number): Step => ({
      do: 'retry',
      process: random.integer(0, 1),
      step,
      isRebuilt: true,
      when: at(random, 5_000, 200_000),
    });
    // A refused call did not ring.
    const [when, befalls] = random.pick<[Fault['when'], Fault['befalls']]>([
      ['before', { kind: 'status', status: 402 }],
      ['after', { kind: 'status', status: 503 }],
      ['after', { kind: 'lost' }],
    ]);
    const nth = random.integer(1, 4);
    const fault: Fault = { to: 'service', method: 'POST', nth, when, befalls };
    return { ...withSteps(history, begun.map(retry)), faults: [...history.faults, fault] };
  },
};

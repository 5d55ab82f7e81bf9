import type { IDataObject } from 'n8n-workflow';
import type { Deed, Fault, Step } from '../history';
import { at, withSteps, type Twist } from './twist';

/** People have several orders, and may say that nobody should call them any more. */
export const samePeople: Twist = {
  chance: 0.1,
  give(history, random) {
    const settings = { ...history.settings };
    if (random.chance(0.5)) settings.maxCallsPerPersonPerDay = random.integer(1, 3);
    if (random.chance(0.4)) Object.assign(settings, { doNotCall: true, doNotCallOutcomes: true });
    // Many orders of one person would wait for months.
    const most = Math.ceil(Object.keys(history.outcomes).length / 4);
    return { ...history, settings, people: random.integer(1, 4) * Math.ceil(most / 4) };
  },
};

/** Somebody presses a button twice, without the rule that prevents duplicates. */
export const pressedTwice: Twist = {
  chance: 0.05,
  give(history, random) {
    const settings = { ...history.settings, scheduleAgain: random.chance(0.2) };
    delete settings.preventDuplicates;
    const begun = history.steps.filter((step) => step.do === 'schedule' || step.do === 'call');
    const again = begun.flatMap((step): Step[] => {
      const startAt = 'at' in step.when ? step.when.at : 0;
      const span = random.pick([50, 1_000, 10_000, 100_000]);
      return [{ ...step, do: 'schedule', when: at(random, startAt, startAt + span) }];
    });
    return withSteps({ ...history, settings }, again);
  },
};

/** A person tries the same nodes out beside production. */
export const trials: Twist = {
  chance: 0.07,
  give(history, random) {
    // By the order's number people would also find the rows of test calls.
    const ways = history.steps.some((step) => 'order' in step)
      ? (['dryRun', 'simulate'] as const)
      : (['dryRun', 'testPhone', 'simulate'] as const);
    const begun = history.steps.filter((step) => 'orders' in step && 'at' in step.when);
    const trials = Array.from({ length: random.integer(1, 3) }, (): Step => {
      const { when, ...like } = random.pick(begun) as Extract<Step, { do: 'call' }>;
      const startAt = 'at' in when ? when.at : 0;
      const span = random.pick([20, 1_000, 20_000, 100_000]);
      const isPlacing = random.chance(0.2);
      const how = random.pick(ways);
      return {
        do: 'try',
        what: isPlacing
          ? 'place'
          : random.chance(0.7)
            ? like.do
            : random.pick(['schedule', 'call']),
        how: isPlacing && how === 'testPhone' ? 'dryRun' : how,
        // n8n's store of keys answers only by recording them: in that moment another process finds them claimed.
        process: like.process,
        orders: like.orders,
        when: at(random, Math.max(0, startAt - span), startAt + span),
      };
    });
    return withSteps(history, trials);
  },
};

/** A person deletes all rows of the log, and new orders come in. */
export const emptied: Twist = {
  chance: 0.05,
  give(history, random) {
    const before = Object.keys(history.outcomes).length;
    const many = random.integer(1, 6);
    const emptiedAt = random.integer(5_000, 200_000);
    const added = Array.from({ length: many }, (_, index) => [
      before + index + 1,
      [random.pick(['Order confirmed', 'no_answer', 'Not Interested'])],
    ]);
    const orders = { from: before + 1, to: before + many };
    const process = random.integer(0, 1);
    const kind = random.pick(['schedule', 'call', 'callAndWait'] as const);
    const later = at(random, emptiedAt + 10, emptiedAt + random.pick([3_000, 200_000]));
    return withSteps(
      { ...history, outcomes: { ...history.outcomes, ...Object.fromEntries(added) } },
      [
        { do: 'emptyLog', when: { at: emptiedAt } },
        { do: kind, process, orders, when: later },
        { do: 'place', process, when: { at: later.at + 5_000 } },
      ],
    );
  },
};

/** A person, or a workflow, edits the rows of all orders at once. */
export const inBulk: Twist = {
  chance: 0.04,
  give(history, random) {
    const orders = Object.keys(history.outcomes).map(Number);
    // Where calls go on for hours they may be placed long after the time that a person writes.
    if (orders.length > 20 || history.callSeconds.max > 120) return history;
    // By the orders' numbers people would also find the rows of test calls.
    if (history.steps.some((step) => step.do === 'try' && step.how === 'testPhone')) return history;
    const deedOf = random.pick<(order: number) => Deed>([
      (order) => ({ do: 'cancelByHand', order }),
      (order) => ({ do: 'editDueAt', order, minutes: 2 }),
      (order) => ({ do: 'scheduleByHand', order }),
      (order) => ({ do: 'copyRow', order }),
    ]);
    const when = at(random, 5_000, 200_000);
    const some = random.chance(0.5) ? orders : orders.filter(() => random.chance(0.5));
    return withSteps(
      history,
      some.map((order): Step => ({ ...deedOf(order), when })),
    );
  },
};

/** A person empties or mistypes cells of a row that waits, also of those that only the nodes need. */
export const brokenCells: Twist = {
  chance: 0.05,
  give(history, random) {
    const orders = Object.keys(history.outcomes).map(Number);
    // Without its request nobody can tell a test call from others.
    const isTried = history.steps.some((step) => step.do === 'try');
    const steps = Array.from({ length: random.integer(1, 3) }, (): Step => ({
      do: 'edit',
      order: random.pick(orders),
      cells: random.pick<IDataObject>([
        ...[{ runAt: null }, { runAt: 9e15 }, { lockedUntil: null }, { lockedUntil: 9e15 }],
        ...[{ batch: null }, { lookCount: null }, { customerPhone: null }],
        ...(isTried ? [] : [{ request: '{' }]),
      ]),
      where: { status: 'scheduled', batch: '' },
      when: at(random, 0, 250_000),
    }));
    return withSteps(history, steps);
  },
};

/** Executions wait for outcomes, fail and are retried, while a person has calls of theirs placed again. */
export const waitedFor: Twist = {
  chance: 0.05,
  give(history, random) {
    const orders = Object.keys(history.outcomes).map(Number);
    // Without a log, retries of one execution in two processes do not know of each other.
    if (orders.length > 20 || history.settings.hasNoLog === true) return history;
    const steps = history.steps.map((step): Step =>
      (step.do === 'call' || step.do === 'schedule') && step.asks === undefined
        ? { do: 'callAndWait', process: step.process, orders: step.orders, when: step.when }
        : step,
    );
    const begun = steps.flatMap(({ do: kind }, index) => (kind === 'callAndWait' ? index : []));
    const hands = Array.from({ length: random.integer(1, 4) }, (): Step[] => {
      const order = random.pick(orders);
      const editedAt = random.integer(5_000, 200_000);
      const deed = random.pick<Deed>([
        { do: 'scheduleByHand', order },
        { do: 'scheduleByHand', order },
        { do: 'cancelByHand', order },
        { do: 'editDueAt', order, minutes: 1 },
      ]);
      const process = random.integer(0, 1);
      return [
        { ...deed, when: { at: editedAt } },
        {
          do: 'place',
          process,
          keepOnSeconds: 20,
          when: at(random, editedAt, editedAt + 80_000),
        },
        ...begun.slice(0, 1).map((step): Step => ({
          do: 'retry',
          process: random.integer(0, 1),
          step,
          when: at(random, editedAt, editedAt + 90_000),
        })),
      ];
    });
    const fault: Fault = {
      to: 'service',
      method: 'POST',
      from: 2_000,
      nth: random.integer(1, 3),
      when: 'after',
      befalls: random.pick<Fault['befalls']>([{ kind: 'status', status: 503 }, { kind: 'lost' }]),
    };
    return {
      ...withSteps({ ...history, steps }, hands.flat()),
      faults: [...history.faults, fault],
    };
  },
};

/** A person renames the log, while workflows and triggers go on with it. */
export const renamed: Twist = {
  chance: 0.04,
  give(history, random) {
    const names = Array.from({ length: random.integer(1, 2) }, (_, index) => `Log ${index + 2}`);
    const steps = names.map((name): Step => ({
      do: 'renameLog',
      name,
      when: at(random, 0, 250_000),
    }));
    return withSteps({ ...history, isLogFromList: true, hasNoLog: undefined }, steps);
  },
};

/** n8n is killed while it calls, or somebody stops the execution; then a person retries it. */
export const retriedUnsaved: Twist = {
  chance: 0.05,
  give(history, random) {
    const index = random.integer(0, history.steps.length - 1);
    const step = history.steps[index];
    if (step === undefined || !['call', 'callAndWait', 'schedule'].includes(step.do))
      return history;
    if (!('process' in step) || !('at' in step.when) || history.settings.hasNoLog) return history;
    const endsAt = step.when.at + random.integer(50, random.pick([2_000, 60_000]));
    const end: Deed = random.chance(0.5)
      ? { do: 'kill', process: step.process }
      : { do: 'cancelExecution', step: index };
    const retry: Deed = {
      ...{ do: 'retry', process: random.integer(0, 1), step: index },
      ...(random.chance(0.7) ? { leftNoTrace: true } : {}),
    };
    return withSteps(history, [
      { ...end, when: { at: endsAt } },
      { ...retry, when: { at: endsAt + random.integer(6_000, 200_000) } },
    ]);
  },
};

/** What a person may write over the status of a call that has ended. */
const OVER_AN_END = [
  ...[
    'cancelled',
    'Canceled',
    'not_placed',
    'Not placed',
    'maybe_placed',
    'placing',
    'in_progress',
  ],
  ...['', null, 'done'],
];

/** A person writes something over the status of calls that have ended, and the orders come in once more. */
export const endedByHand: Twist = {
  chance: 0.04,
  give(history, random) {
    if (history.settings.hasNoLog === true) return history;
    const orders = Object.keys(history.outcomes).map(Number);
    const settings = { ...history.settings, preventDuplicates: true };
    const editedAt = random.integer(60_000, 400_000);
    const edits = Array.from({ length: random.integer(1, 4) }, (): Step => ({
      do: 'edit',
      order: random.pick(orders),
      cells: { status: random.pick(OVER_AN_END) },
      where: { status: random.pick(['completed', 'completed', 'failed']) },
      when: at(random, editedAt, editedAt + 20_000),
    }));
    const begun = history.steps.filter((step) => step.do === 'schedule' || step.do === 'call');
    const again = begun.map((step): Step => ({
      ...step,
      when: at(random, editedAt, editedAt + 100_000),
    }));
    return withSteps({ ...history, settings }, [...edits, ...again]);
  },
};

/** A person writes into rows that wait how the calls have ended: by another telephone, say. */
export const outcomeByHand: Twist = {
  chance: 0.04,
  give(history, random) {
    const orders = Object.keys(history.outcomes).map(Number);
    const steps = Array.from({ length: random.integer(1, 3) }, (): Step => ({
      do: 'edit',
      order: random.pick(orders),
      cells: { outcome: random.pick(['Order confirmed', 'no_answer', 'Spoke to her']) },
      where: { status: 'scheduled' },
      when: at(random, 0, 250_000),
    }));
    return withSteps(history, steps);
  },
};

/** A person corrects the outcomes of calls after which others are to come. */
export const correctedOutcomes: Twist = {
  chance: 0.05,
  give(history, random) {
    const { planMinutes, hasNoLog } = history.settings;
    const isOther = (step: Step) =>
      step.do === 'edit' || (step.do === 'try' && step.how === 'testPhone');
    if (planMinutes === undefined || hasNoLog === true || history.steps.some(isOther)) {
      return history;
    }
    const orders = Object.keys(history.outcomes).map(Number);
    const steps = Array.from({ length: random.integer(1, 4) }, (): Step => ({
      do: 'edit',
      order: random.pick(orders),
      cells: { outcome: 'Order confirmed' },
      where: { status: random.pick(['failed', 'completed']) },
      when: at(random, 60_000, 500_000),
    }));
    return withSteps(history, steps);
  },
};

/** A slow service, and a person who takes rows whose requests are under way for stuck ones. */
export const overMarks: Twist = {
  chance: 0.05,
  give(history, random) {
    const orders = Object.keys(history.outcomes).map(Number);
    if (orders.length > 20 || history.settings.hasNoLog === true) return history;
    // By the orders' numbers people would also find the rows of test calls, and of those that others have edited.
    const isOther = (step: Step) =>
      step.do === 'edit' || (step.do === 'try' && step.how === 'testPhone');
    if (history.steps.some(isOther)) return history;
    const placingMs = random.pick([500, 8_000, 25_000]);
    const steps = Array.from({ length: random.integer(1, 3) }, () => {
      const on = { to: 'tables', holds: '"placing"', nth: random.integer(1, 12) } as const;
      const cells = { status: random.pick(['scheduled', 'Scheduled ', 'cancelled', 'not_placed']) };
      const when = { on, afterMs: random.integer(0, placingMs) };
      const where = { status: 'placing' };
      return orders.map((order): Step => ({ do: 'edit', order, cells, where, when }));
    });
    return { ...withSteps(history, steps.flat()), placingMs };
  },
};

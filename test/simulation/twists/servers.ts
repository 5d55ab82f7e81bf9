import type { Deed, Fault, Step } from '../history';
import { at, MINUTE_MS, withSteps, type Twist } from './twist';

/** Refusals without words that tell what is wrong. */
const OTHER_REFUSALS = [
  ...[401, 403, 404, 409, 410, 422, 451].map((status) => ({ status })),
  { status: 401, message: 'Unauthorized' },
  { status: 402, message: 'Insufficient balance' },
];
/** Also those that tell what is wrong with a call. */
const REFUSALS = [
  ...OTHER_REFUSALS,
  { status: 400, message: 'scriptId is required' },
  { status: 400, message: 'customerPhone is required' },
  { status: 400, message: 'Missing required script variables: city' },
  { status: 400, message: 'Concurrency / pool exhausted' },
];

/** The service is maintained for an hour, or wants fewer requests for minutes. */
export const serviceFails: Twist = {
  chance: 0.05,
  give(history, random) {
    const deed = random.pick<Deed>([
      { do: 'serviceFails', ms: random.pick([20_000, 5 * MINUTE_MS]), status: 429 },
      { do: 'serviceFails', ms: 5 * MINUTE_MS, status: 429, retryAfter: 30 },
      { do: 'serviceFails', ms: random.pick([MINUTE_MS, 60 * MINUTE_MS]), status: 503 },
    ]);
    const failing = withSteps(history, [{ ...deed, when: at(random, 0, 150_000) }]);
    return { ...failing, minutes: random.pick([5, 12, 70]) };
  },
};

/** n8n is very slow for minutes. */
export const tablesSlow: Twist = {
  chance: 0.05,
  give(history, random) {
    const ms = random.pick([20_000, 3 * MINUTE_MS, 10 * MINUTE_MS]);
    const lateMs = random.pick([3_000, 12_000, 40_000]);
    const when = at(random, 0, 150_000);
    return { ...withSteps(history, [{ do: 'tablesSlow', ms, lateMs, when }]), minutes: 15 };
  },
};

/** The service says first that a call is completed, then how it ended, and at last what was said. */
export const inSteps: Twist = {
  chance: 0.05,
  give: (history, random) => ({
    ...history,
    labelAfterMs: random.pick([3_000, 20_000, 3 * MINUTE_MS]),
  }),
};

/** The service answers slowly, and shops cancel what is about to ring. Then n8n, or the service, may fail as well. */
export const slowService: Twist = {
  chance: 0.05,
  give(history, random) {
    const orders = Object.keys(history.outcomes).map(Number);
    // By the orders' numbers people would also find the rows of test calls.
    if (orders.length > 20 || history.steps.some((step) => step.do === 'try')) return history;
    const { hasNoLog, hasNoNumbers } = history.settings;
    const begun = history.steps.flatMap((step) =>
      'orders' in step && step.do !== 'try' && 'at' in step.when ? step.when.at : [],
    );
    const soon = () => at(random, Math.min(...begun), Math.max(...begun) + 150_000);
    const isOfTwo = history.triggers.some(({ key }) => key !== undefined);
    const cancels = Array.from({ length: random.integer(1, 4) }, (): Step => {
      const order = random.pick(orders);
      if (random.chance(0.3)) return { do: 'cancelByHand', order, when: soon() };
      const by = hasNoNumbers || random.chance(0.3) ? 'phone' : 'orderNumber';
      const key = isOfTwo ? { key: random.chance(0.5) ? (1 as const) : (0 as const) } : {};
      return { do: 'cancel', process: random.integer(0, 1), order, by, ...key, when: soon() };
    });
    const fails = random.pick<Deed[]>([
      ...[[], [{ do: 'tablesFail' as const, ms: random.pick([40_000, 120_000]) }]],
      [{ do: 'serviceFails', ms: 60_000, status: random.pick([429, 402, 503]) }],
    ]);
    const steps: Step[] = [
      ...(hasNoLog === true ? [] : cancels),
      ...fails.map((deed) => ({ ...deed, when: soon() })),
    ];
    return {
      ...withSteps(history, steps),
      placingMs: random.pick([3_000, 8_000, 25_000]),
      settings: { ...history.settings, concurrency: random.integer(1, 4) },
      minutes: Math.max(history.minutes ?? 0, 12),
    };
  },
};

/** The service refuses requests, in words that it is known for or in others. */
export const refusals: Twist = {
  chance: 0.05,
  give(history, random) {
    const many = random.integer(1, Math.min(6, Object.keys(history.outcomes).length));
    const faults = Array.from({ length: many }, (): Fault => {
      const isOfCall = random.chance(0.7);
      return {
        to: 'service',
        method: isOfCall ? 'POST' : 'GET',
        from: 2_000,
        nth: random.integer(1, random.chance(0.5) ? 3 : 12),
        when: 'before',
        befalls: { kind: 'status', ...random.pick(isOfCall ? REFUSALS : OTHER_REFUSALS) },
      };
    });
    const deed = {
      do: 'serviceFails' as const,
      ms: random.pick([20_000, 5 * MINUTE_MS]),
      ...random.pick(OTHER_REFUSALS),
    };
    const steps = random.chance(0.3) ? [{ ...deed, when: at(random, 0, 150_000) }] : [];
    return { ...withSteps(history, steps), faults: [...history.faults, ...faults] };
  },
};

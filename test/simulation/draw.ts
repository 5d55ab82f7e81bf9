import {
  IN_INDIA,
  phoneOf,
  type Deed,
  type Fault,
  type History,
  type Step,
  type TriggerOfHistory,
} from './history';
import { twisted } from './twists/twists';
import { Random } from './world/random';

/** One in so many histories is large. */
const LARGE_EVERY = 100;
const LABELS = [
  ...['Order confirmed', 'Sipariş onaylandı', 'Not Interested'],
  ...['no_answer', 'no_answer', 'voicemail'],
];
/** A phone that nobody has otherwise. */
const CORRECTED = 5_000;

/** How many requests something befalls. */
const MOST_FAULTS = 4;

/** Draws a history from one number: the same number gives the same history. */
export function drawHistory(seed: number): History {
  return twisted(drawUsual(seed));
}

function drawUsual(seed: number): History {
  const random = new Random(seed, 7);
  const isLarge = random.integer(1, LARGE_EVERY) === 1;
  const processes = isLarge ? 4 : 2;
  const orders = isLarge ? 200 : random.integer(3, random.chance(0.3) ? 20 : 6);
  const settings: History['settings'] = {
    ...(random.chance(0.5) ? { planMinutes: random.pick([[2], [2, 5], [1, 2, 30]]) } : {}),
    ...(random.chance(0.5) ? { preventDuplicates: true } : {}),
    ...(random.chance(0.25) ? { doNotCall: true } : {}),
    ...(random.chance(0.1) ? { hours: random.pick(HOURS) } : {}),
    ...(random.chance(0.15) ? { maxCallsPerDay: Math.ceil(orders / 2) } : {}),
    ...(random.chance(0.1) ? { maxCallsPerPersonPerDay: random.integer(1, 2) } : {}),
    ...(random.chance(0.2) ? { continueOnFail: true } : {}),
    maxInProgress: isLarge ? 40 : random.pick([1, 3, 10]),
  };
  const pace = new Random(seed, 10);
  const exchanges = new Random(seed, 11);
  if (pace.chance(0.15)) settings.concurrency = pace.integer(1, 2);
  const placingMs = pace.chance(0.1) ? pace.pick([5_000, 25_000]) : undefined;
  const isInOrder = pace.chance(0.5);
  const isUnwatched = pace.chance(0.1);
  const isN8nSlow = pace.chance(0.05);
  const minutes = !isLarge && pace.chance(0.05) ? pace.integer(8, 15) : undefined;
  const database = random.pick(DATABASES);
  const first = beginnings(random, processes, orders);
  const newLog = new Random(seed, 9);
  const hasNoLog = newLog.chance(0.05);
  const regular = runs(random, processes, isLarge);
  const people = byPeople(random, processes, orders, settings);
  const fate = byFate(random, processes);
  const others = [
    ...people,
    ...(random.chance(0.1) ? retries(random, processes) : []),
    ...schedulings(new Random(seed, 8), orders),
    ...exchangesOfKey(exchanges),
  ];
  const repeats = new Random(seed, 12);
  const isAskedAgain = !isLarge && repeats.chance(0.1);
  if (isAskedAgain) {
    settings.preventDuplicates = true;
    if (repeats.chance(0.5)) settings.inOwnWorkflows = true;
  }
  const steps = [
    ...(hasNoLog ? atOnce(first, newLog) : first),
    ...(isAskedAgain ? askedAgain(first, processes, repeats) : others),
    ...regular,
    ...fate,
  ];
  return {
    begins: IN_INDIA,
    seed,
    skews: Array.from({ length: processes }, () =>
      random.chance(0.8) ? 0 : random.integer(-3_000, 3_000),
    ),
    outcomes: Object.fromEntries(
      Array.from({ length: orders }, (_, index) => [
        index + 1,
        Array.from({ length: random.integer(1, 3) }, () => random.pick(LABELS)),
      ]),
    ),
    settings,
    triggers: random
      .pick<TriggerOfHistory[]>([
        [{ process: 0 }],
        [{ process: 1, finalOnly: true }],
        [{ process: 1, finalOnly: true, events: ['outcomeAvailable'] }],
        [{ process: 0 }, { process: 1, finalOnly: true }],
        [{ process: 0 }, { process: 1 }],
      ])
      .map((trigger) => (random.chance(0.15) ? { ...trigger, fastChecks: true } : trigger)),
    callSeconds: random.pick([
      { min: 5, max: 30 },
      { min: 20, max: 120 },
    ]),
    latencyMs: random.pick([10, 40, 400]),
    ...(placingMs === undefined ? {} : { placingMs }),
    ...(isInOrder ? { isInOrder } : {}),
    ...(isUnwatched ? { triggers: [] } : {}),
    ...(isN8nSlow ? { latencyMs: 2_000 } : {}),
    ...(minutes === undefined ? {} : { minutes }),
    ...database,
    ...(hasNoLog ? { hasNoLog } : {}),
    steps,
    faults: Array.from({ length: random.integer(0, MOST_FAULTS) }, () => fault(random, processes)),
  };
}

const HOURS = [
  { start: '09:00', end: '21:00' },
  // Most histories begin at noon.
  { start: '09:00', end: '12:03' },
];

const at = (random: Random, min: number, max: number) => ({ at: random.integer(min, max) });

/** Orders come in, in one or several executions. */
function beginnings(random: Random, processes: number, orders: number): Step[] {
  const steps: Step[] = [];
  let from = 1;
  while (from <= orders) {
    const to = random.chance(0.6) ? orders : random.integer(from, orders);
    const kind = random.pick(['schedule', 'schedule', 'schedule', 'call', 'callAndWait'] as const);
    const process = random.integer(0, processes - 1);
    const tries = random.chance(0.3) ? { tries: 3 } : {};
    steps.push({ do: kind, process, orders: { from, to }, ...tries, when: at(random, 0, 20_000) });
    from = to + 1;
  }
  return steps;
}

/** Others ask for the same orders at about the same time: a webhook that comes twice, or a second workflow. */
function askedAgain(first: Step[], processes: number, random: Random): Step[] {
  const span = random.pick([50, 1_000, 10_000, 60_000]);
  return Array.from({ length: random.integer(1, 2) }, () => {
    const { when, ...step } = random.pick(first);
    const startAt = 'at' in when ? when.at : 0;
    const kind = random.pick(['schedule', 'call', 'callAndWait'] as const);
    const process = random.integer(0, processes - 1);
    return { ...step, do: kind, process, when: at(random, startAt, startAt + span) } as Step;
  });
}

/** The same, before a log is there: all begin in the moment in which it is made. */
function atOnce(steps: Step[], random: Random): Step[] {
  return steps.map((step) => ({ ...step, when: at(random, 0, 100) }));
}

/** Schedules and polls by the minute. */
function runs(random: Random, processes: number, isLarge: boolean): Step[] {
  const placing = Array.from({ length: random.integer(1, 3) }, (): Step => ({
    do: 'place',
    process: random.integer(0, processes - 1),
    ...(isLarge || random.chance(0.3) ? { keepOnSeconds: random.pick([50, 50, 600]) } : {}),
    when: at(random, 1_000, 200_000),
  }));
  const polling = Array.from({ length: random.integer(0, 2) }, (): Step => ({
    do: 'poll',
    process: random.integer(0, processes - 1),
    when: at(random, 20_000, 300_000),
  }));
  return [...placing, ...polling];
}

function byPeople(
  random: Random,
  processes: number,
  orders: number,
  settings: History['settings'],
): Step[] {
  const order = () => random.integer(1, orders);
  const deeds: Array<() => Deed> = [
    () => ({
      do: 'cancel',
      process: random.integer(0, processes - 1),
      order: order(),
      by: random.pick(['orderNumber', 'phone'] as const),
    }),
    () => ({ do: 'retry', process: random.integer(0, processes - 1), step: random.integer(0, 1) }),
    () => ({ do: 'outcomeChanges', order: order(), label: random.pick(LABELS) }),
    () => ({ do: 'edit', order: order(), cells: { customerPhone: phoneOf(CORRECTED + order()) } }),
    () => ({ do: 'editDueAt', order: order(), minutes: random.pick([2, 60, 24 * 60]) }),
    () => ({ do: 'cancelByHand', order: order() }),
    () => ({ do: 'copyRow', order: order() }),
    () => ({ do: 'deleteRows', order: order() }),
    () => ({ do: 'prune', process: random.integer(0, processes - 1), order: order() }),
    () => ({ do: 'unpublish', trigger: random.integer(0, 1), ms: random.pick([10_000, 200_000]) }),
    ...(settings.doNotCall === true ? [() => ({ do: 'doNotCall' as const, order: order() })] : []),
  ];
  return Array.from({ length: random.integer(0, 3) }, (): Step => ({
    ...random.pick(deeds)(),
    when: at(random, 0, 250_000),
  }));
}

/** A person retries a failed execution several times, also while one retry goes on. */
function retries(random: Random, processes: number): Step[] {
  const first = random.integer(15_000, 120_000);
  const apart = random.pick([0, 200, 3_000, 60_000]);
  return Array.from({ length: random.integer(2, 3) }, (_, index): Step => ({
    do: 'retry',
    process: random.integer(0, processes - 1),
    step: 0,
    when: { at: first + index * apart },
  }));
}

/** A person has attempts that have ended placed once more. Draws by itself: other draws stay as they were. */
function schedulings(random: Random, orders: number): Step[] {
  return Array.from({ length: random.chance(0.1) ? random.integer(1, 2) : 0 }, () => ({
    do: 'scheduleByHand',
    order: random.integer(1, orders),
    when: at(random, 60_000, 400_000),
  }));
}

/** A person enters another key, and may come back to the first one. */
function exchangesOfKey(random: Random): Step[] {
  return Array.from({ length: random.chance(0.1) ? random.integer(1, 2) : 0 }, () => ({
    do: 'exchangeKey',
    when: at(random, 5_000, 250_000),
  }));
}

function byFate(random: Random, processes: number): Step[] {
  const process = () => random.integer(0, processes - 1);
  const deeds: Array<() => Deed> = [
    () => ({ do: 'kill', process: process() }),
    () => ({ do: 'pause', process: process(), ms: random.pick([5_000, 60_000, 300_000]) }),
    () => ({ do: 'cancelExecution', step: random.integer(0, 3) }),
    () => ({
      do: 'tablesFull',
      ...random.pick([
        { ms: 2_000 },
        { ms: 60_000, refusesChanges: true },
        { ms: 300_000, refusesChanges: true },
      ]),
    }),
    () => ({ do: 'tablesFail', ms: random.pick([1_500, 20_000, 120_000]) }),
  ];
  return Array.from({ length: random.chance(0.5) ? 0 : random.integer(1, 2) }, (): Step => ({
    ...random.pick(deeds)(),
    when: at(random, 0, 250_000),
  }));
}

function fault(random: Random, processes: number): Fault {
  const to = random.pick(['tables', 'tables', 'service'] as const);
  const when = random.pick(['before', 'after'] as const);
  const kinds: Array<Fault['befalls']> = [
    { kind: 'lost' },
    { kind: 'lost' },
    { kind: 'slow', ms: random.pick([500, 5_000, 40_000]) },
    when === 'before'
      ? { kind: 'status', status: 429, ...(random.chance(0.5) ? { retryAfter: 2 } : {}) }
      : { kind: 'status', status: random.pick([500, 502, 503]) },
    { kind: 'status', status: random.pick([500, 503]) },
    ...(when === 'before' ? [{ kind: 'refused' as const }] : []),
    ...(when === 'after'
      ? [
          {
            kind: 'odd' as const,
            body: random.pick<unknown>(ODD_BODIES),
          },
        ]
      : []),
    ...(when === 'before' && to === 'tables'
      ? [{ kind: 'status' as const, status: 400, message: 'Data table size limit exceeded' }]
      : []),
    { kind: 'kill' },
    { kind: 'pause', ms: random.pick([20_000, 300_000]) },
  ];
  const method = random.chance(0.5)
    ? {}
    : { method: to === 'service' ? random.pick(['GET', 'POST']) : random.pick(METHODS) };
  const process = random.chance(0.5) ? {} : { process: random.integer(0, processes - 1) };
  return {
    to,
    ...method,
    ...process,
    from: 2_000,
    nth: random.integer(1, random.chance(0.5) ? 6 : 25),
    when,
    befalls: random.pick(kinds),
  };
}

const DATABASES: Array<Pick<History, 'database' | 'visibleAfterMs'>> = [
  { database: 'sqlite', visibleAfterMs: 0 },
  { database: 'postgres', visibleAfterMs: 20 },
  { database: 'postgres', visibleAfterMs: 400 },
  // Never longer than the product waits for it.
  { database: 'postgres', visibleAfterMs: 12_000 },
];

/** Answers that say nothing of what was asked for. */
const ODD_BODIES = [{ hello: 'world' }, '<h1>Welcome</h1>', '', null, [], { success: true }];

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];

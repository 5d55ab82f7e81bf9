import type { IDataObject } from 'n8n-workflow';
import { type Deed, type Fault, type History, type Hours, type Step, WEEK } from './history';
import { changesOf, clockIn, firstAt } from './world/calendar';
import { Random } from './world/random';

/** What shops meet now and then. */
interface Twist {
  /** In how many of the histories. */
  chance: number;
  give(history: History, random: Random): History;
}

/** The first of their streams of random numbers: each has one of its own. */
const FIRST_STREAM = 100;
const MINUTE_MS = 60_000;

const at = (random: Random, min: number, max: number) => ({ at: random.integer(min, max) });

const withSteps = (history: History, steps: Step[]): History => ({
  ...history,
  steps: [...history.steps, ...steps],
});

/** Some clocks change by half an hour or two hours, at midnight or before it, or are a quarter of an hour from others. */
const ZONES = [
  ...['Europe/Berlin', 'America/New_York', 'America/St_Johns', 'America/Nuuk', 'America/Havana'],
  ...[
    'America/Santiago',
    'Asia/Beirut',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'Antarctica/Troll',
  ],
  ...['Pacific/Auckland', 'Pacific/Chatham', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'],
];
/** Each begins a month, a year, or is next to a leap day. */
const DAYS = ['2027-05-01', '2028-01-01', '2028-02-29', '2028-03-01'];

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

const turns = new Map<string, number[]>();

function turnsOf(timezone: string): number[] {
  const known = turns.get(timezone);
  if (known !== undefined) return known;
  const midnights = DAYS.map((day) => firstAt(timezone, `${day} 00:00`));
  const found = [...changesOf(timezone, 2027), ...midnights];
  turns.set(timezone, found);
  return found;
}

/** What clocks would show at an instant if they did not change: they may skip it, or show it twice. */
function clockBefore(turn: number, timezone: string, at: number): string {
  const before = turn - MINUTE_MS;
  const shown = Date.parse(`${clockIn(timezone, before)}Z`) + at - before;
  return new Date(shown).toISOString().slice(0, 16).replace('T', ' ');
}

/** Hours that begin, or end, when clocks change or a day begins, or near it: long enough for a few rounds. */
function hoursAround(turn: number, ofWorkflow: string, random: Random): Hours {
  const timezone = random.chance(0.7) ? ofWorkflow : random.pick(ZONES);
  const near = (minutes: number[]) => {
    const at = turn + random.pick(minutes) * MINUTE_MS;
    return random.chance(0.7) ? clockIn(timezone, at) : clockBefore(turn, timezone, at);
  };
  const start = near([-600, -60, -20, 0, 1]);
  const end = near([0, 20, 30, 60, 600]);
  // Calls that wait for others are looked at every few minutes: a week of that takes too long.
  const free = new Date(random.pick([start, end]).slice(0, 10)).getUTCDay();
  return {
    start: start.slice(11),
    end: end.slice(11),
    ...(random.chance(0.3) ? { days: WEEK.toSpliced(free, 1) } : {}),
    ...(timezone === ofWorkflow ? {} : { timezone }),
  };
}

/** By their names; a new one goes to the end. Each draws by itself, so that other draws stay as they were. */
export const TWISTS = {
  /** The service is maintained for an hour, or wants fewer requests for minutes. */
  serviceFails: {
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
  },
  /** n8n is very slow for minutes. */
  tablesSlow: {
    chance: 0.05,
    give(history, random) {
      const ms = random.pick([20_000, 3 * MINUTE_MS, 10 * MINUTE_MS]);
      const lateMs = random.pick([3_000, 12_000, 40_000]);
      const when = at(random, 0, 150_000);
      return { ...withSteps(history, [{ do: 'tablesSlow', ms, lateMs, when }]), minutes: 15 };
    },
  },
  /** Orders are to be called later, some after the calling hours. */
  callLater: {
    chance: 0.07,
    give: (history, random) => ({
      ...history,
      steps: history.steps.map((step) =>
        step.do === 'schedule' && random.chance(0.7)
          ? { ...step, delayMinutes: random.pick([0, 1, 2, 3, 5, 90, 24 * 60]) }
          : step,
      ),
    }),
  },
  /** A person tries the same nodes out beside production. */
  trials: {
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
  },
  /** People have several orders, and may say that nobody should call them any more. */
  samePeople: {
    chance: 0.1,
    give(history, random) {
      const settings = { ...history.settings };
      if (random.chance(0.5)) settings.maxCallsPerPersonPerDay = random.integer(1, 3);
      if (random.chance(0.4)) Object.assign(settings, { doNotCall: true, doNotCallOutcomes: true });
      // Many orders of one person would wait for months.
      const most = Math.ceil(Object.keys(history.outcomes).length / 4);
      return { ...history, settings, people: random.integer(1, 4) * Math.ceil(most / 4) };
    },
  },
  /** The clock of a process is set. Where there are two, they stay close: locks expire by them. */
  clocks: {
    chance: 0.05,
    give(history, random) {
      const isAlone = random.chance(0.6);
      const sizes = isAlone ? [1_000, MINUTE_MS, 10 * MINUTE_MS] : [2_000, 8_000];
      const steps = Array.from({ length: random.integer(1, 2) }, (): Step => ({
        do: 'setClock',
        process: random.integer(0, 1),
        ms: random.pick(sizes) * random.pick([-1, 1]),
        when: at(random, 5_000, 150_000),
      }));
      return withSteps(isAlone ? { ...history, skews: [0] } : history, steps);
    },
  },
  /** What people are asked about is heard hours later, and attempts and prunings go on for days. */
  days: {
    chance: 0.03,
    give(history, random) {
      const most = random.pick([1, 9, 27]) * 60 * 60;
      const settings = {
        ...history.settings,
        planMinutes: random.pick([[2, 1_500], [700], [30, 120, 1_440]]),
      };
      const everyMs = random.pick([40, 180]) * MINUTE_MS;
      const steps = Array.from(
        { length: Math.floor((3 * 24 * 60 * MINUTE_MS) / everyMs) },
        (_, index): Step => ({
          ...random.pick<Deed>([
            { do: 'place', process: random.integer(0, 1), keepOnSeconds: 50 },
            { do: 'poll', process: random.integer(0, 1) },
            { do: 'poll', process: random.integer(0, 1) },
            { do: 'pruneByAge', process: random.integer(0, 1) },
          ]),
          when: { at: (index + 1) * everyMs },
        }),
      );
      // Where calls go on for hours they may be placed long after the time that a person writes.
      const before = history.steps.filter((step) => step.do !== 'editDueAt');
      return withSteps(
        { ...history, steps: before, settings, callSeconds: { min: 30, max: most } },
        steps,
      );
    },
  },
  /** Somebody presses a button twice, without the rule that prevents duplicates. */
  pressedTwice: {
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
  },
  /** Triggers watch the instance beside the log. */
  onInstance: {
    chance: 0.07,
    give(history, random) {
      const more = history.skews.map((_, process) => ({ process, watch: 'instance' as const }));
      const isFast = random.chance(0.3);
      const added = more.map((trigger) => (isFast ? { ...trigger, fastChecks: true } : trigger));
      return { ...history, triggers: [...history.triggers, ...added] };
    },
  },
  /** As in a first workflow: no log, and triggers on the instance. */
  withoutLog: {
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
        step.do === 'schedule'
          ? { ...step, do: random.chance(0.7) ? 'call' : 'callAndWait' }
          : step,
      );
      return { ...history, settings, triggers, steps };
    },
  },
  /** Who was not called goes on in a branch of its own. */
  notCalledOutput: {
    chance: 0.05,
    give(history, random) {
      const settings = { ...history.settings, notCalledOutput: true };
      if (random.chance(0.5)) settings.continueOnFail = true;
      if (settings.hours !== undefined) settings.outsideHours = random.pick(['fail', 'skip']);
      return { ...history, settings };
    },
  },
  /** Orders have no number: several of one person would have one duplicate key. */
  noNumbers: {
    chance: 0.05,
    give: (history) => ({
      ...history,
      people: undefined,
      settings: { ...history.settings, hasNoNumbers: true },
      steps: history.steps.map((step) => (step.do === 'cancel' ? { ...step, by: 'phone' } : step)),
    }),
  },
  /** Calls may cost so much a day. */
  costs: {
    chance: 0.03,
    give(history, random) {
      // Nobody is called any more when one call costs more than a day may; and only a log tells costs.
      if (history.callSeconds.max > 120 || history.settings.hasNoLog) return history;
      return { ...history, settings: { ...history.settings, maxCostPerDay: random.pick([3, 6]) } };
    },
  },
  /** Two accounts share one log, each with workflows and triggers of its own. */
  twoAccounts: {
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
  },
  /** Workflows have rules of their own, and may ask for the same orders. */
  otherRules: {
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
  },
  /** An AI agent has a call as its tool: it asks for several at once, and again. */
  agents: {
    chance: 0.05,
    give(history, random) {
      const steps = history.steps.flatMap((step): Step[] => {
        // Only a failed execution can be retried.
        if (step.do === 'retry') return [];
        if (step.do !== 'schedule' && step.do !== 'call' && step.do !== 'callAndWait')
          return [step];
        if (step.orders.to - step.orders.from > 9 || random.chance(0.2)) return [step];
        const asks = { times: random.integer(1, 3), apartMs: random.pick([0, 30, 2_000, 40_000]) };
        if (step.do === 'schedule' && random.chance(0.5)) return [{ ...step, asks }];
        return [{ ...step, do: 'call', asks }];
      });
      return { ...history, steps };
    },
  },
  /** One execution calls in a loop of several rounds. */
  loops: {
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
  },
  /** A person deletes all rows of the log, and new orders come in. */
  emptied: {
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
  },
  /** A trigger is published late, and may be unpublished for a while. */
  lateTriggers: {
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
  },
  /** The service says first that a call is completed, then how it ended, and at last what was said. */
  inSteps: {
    chance: 0.05,
    give: (history, random) => ({
      ...history,
      labelAfterMs: random.pick([3_000, 20_000, 3 * MINUTE_MS]),
    }),
  },
  /** Calling hours go by the clocks of the customers: it is night in America when histories begin. */
  customersHours: {
    chance: 0.04,
    give: (history, random) => ({
      ...history,
      settings: {
        ...history.settings,
        hours: {
          start: '15:00',
          end: random.pick(['03:01', '03:02', '03:04', '23:00']),
          isOfCustomers: true,
        },
      },
    }),
  },
  /** A person, or a workflow, edits the rows of all orders at once. */
  inBulk: {
    chance: 0.04,
    give(history, random) {
      const orders = Object.keys(history.outcomes).map(Number);
      // Where calls go on for hours they may be placed long after the time that a person writes.
      if (orders.length > 20 || history.callSeconds.max > 120) return history;
      // By the orders' numbers people would also find the rows of test calls.
      if (history.steps.some((step) => step.do === 'try' && step.how === 'testPhone'))
        return history;
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
  },
  /** A person empties or mistypes cells of a row that waits, also of those that only the nodes need. */
  brokenCells: {
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
  },
  /** Executions wait for outcomes, fail and are retried, while a person has calls of theirs placed again. */
  waitedFor: {
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
  },
  /** The service answers slowly, and shops cancel what is about to ring. Then n8n, or the service, may fail as well. */
  slowService: {
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
  },
  /** It is elsewhere on earth, and clocks change, or a day, a month or a year begins. */
  turns: {
    chance: 0.07,
    give(history, random) {
      const timezone = random.pick(ZONES);
      const turn = random.pick(turnsOf(timezone));
      const begins = {
        at: new Date(turn - random.pick([1, 3, 30, 100]) * MINUTE_MS).toISOString(),
        timezone,
      };
      const settings = { ...history.settings };
      const orders = Object.keys(history.outcomes).length;
      // Many orders would wait for months; and only a log counts calls.
      if (orders <= 20 && settings.hasNoLog !== true) {
        if (random.chance(0.4)) settings.maxCallsPerDay = random.integer(1, Math.ceil(orders / 2));
        if (random.chance(0.3)) settings.maxCallsPerPersonPerDay = random.integer(1, 2);
      }
      if (settings.hours?.isOfCustomers !== true && random.chance(0.5)) {
        settings.hours = hoursAround(turn, timezone, random);
      }
      const steps = history.steps.map((step): Step => {
        if (step.do !== 'schedule' || random.chance(0.7)) return step;
        const at = turn + random.pick([-40, -1, 1, 15, 29, 45, 90]) * MINUTE_MS;
        return { ...step, delayMinutes: undefined, callAt: clockBefore(turn, timezone, at) };
      });
      const minutes = random.chance(0.1) ? { minutes: random.integer(4, 10) } : {};
      return { ...history, begins, settings, steps, ...minutes };
    },
  },
  /** A person renames the log, while workflows and triggers go on with it. */
  renamed: {
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
  },
  /** The service refuses requests, in words that it is known for or in others. */
  refusals: {
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
  },
} satisfies Record<string, Twist>;

export type TwistName = keyof typeof TWISTS;

/** The history with those of them that its number draws. */
export function twisted(history: History): History {
  return Object.values<Twist>(TWISTS).reduce((before, { chance, give }, index) => {
    const random = new Random(history.seed, FIRST_STREAM + index);
    return random.chance(chance) ? give(before, random) : before;
  }, history);
}

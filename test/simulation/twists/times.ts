import { WEEK, type Deed, type Hours, type Step } from '../history';
import { changesOf, clockIn, firstAt } from '../world/calendar';
import type { Random } from '../world/random';
import { at, MINUTE_MS, withSteps, type Twist } from './twist';

const DAY_MS = 24 * 60 * MINUTE_MS;

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

const turnsOfZones = new Map<string, number[]>();

function turnsOf(timezone: string): number[] {
  const known = turnsOfZones.get(timezone);
  if (known !== undefined) return known;
  const midnights = DAYS.map((day) => firstAt(timezone, `${day} 00:00`));
  const found = [...changesOf(timezone, 2027), ...midnights];
  turnsOfZones.set(timezone, found);
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

/** Orders are to be called later, some after the calling hours. */
export const callLater: Twist = {
  chance: 0.07,
  give: (history, random) => ({
    ...history,
    steps: history.steps.map((step) =>
      step.do === 'schedule' && random.chance(0.7)
        ? { ...step, delayMinutes: random.pick([0, 1, 2, 3, 5, 90, 24 * 60]) }
        : step,
    ),
  }),
};

/** The clock of a process is set. Where there are two, locks that others hold may seem to have run out. */
export const clocks: Twist = {
  chance: 0.05,
  give(history, random) {
    const isAlone = random.chance(0.6);
    const sizes = isAlone ? [1_000, MINUTE_MS, 10 * MINUTE_MS] : [2_000, 8_000, 50_000];
    const steps = Array.from({ length: random.integer(1, 2) }, (): Step => ({
      do: 'setClock',
      process: random.integer(0, 1),
      ms: random.pick(sizes) * random.pick([-1, 1]),
      when: at(random, 5_000, 150_000),
    }));
    return withSteps(isAlone ? { ...history, skews: [0] } : history, steps);
  },
};

/** What people are asked about is heard hours later, and attempts and prunings go on for days. */
export const days: Twist = {
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
};

/** As {@link days}: calls are cancelled and triggers are away for a day or two meanwhile. */
export const daysAway: Twist = {
  chance: 0.02,
  give(history, random) {
    const orders = Object.keys(history.outcomes).length;
    const cancelled = Array.from({ length: random.integer(1, 3) }, (): Step => ({
      do: 'cancel',
      process: random.integer(0, 1),
      order: random.integer(1, orders),
      by: history.settings.hasNoNumbers === true ? 'phone' : 'orderNumber',
      when: at(random, MINUTE_MS, 2 * DAY_MS),
    }));
    const away = history.triggers.flatMap((_, trigger): Step[] => {
      const [ms, when] = [random.integer(1, 2) * DAY_MS, at(random, MINUTE_MS, DAY_MS)];
      return random.chance(0.6) ? [{ do: 'unpublish', trigger, ms, when }] : [];
    });
    // A call of a day costs more than any cap.
    const settings = { ...history.settings, maxCostPerDay: undefined };
    return withSteps(days.give({ ...history, settings }, random), [...cancelled, ...away]);
  },
};

/** Calling hours go by the clocks of the customers: it is night in America when histories begin. */
export const customersHours: Twist = {
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
};

/** It is elsewhere on earth, and clocks change, or a day, a month or a year begins. */
export const turns: Twist = {
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
};

import { aHistory, type Step } from '../history';

const MINUTE_MS = 60_000;

/** One order after the other is called, so many minutes after the history begins. */
const calledAt = (...minutes: number[]): Step[] =>
  minutes.map((minute, index) => ({
    do: 'call',
    process: 0,
    orders: { from: index + 1, to: index + 1 },
    when: { at: minute * MINUTE_MS },
  }));

/** Clocks skip the end of the hours: they go from 02:00 to 03:00. */
export const endOfHoursIsSkipped = aHistory({
  begins: { at: '2027-03-28T00:56:00Z', timezone: 'Europe/Berlin' },
  settings: { hours: { start: '01:00', end: '02:30' } },
  steps: calledAt(0, 6),
});

/** Clocks skip the beginning of the hours: people may be called when clocks show a later time. */
export const beginningOfHoursIsSkipped = aHistory({
  begins: { at: '2027-10-02T15:20:00Z', timezone: 'Australia/Lord_Howe' },
  settings: { hours: { start: '02:15', end: '09:00' } },
  steps: calledAt(0, 12),
});

/** A day of 25 hours has one cap, also in its last hour. */
export const capOfLongDay = aHistory({
  begins: { at: '2027-10-31T21:56:00Z', timezone: 'Europe/Berlin' },
  settings: { hours: { start: '00:00', end: '23:59' }, maxCallsPerDay: 1 },
  steps: calledAt(0, 6),
});

/** Clocks show the time of a call twice: it is called when they show it first. */
export const timeIsShownTwice = aHistory({
  begins: { at: '2027-10-31T00:25:00Z', timezone: 'Europe/Berlin' },
  minutes: 8,
  steps: [
    {
      do: 'schedule',
      process: 0,
      orders: { from: 1, to: 1 },
      callAt: '2027-10-31 02:30',
      when: { at: 0 },
    },
  ],
});

/** It is midnight in UTC, and noon where the cap counts. */
export const capAcrossMidnightInUtc = aHistory({
  begins: { at: '2028-02-28T23:56:00Z', timezone: 'Pacific/Auckland' },
  settings: { maxCallsPerDay: 1 },
  steps: calledAt(0, 6),
});

/** Hours over midnight belong to the day on which they begin: people may be called early on Saturday, not on Friday. */
export const hoursOfDayBefore = aHistory({
  begins: { at: '2027-12-30T18:11:00Z', timezone: 'Asia/Kathmandu' },
  settings: { hours: { start: '22:00', end: '02:00', days: ['fri'] } },
  steps: calledAt(0, 6, 24 * 60, 24 * 60 + 6),
});

/** The calls of an evening cost as much as a day may, and the year ends: the others ring in the next one. */
export const costsOfDay = aHistory({
  begins: { at: '2027-12-31T10:30:00Z', timezone: 'Pacific/Auckland' },
  minutes: 40,
  settings: { maxCostPerDay: 2 },
  triggers: [{ process: 0 }],
  callSeconds: { min: 40, max: 60 },
  steps: calledAt(1, 6, 11, 16, 21, 26, 31, 36),
});

import { aHistory } from '../history';

/**
 * The tables of n8n become full: placed calls are written into their old rows. The next run of the process has
 * read the newer rows before, and reads on from there: the calls in old rows count for the cap all the same.
 */
export const capInFullLog = aHistory({
  skews: [0, 0],
  settings: { maxCallsPerDay: 60, maxInProgress: 100 },
  triggers: [{ process: 0 }],
  callSeconds: { min: 1_800, max: 1_800 },
  latencyMs: 10,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 20 }, delayMinutes: 3, when: { at: 0 } },
    {
      do: 'schedule',
      process: 0,
      orders: { from: 21, to: 40 },
      delayMinutes: 3,
      when: { at: 20_000 },
    },
    { do: 'call', process: 0, orders: { from: 41, to: 68 }, when: { at: 30_000 } },
    { do: 'call', process: 0, orders: { from: 69, to: 69 }, when: { at: 100_000 } },
    { do: 'place', process: 1, when: { at: 60_000 } },
    // The process reads all rows.
    { do: 'call', process: 1, orders: { from: 70, to: 70 }, when: { at: 150_000 } },
    { do: 'tablesFull', ms: 900_000, when: { at: 155_000 } },
    { do: 'place', process: 1, when: { at: 181_000 } },
    { do: 'place', process: 1, when: { at: 201_000 } },
  ],
});

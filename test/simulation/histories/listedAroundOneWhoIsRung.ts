import { aHistory } from '../history';

/**
 * Three people have two orders each. While one of them is rung about the first, the two others are put on the do-not-call
 * list: their second orders end. The order between these waits, and nobody has read its row.
 */
export const listedAroundOneWhoIsRung = aHistory({
  seed: 1,
  skews: [0, 0],
  outcomes: Object.fromEntries([1, 2, 3, 4, 5, 6].map((order) => [order, ['voicemail']])),
  settings: { doNotCall: true, maxInProgress: 10 },
  triggers: [{ process: 1 }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 10,
  people: 3,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 6 }, when: { at: 0 } },
    { do: 'place', process: 0, when: { at: 5_000 } },
    { do: 'doNotCall', order: 1, when: { at: 10_000 } },
    { do: 'doNotCall', order: 3, when: { at: 10_000 } },
    { do: 'poll', process: 1, when: { at: 60_000 } },
    { do: 'place', process: 0, when: { at: 65_000 } },
    { do: 'poll', process: 1, when: { at: 85_000 } },
    { do: 'place', process: 0, when: { at: 90_000 } },
  ],
  faults: [],
});

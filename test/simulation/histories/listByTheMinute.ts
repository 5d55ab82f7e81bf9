import { aHistory } from '../history';

/** On a day like any other, a list is scheduled, called and heard of within minutes. */
export const listByTheMinute = aHistory({
  minutes: 8,
  triggers: [{ process: 0 }],
  steps: [
    {
      do: 'schedule',
      process: 0,
      orders: { from: 1, to: 5 },
      delayMinutes: 1,
      when: { at: 3_000 },
    },
  ],
});

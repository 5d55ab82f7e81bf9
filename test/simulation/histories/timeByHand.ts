import { aHistory } from '../history';

/** A person has calls placed later, and sooner, than they were scheduled: both are what counts. */
export const timeByHand = aHistory({
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, delayMinutes: 5, when: { at: 0 } },
    {
      do: 'schedule',
      process: 0,
      orders: { from: 2, to: 2 },
      delayMinutes: 24 * 60,
      when: { at: 0 },
    },
    { do: 'editDueAt', order: 1, minutes: 120, when: { at: 30_000 } },
    { do: 'editDueAt', order: 2, minutes: 10, when: { at: 30_000 } },
  ],
});

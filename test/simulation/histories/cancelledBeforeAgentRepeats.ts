import { aHistory } from '../history';

/** A person cancels a scheduled call before the agent that has asked for it repeats its request. */
export const cancelledBeforeAgentRepeats = aHistory({
  triggers: [{ process: 0 }],
  steps: [
    {
      do: 'schedule',
      process: 0,
      orders: { from: 1, to: 2 },
      asks: { times: 2, apartMs: 40_000 },
      when: { at: 3_000 },
    },
    { do: 'cancelByHand', order: 1, when: { at: 20_000 } },
    { do: 'place', process: 0, when: { at: 90_000 } },
  ],
});

import { aHistory } from '../history';

/** An agent asks twice for each call in the same moment, and writes the number of the order in two ways. */
export const agentWritesOtherwiseAtOnce = aHistory({
  triggers: [{ process: 0 }],
  steps: [
    {
      do: 'call',
      process: 0,
      orders: { from: 1, to: 3 },
      asks: { times: 2, apartMs: 0, isWrittenOtherwise: true },
      when: { at: 3_000 },
    },
  ],
});

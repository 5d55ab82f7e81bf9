import { aHistory } from '../history';

/** An agent asks twice about each order. The waiting row of one request is cancelled while the call of the other rings. */
export const copyCancelledWhileItsCallRings = aHistory({
  seed: 374003892,
  skews: [0, 0],
  outcomes: {
    '1': ['Order confirmed', 'Sipariş onaylandı', 'Not Interested'],
    '2': ['Sipariş onaylandı'],
    '3': ['no_answer', 'no_answer'],
    '4': ['no_answer'],
  },
  settings: { maxCallsPerDay: 2 },
  triggers: [{ process: 1, finalOnly: true }],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 40,
  database: 'postgres',
  visibleAfterMs: 400,
  steps: [
    {
      do: 'call',
      process: 1,
      orders: { from: 1, to: 4 },
      when: { at: 18309 },
      asks: { times: 2, apartMs: 2000 },
    },
    { do: 'scheduleByHand', order: 4, when: { at: 200162 } },
    { do: 'place', process: 0, when: { at: 159501 } },
    { do: 'cancelByHand', order: 3, when: { at: 43432 } },
    { do: 'cancel', process: 1, order: 2, by: 'orderNumber', when: { at: 38603 } },
  ],
  faults: [
    {
      to: 'tables',
      process: 1,
      from: 2000,
      nth: 2,
      when: 'before',
      befalls: { kind: 'pause', ms: 300000 },
    },
  ],
  minutes: 12,
});

import { aHistory } from '../history';

/**
 * A person moves a call to the next day. Calls next to it in the log are put back for the cap of the day, while the
 * telephone of its customer rings about another order: nobody has read its row.
 */
export const movedWhileTheirPersonRings = aHistory({
  begins: { at: '2027-09-25T13:59:00.000Z', timezone: 'Pacific/Auckland' },
  seed: 260008325,
  skews: [0, 0],
  outcomes: {
    '2': ['voicemail', 'Order confirmed', 'Order confirmed'],
    '3': ['Order confirmed', 'voicemail', 'Sipariş onaylandı'],
    '4': ['Sipariş onaylandı', 'voicemail'],
    '5': ['Order confirmed', 'no_answer', 'Order confirmed'],
    '6': ['no_answer'],
    '7': ['voicemail'],
    '8': ['Order confirmed', 'voicemail'],
    '9': ['no_answer', 'Order confirmed', 'voicemail'],
  },
  settings: { maxInProgress: 3, maxCallsPerDay: 5, hours: { start: '16:00', end: '03:20' } },
  triggers: [{ process: 1, key: 1 }],
  callSeconds: { min: 20, max: 120 },
  latencyMs: 400,
  placingMs: 25_000,
  database: 'postgres',
  visibleAfterMs: 0,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 2, to: 9 }, when: { at: 14_695 }, key: 0 },
    { do: 'editDueAt', order: 8, minutes: 1_440, when: { at: 81_716 }, key: 0 },
    { do: 'place', process: 1, when: { at: 96_519 }, key: 0 },
  ],
  people: 6,
});

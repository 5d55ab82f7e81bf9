import { aHistory } from '../history';

/** The service refuses the connection just before calling hours end, and the request is to be sent again. */
export const hoursEndBeforeSecondTry = aHistory({
  seed: 20029902,
  skews: [0, 0],
  outcomes: {
    '1': ['Not Interested', 'Not Interested'],
    '2': ['Not Interested'],
    '5': ['no_answer', 'voicemail'],
  },
  settings: { preventDuplicates: true, hours: { start: '09:00', end: '12:03' }, maxInProgress: 1 },
  triggers: [{ process: 1, finalOnly: true }],
  callSeconds: { min: 5, max: 30 },
  latencyMs: 400,
  database: 'postgres',
  visibleAfterMs: 0,
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 2 }, tries: 3, when: { at: 5628 } },
    { do: 'callAndWait', process: 1, orders: { from: 5, to: 5 }, when: { at: 13012 } },
    { do: 'place', process: 1, keepOnSeconds: 50, when: { at: 167850 } },
    { do: 'place', process: 1, when: { at: 65906 } },
  ],
  faults: [
    {
      to: 'service',
      method: 'POST',
      from: 2000,
      nth: 3,
      when: 'before',
      befalls: { kind: 'refused' },
    },
  ],
});

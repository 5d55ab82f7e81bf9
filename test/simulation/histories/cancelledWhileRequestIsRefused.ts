import { aHistory } from '../history';

/** A call is cancelled while its request is under way; the service refuses it, and somebody retries. */
const refused = (settings: { planMinutes?: number[] }) =>
  aHistory({
    settings,
    outcomes: { 1: ['no_answer', 'Order confirmed'] },
    triggers: [{ process: 0 }],
    steps: [
      { do: 'call', process: 0, orders: { from: 1, to: 1 }, when: { at: 3_000 } },
      { do: 'cancel', process: 0, order: 1, by: 'orderNumber', when: { at: 5_000 } },
      { do: 'retry', process: 0, step: 0, when: { at: 60_000 } },
      { do: 'poll', process: 0, when: { at: 400_000 } },
    ],
    faults: [
      {
        to: 'service',
        method: 'POST',
        nth: 1,
        when: 'before',
        befalls: { kind: 'status', status: 401, lateMs: 5_000 },
      },
    ],
  });

export const cancelledWhileRequestIsRefused = refused({});
export const cancelledWhileRequestIsRefusedWithPlan = refused({ planMinutes: [2] });

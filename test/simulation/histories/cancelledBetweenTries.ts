import { aHistory, type Fault } from '../history';

const REFUSES_THE_KEY: Fault['befalls'] = { kind: 'status', status: 401, lateMs: 3_000 };

/** The service refuses the key for some calls of a list. Until the list is tried again, Cancel comes for a later call. */
export const cancelledBeforeNextTry = aHistory({
  triggers: [{ process: 0 }],
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 200 }, tries: 3, when: { at: 3_000 } },
    {
      do: 'cancel',
      process: 0,
      order: 199,
      by: 'orderNumber',
      when: { on: { to: 'tables', method: 'POST', holds: 'A-199', nth: 1 }, afterMs: 30 },
    },
    { do: 'poll', process: 0, when: { at: 170_000 } },
  ],
  faults: Array.from({ length: 10 }, (_, index) => ({
    to: 'service',
    method: 'POST',
    nth: index + 3,
    when: 'before',
    befalls: REFUSES_THE_KEY,
  })),
});

/** A list has failed, and a person retries it after Cancel has come for a call that it had not come to. */
export const cancelledBeforeRetry = aHistory({
  settings: { preventDuplicates: true },
  triggers: [{ process: 0 }],
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 30 }, when: { at: 3_000 } },
    { do: 'cancel', process: 0, order: 29, by: 'orderNumber', when: { at: 20_000 } },
    { do: 'retry', process: 0, step: 0, when: { at: 60_000 } },
    { do: 'poll', process: 0, when: { at: 170_000 } },
  ],
  faults: [
    {
      to: 'service',
      method: 'POST',
      nth: 2,
      when: 'before',
      befalls: { kind: 'status', status: 401 },
    },
  ],
});

/** A list to schedule is written, Cancel comes, n8n refuses to have the list due, and the node is tried again. */
export const cancelledBeforeListIsTriedAgain = aHistory({
  triggers: [{ process: 0 }],
  steps: [
    { do: 'schedule', process: 0, orders: { from: 1, to: 3 }, tries: 3, when: { at: 3_000 } },
    {
      do: 'cancel',
      process: 0,
      order: 2,
      by: 'orderNumber',
      when: { on: { to: 'tables', method: 'POST', holds: 'A-2', nth: 1 } },
    },
    { do: 'place', process: 0, when: { at: 30_000 } },
    { do: 'poll', process: 0, when: { at: 170_000 } },
  ],
  faults: [
    {
      to: 'tables',
      method: 'PATCH',
      holds: '"data":{"batch":"","lockedUntil":0}',
      from: 2_000,
      nth: 1,
      when: 'before',
      befalls: {
        kind: 'status',
        status: 400,
        message: 'Data table size limit exceeded',
        lateMs: 3_000,
      },
    },
  ],
});

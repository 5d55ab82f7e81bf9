import { aHistory, phoneOf } from '../history';

/** The process stands still before it marks the rows of its calls; a person corrects the number of one of them. */
export const phoneCorrectedWhileWrittenAhead = aHistory({
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 2 }, when: { at: 0 } },
    { do: 'edit', order: 1, cells: { customerPhone: phoneOf(900) }, when: { at: 20_000 } },
  ],
  faults: [
    {
      to: 'tables',
      method: 'PATCH',
      holds: '"status":"placing"',
      nth: 1,
      when: 'before',
      befalls: { kind: 'pause', ms: 150_000 },
    },
  ],
});

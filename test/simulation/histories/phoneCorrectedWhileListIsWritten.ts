import { aHistory, phoneOf } from '../history';

/** A person corrects a number while n8n is slow to write the list; then the old number is refused. */
export const phoneCorrectedWhileListIsWritten = aHistory({
  settings: { doNotCall: true },
  steps: [
    { do: 'doNotCall', order: 1, when: { at: 0 } },
    { do: 'schedule', process: 0, orders: { from: 1, to: 1 }, when: { at: 5_000 } },
    { do: 'edit', order: 1, cells: { customerPhone: phoneOf(900) }, when: { at: 20_000 } },
  ],
  faults: [
    {
      to: 'tables',
      method: 'PATCH',
      holds: '"status":"not_placed"',
      nth: 1,
      when: 'before',
      befalls: { kind: 'pause', ms: 30_000 },
    },
  ],
});

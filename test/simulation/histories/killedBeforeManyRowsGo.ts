import { aHistory } from '../history';

/**
 * n8n was killed after it had written the ends of many calls, before it deleted the rows that they replace. More
 * are left than n8n is asked for with a filter in an address: none of them is taken for a copy that a person
 * has changed.
 */
export const killedBeforeManyRowsGo = aHistory({
  skews: [0, 0],
  triggers: [{ process: 0 }],
  steps: [
    { do: 'call', process: 1, orders: { from: 1, to: 120 }, when: { at: 0 } },
    { do: 'place', process: 1, keepOnSeconds: 50, when: { at: 70_000 } },
  ],
  faults: [
    {
      to: 'tables',
      method: 'DELETE',
      holds: '"columnName":"lockedBy"',
      process: 1,
      from: 70_500,
      nth: 1,
      when: 'before',
      befalls: { kind: 'kill' },
    },
  ],
});

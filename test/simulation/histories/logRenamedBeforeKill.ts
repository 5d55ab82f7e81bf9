import { aHistory } from '../history';

/** A person renames the log; then the n8n of its trigger is killed, and calls end before it is back. */
export const logRenamedBeforeKill = aHistory({
  skews: [0, 0],
  triggers: [{ process: 0 }],
  isLogFromList: true,
  steps: [
    { do: 'schedule', process: 1, orders: { from: 1, to: 4 }, when: { at: 0 } },
    { do: 'place', process: 1, keepOnSeconds: 600, when: { at: 2_000 } },
    { do: 'renameLog', name: 'Calls of the shop', when: { at: 10_000 } },
    { do: 'kill', process: 0, when: { at: 45_000 } },
  ],
});

import { aHistory } from '../history';

/** Two executions call for the first time: one finds no log, and the other has made it when it looks again. */
export const logMadeByTwoAtOnce = aHistory({
  seed: 1,
  skews: [0, 0],
  hasNoLog: true,
  outcomes: { 1: ['Order confirmed'], 2: ['Order confirmed'] },
  steps: [
    { do: 'call', process: 0, orders: { from: 1, to: 1 }, when: { at: 0 } },
    { do: 'call', process: 1, orders: { from: 2, to: 2 }, when: { at: 20 } },
  ],
});

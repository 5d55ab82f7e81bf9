import { leapOverWaits } from '../leapOverWaits';
import { BEGINS } from './clock';

// Where tests of all folders run as one, others measure how long something waits.
if (expect.getState().testPath?.includes('/test/core/')) {
  // The tables of cases are read before the first test: they must see the same day as the tests.
  const realTimers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
  const doNotFake = [...realTimers, 'setImmediate', 'clearImmediate', 'nextTick'] as const;
  jest.useFakeTimers({ now: BEGINS, doNotFake: [...doNotFake, 'queueMicrotask', 'performance'] });
  leapOverWaits(BEGINS);
}

import { leapOverWaits } from '../leapOverWaits';
import { BEGINS } from './clock';

// Where tests of all folders run as one, others measure how long something waits.
if (expect.getState().testPath?.includes('/test/core/')) leapOverWaits(BEGINS);

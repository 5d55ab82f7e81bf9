import { leapOverWaits } from '../leapOverWaits';

// Where tests of all folders run as one, others measure how long something waits.
if (expect.getState().testPath?.includes('/test/core/')) leapOverWaits();

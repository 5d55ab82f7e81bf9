/** When each file of tests begins: a Monday on which it is day in Europe, India and the east of America. */
export const BEGINS = new Date('2026-11-30T14:00:00Z');

/** Has the clock show the first time again, after a test has set it. */
export const resetClock = (): void => {
  jest.setSystemTime(BEGINS);
};

/**
 * Stops the clock, and so that of the emulated service, during each test of a file.
 *
 * @returns a function that lets seconds pass
 */
export function stoppedClock(): (seconds: number) => void {
  let now = 0;
  let stopped: jest.SpyInstance<number, []>;
  beforeEach(() => {
    now = 1_800_000_000_000;
    stopped = jest.spyOn(Date, 'now').mockImplementation(() => now);
  });
  afterEach(() => stopped.mockRestore());
  return (seconds) => {
    now += seconds * 1000;
  };
}

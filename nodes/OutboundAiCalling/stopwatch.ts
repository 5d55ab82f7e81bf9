/**
 * The time since it was started. The longer of two clocks counts: one can be set back, the other may stand still
 * while the machine sleeps.
 */
export class Stopwatch {
  private readonly startedAt = Date.now();
  private readonly startedSteadily = performance.now();

  /** Milliseconds. */
  get passedMs(): number {
    return Math.max(Date.now() - this.startedAt, performance.now() - this.startedSteadily);
  }
}

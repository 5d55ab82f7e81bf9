/** Of two clocks the longer time counts: one can be set back, one stops while a machine sleeps. */
export class Stopwatch {
  private readonly startedAt = Date.now();
  private readonly startedSteadily = performance.now();

  /** Milliseconds. */
  get passedMs(): number {
    return Math.max(Date.now() - this.startedAt, performance.now() - this.startedSteadily);
  }
}

import { Random } from './random';

/** Something that happens at a time of the world. */
interface Happening {
  at: number;
  order: number;
  act: () => void;
  /** Whether code that waits may go on then. */
  wakes: boolean;
}

/**
 * Virtual time: what happens, one thing after the other. Time passes only when nobody has anything left to
 * do, so a history is the same however quick the machine is.
 */
export class World {
  /** Milliseconds since 1970. */
  now: number;
  readonly random: Random;
  private readonly heap: Happening[] = [];
  private ordered = 0;
  private happened = 0;

  /** @param mostHappenings a world in which more happens goes round in a circle */
  constructor(
    seed: number,
    startsAt: number,
    private readonly mostHappenings: number,
    private readonly isInOrder = false,
  ) {
    this.now = startsAt;
    this.random = new Random(seed, 1);
  }

  /**
   * Has something happen after so many milliseconds; what is due at the same time happens in drawn order, or
   * as it was asked for.
   *
   * @param wakes whether code that waits may go on then
   */
  after(ms: number, act: () => void, wakes = true): void {
    const drawn = this.isInOrder ? 0 : this.random.next();
    const order = drawn + this.ordered++ * (this.isInOrder ? 1 : Number.EPSILON);
    this.push({ at: this.now + Math.max(0, ms), order, act, wakes });
  }

  /** Goes on until something is so, at most until a time. */
  async runUntil(isSo: () => boolean, until = Infinity): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const goOn = () => {
        try {
          if (this.hasCome(isSo, until)) resolve();
          else whenDrained(goOn);
        } catch (error) {
          reject(error as Error);
        }
      };
      whenDrained(goOn);
    });
  }

  /** Has happen what is next, and all before it that wakes nobody; or says that the time has come. */
  private hasCome(isSo: () => boolean, until: number): boolean {
    for (;;) {
      if (isSo()) return true;
      const next = this.heap[0];
      if (next === undefined || next.at > until) {
        if (until !== Infinity) this.now = Math.max(this.now, until);
        return true;
      }
      if (++this.happened > this.mostHappenings) {
        throw new Error('The world goes round in a circle');
      }
      this.pop();
      this.now = Math.max(this.now, next.at);
      next.act();
      if (next.wakes) return false;
    }
  }

  /** Goes on until a time. */
  async runTo(time: number): Promise<void> {
    await this.runUntil(() => false, time);
  }

  private push(happening: Happening): void {
    const { heap } = this;
    let index = heap.push(happening) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Happening;
      if (!isBefore(happening, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = happening;
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const left = heap[child];
      if (left === undefined) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, left)) child++;
      const smaller = heap[child] as Happening;
      if (!isBefore(smaller, last)) break;
      heap[index] = smaller;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}

/** Acts when all is done that code can do without waiting for something that happens later. */
function whenDrained(act: () => void): void {
  // From a microtask: a tick that is asked for within a tick comes before all microtasks.
  void Promise.resolve().then(() => process.nextTick(act));
}

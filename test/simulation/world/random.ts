/** Numbers drawn from a seed (`sfc32`): the same seed gives the same numbers. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(seed: number, stream = 0) {
    this.a = seed | 0;
    this.b = Math.floor(seed / 2 ** 32) | 0;
    this.c = stream | 0;
    for (let round = 0; round < 12; round++) this.next();
  }

  /** From 0 (included) to 1 (excluded). */
  readonly next = (): number => {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };

  /** A whole number; both bounds are included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(entries: readonly T[]): T {
    const entry = entries[this.integer(0, entries.length - 1)];
    if (entry === undefined) throw new Error('Nothing to pick from');
    return entry;
  }
}

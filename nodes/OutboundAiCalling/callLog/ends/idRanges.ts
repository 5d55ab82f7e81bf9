type Range = [from: number, to: number];

/** A set of row ids, stored as ranges, because rows that are written together have consecutive ids. */
export class IdRanges {
  private ranges: Range[] = [];

  constructor(ranges: Iterable<readonly [number, number]> = []) {
    for (const [from, to] of ranges) this.add(from, to);
  }

  /** Reads JSON of {@link all}. Text that cannot be read gives an empty set. */
  static fromText(text: unknown): IdRanges {
    try {
      const ranges: unknown = JSON.parse(String(text ?? '[]'));
      return new IdRanges(Array.isArray(ranges) ? (ranges as Range[]) : []);
    } catch {
      return new IdRanges();
    }
  }

  /** The ranges in ascending order; they neither overlap nor touch. */
  all(): ReadonlyArray<readonly [number, number]> {
    return this.ranges;
  }

  has(id: number): boolean {
    return this.ranges.some(([from, to]) => from <= id && id <= to);
  }

  add(from: number, to = from): void {
    // Also what is no number, in a cell that a person has edited.
    if (!(from <= to)) return;
    const apart = this.ranges.filter(([first, last]) => last < from - 1 || first > to + 1);
    const joined = this.ranges.filter(([first, last]) => last >= from - 1 && first <= to + 1);
    const start = Math.min(from, ...joined.map(([first]) => first));
    const end = Math.max(to, ...joined.map(([, last]) => last));
    this.ranges = [...apart, [start, end] as Range].sort(([a], [b]) => a - b);
  }

  /** The last id of the first range; 0 when there is none. */
  get position(): number {
    return this.ranges[0]?.[1] ?? 0;
  }

  /** The highest id; 0 when there is none. */
  get highest(): number {
    return this.ranges.at(-1)?.[1] ?? 0;
  }

  delete(from: number, to = from): void {
    const parts = this.ranges.flatMap(([first, last]): Range[] => [
      [first, Math.min(last, from - 1)],
      [Math.max(first, to + 1), last],
    ]);
    this.ranges = parts.filter(([first, last]) => first <= last);
  }
}

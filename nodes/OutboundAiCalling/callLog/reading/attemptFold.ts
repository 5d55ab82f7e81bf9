import type { Row } from '../../dataTables/dataTables';
import { isOfTestCall } from '../placing/loggedRequest';
import { callKey, supersedes } from '../states';

/** Of an attempt the row that counts, as far as it was read. */
interface Told<T> {
  /** What tells it from other rows of the attempt. */
  row: Row;
  told: T;
}

/**
 * Has of the rows of each attempt the one count that counts, in whatever order they come. Little is kept
 * of a row. Test calls ring nobody but the builder, and are left out.
 */
export class AttemptFold<T> {
  private readonly attempts = new Map<string, Told<T>>();

  /** @param read what is kept of a row that counts */
  constructor(private readonly read: (row: Row) => T) {}

  add(row: Row): void {
    if (isOfTestCall(row)) return;
    const key = callKey(row);
    const { id, status, finishedAt, batch } = row;
    if (!this.counts(key, row)) return;
    this.attempts.set(key, { row: { id, status, finishedAt, batch } as Row, told: this.read(row) });
  }

  merge(other: AttemptFold<T>): void {
    for (const [key, one] of other.attempts) {
      if (this.counts(key, one.row)) this.attempts.set(key, one);
    }
  }

  private counts(key: string, row: Row): boolean {
    const known = this.attempts.get(key);
    return known === undefined || known.row.id === row.id || supersedes(row, known.row);
  }

  /** What is kept of each attempt, by `callKey`. */
  *entries(): Generator<[key: string, told: T]> {
    for (const [key, { told }] of this.attempts) yield [key, told];
  }
}

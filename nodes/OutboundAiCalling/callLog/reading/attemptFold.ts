import type { Row } from '../../dataTables/dataTables';
import { isOfTestCall } from '../placing/loggedRequest';
import { callKey, supersedes } from '../states';
import { textIn } from '../table/cells';

/**
 * Finds, for each attempt, the row that counts. Rows may come in any order, and little is stored of
 * each. Test calls are left out: they ring nobody but the builder.
 */
export class AttemptFold<T> {
  /**
   * By attempt: the row that counts of those that were read. Only the cells that choose between two rows are
   * stored. Without the other cells an ended row may look `unknown`, which weighs the same.
   */
  private readonly attempts = new Map<string, { row: Row; told: T }>();

  constructor(private readonly read: (row: Row) => T) {}

  add(row: Row): void {
    if (isOfTestCall(row)) return;
    const key = callKey(row);
    if (!this.counts(key, row)) return;
    const { id, orderId, status, finishedAt, batch } = row;
    const kept = { id, orderId, status, finishedAt, batch } as Row;
    this.attempts.set(key, { row: kept, told: this.read(row) });
  }

  merge(other: AttemptFold<T>): void {
    for (const [key, one] of other.attempts) {
      if (this.counts(key, one.row)) this.attempts.set(key, one);
    }
  }

  private counts(key: string, row: Row): boolean {
    const known = this.attempts.get(key)?.row;
    if (known === undefined || known.id === row.id) return true;
    const [one, other] = [textIn(row.orderId), textIn(known.orderId)];
    // A person has scheduled the attempt again since the other row was read, which is gone.
    if (one !== undefined && other !== undefined && one !== other) return row.id > known.id;
    return supersedes(row, known);
  }

  /** The stored part of the counting row of each attempt, by `callKey`. */
  *entries(): Generator<[key: string, told: T]> {
    for (const [key, { told }] of this.attempts) yield [key, told];
  }
}

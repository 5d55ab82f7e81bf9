import type { Row } from '../../dataTables/dataTables';
import { isOfTestCall } from '../placing/loggedRequest';
import { callKey, outweighs, standingOf, type Standing } from '../states';
import { textIn } from '../table/cells';

/** What is stored of a row: of its cells, the order id alone. */
interface Read<T> extends Standing {
  orderId: string | undefined;
  value: T;
}

/** Finds the row that counts of each attempt, and stores little of it. It leaves out test calls. */
export class AttemptFold<T> {
  /** By attempt: the row that counts of those that were read. */
  private readonly attempts = new Map<string, Read<T>>();

  constructor(private readonly read: (row: Row) => T) {}

  add(row: Row): void {
    if (isOfTestCall(row)) return;
    const key = callKey(row);
    const standing = { ...standingOf(row), orderId: textIn(row.orderId) };
    if (this.counts(key, standing)) this.attempts.set(key, { ...standing, value: this.read(row) });
  }

  merge(other: AttemptFold<T>): void {
    for (const [key, one] of other.attempts) {
      if (this.counts(key, one)) this.attempts.set(key, one);
    }
  }

  private counts(key: string, one: Omit<Read<T>, 'value'>): boolean {
    const other = this.attempts.get(key);
    if (other === undefined || other.id === one.id) return true;
    const isOther = one.orderId !== undefined && other.orderId !== undefined;
    // A person has scheduled the attempt again since the other row was read, which is gone.
    if (isOther && one.orderId !== other.orderId) return one.id > other.id;
    return outweighs(one, other);
  }

  find(key: string): { readonly value: T } | undefined {
    return this.attempts.get(key);
  }

  /** The stored part of the counting row of each attempt, by `callKey`. */
  *entries(): Generator<[key: string, value: T]> {
    for (const [key, { value }] of this.attempts) yield [key, value];
  }
}

import type { IDataObject } from 'n8n-workflow';
import { CallingServiceError, type FailureKind } from '../service/failure';

/** How something that must not be done twice ended, in a form that n8n can store. */
type Entry =
  | { done: IDataObject }
  | { unknown: { kind: FailureKind; message: string; advice: string; status: number | null } };

/**
 * Remembers what one node has set in motion within one execution. It lives in the node's execution
 * context, which n8n keeps through Retry On Fail and saves with a failed execution.
 */
export class Ledger {
  private readonly entries: Record<string, Entry>;

  /**
   * @param context the node's execution context
   * @param runIndex tells rounds of a loop apart, whose items are other items
   */
  constructor(context: IDataObject, runIndex: number) {
    const runs = (context.placed ??= {}) as Record<string, Record<string, Entry>>;
    this.entries = runs[String(runIndex)] ??= {};
  }

  /** Whether something was done before, or may have been. */
  has(key: string): boolean {
    return key in this.entries;
  }

  /**
   * Does something once. What was done before is returned as it was; what may have been done
   * before fails again as it did, for only a person can find out.
   *
   * @param act its result must survive being stored as JSON
   */
  async once<T extends object>(key: string, act: () => Promise<T>): Promise<T> {
    const entry = this.entries[key];
    if (entry !== undefined) {
      if ('done' in entry) return entry.done as T;
      const { kind, message, advice, status } = entry.unknown;
      throw new CallingServiceError(kind, message, {
        advice,
        taken: 'unknown',
        ...(status === null ? {} : { status }),
      });
    }
    return await act().then(
      (done) => {
        this.entries[key] = { done: done as IDataObject };
        return done;
      },
      (error: unknown) => {
        if (error instanceof CallingServiceError && error.taken === 'unknown') {
          const { kind, message, advice, status = null } = error;
          this.entries[key] = { unknown: { kind, message, advice, status } };
        }
        return Promise.reject(error);
      },
    );
  }
}

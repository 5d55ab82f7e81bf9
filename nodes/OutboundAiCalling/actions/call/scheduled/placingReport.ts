import type { IDataObject } from 'n8n-workflow';
import type { Objection, RuleClosed } from '../../../rules/rule';

/** What an execution that places scheduled calls has done. */
export class PlacingReport {
  /** The items of calls that were placed, in the order in which the service took them. */
  readonly placed: IDataObject[] = [];
  /** Why calls stay scheduled, or end without having been placed, by `callKey`. */
  readonly objectionsTo = new Map<string, Objection>();
  /** Calls that the service has refused, and why. */
  readonly refused: string[] = [];
  /** Why calls wait whose rules cannot be asked. */
  readonly closed: RuleClosed[] = [];
  /** What went wrong, in order; what concerns one call only is not among it. */
  readonly failures: unknown[] = [];
  /** Whether as many calls went on at the end as may. */
  isFull = false;
  /** When the next call is due, where none was: milliseconds since 1970; undefined when none is scheduled. */
  nextDueAt: number | undefined;
  /** What a person is told of rows that no execution of the account works with, where no call was due. */
  outOfReach: string[] = [];

  get objections(): Objection[] {
    return [...this.objectionsTo.values()];
  }

  /** Whether there was no call to place. */
  get wasIdle(): boolean {
    return [this.placed, this.objections, this.refused, this.closed, this.failures].every(
      ({ length }) => length === 0,
    );
  }
}

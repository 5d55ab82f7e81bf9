import type { IDataObject } from 'n8n-workflow';
import type { Objection } from '../../../rules/rule';

/** What an execution that places scheduled calls has done. */
export class PlacingReport {
  /** The items of calls that were placed, in the order in which the service took them. */
  readonly placed: IDataObject[] = [];
  /** Why calls stay scheduled, or end without having been placed. */
  readonly objections: Objection[] = [];
  /** Calls that the service has refused, and why. */
  readonly refused: string[] = [];
  /** What went wrong, in order; what concerns one call only is not among it. */
  readonly failures: unknown[] = [];
  /** When the next call is due, where none was: milliseconds since 1970; undefined when none is scheduled. */
  nextDueAt: number | undefined;

  /** Whether there was no call to place. */
  get wasIdle(): boolean {
    return [this.placed, this.objections, this.refused, this.failures].every(
      ({ length }) => length === 0,
    );
  }
}

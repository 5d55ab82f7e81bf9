import type { IDataObject } from 'n8n-workflow';
import type { Objection } from '../../../rules/rule';
import { mayHaveHappened } from '../../../service/failure';
import { peopleCalled, type Called } from '../../../nodeError';
import { idsSentence } from '../../earlierTries';

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
  /** Of so many calls nobody knows whether they were placed. */
  maybePlaced = 0;

  get orderIds(): number[] {
    return this.placed.map(({ orderId }) => Number(orderId));
  }

  note(failure: unknown): void {
    if (mayHaveHappened(failure)) this.maybePlaced++;
    this.failures.push(failure);
  }

  /** How an error begins. */
  get called(): Called {
    return peopleCalled(this.placed.length, this.maybePlaced);
  }

  /** What was done, as sentences that end an error. */
  get done(): string {
    const maybe =
      this.maybePlaced === 0
        ? ''
        : 'Rows of calls that may have been placed say maybe_placed in the call log.';
    return [idsSentence('Calls placed: order IDs', this.orderIds), maybe].filter(Boolean).join(' ');
  }
}

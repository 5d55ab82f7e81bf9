import type { Objection } from './rule';
import { objectionTold, type Skipped } from './skipped';

/** The item of a dry run. `Told` says whom or what it is about. */
export type DryRun<Told> = {
  dryRun: true;
  wouldCall: boolean;
} & Partial<Pick<Skipped, 'reason' | 'nextAllowedAt'>> &
  Told;

/**
 * Makes the item of a dry run: whether people would be called, and why not.
 *
 * @param told whom or what the item is about
 */
export function dryRunItem<Told extends object>(
  wouldCall: boolean,
  objection: Objection | undefined,
  told: Told,
): DryRun<Told> {
  const why = objection === undefined ? {} : objectionTold(objection);
  return { dryRun: true, wouldCall: wouldCall && objection === undefined, ...why, ...told };
}

import type { Objection } from './rule';
import { objectionTold, type Skipped } from './skipped';

/** What would become of somebody, as an item shows it; `Told` says of whom or what. */
export type DryRun<Told> = {
  dryRun: true;
  wouldCall: boolean;
} & Partial<Pick<Skipped, 'reason' | 'nextAllowedAt'>> &
  Told;

/**
 * What an item says where nothing was sent: whether people would be called, and why not.
 *
 * @param told whom or what it is about
 */
export function dryRunItem<Told extends object>(
  wouldCall: boolean,
  objection: Objection | undefined,
  told: Told,
): DryRun<Told> {
  const why = objection === undefined ? {} : objectionTold(objection);
  return { dryRun: true, wouldCall: wouldCall && objection === undefined, ...why, ...told };
}

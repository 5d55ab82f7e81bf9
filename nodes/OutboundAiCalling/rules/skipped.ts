import { onClockOf } from '../clocks';
import { defined } from '../http/json';
import type { CampaignAction } from '../service/campaign';
import { inWords, isForGood, type Objection } from './rule';

/** The item of a call that was not placed, on purpose. */
export type Skipped = {
  skipped: true;
  reason: Objection['reason'];
  customerPhone: string;
  orderNumber?: string;
  /** The order id of the call that an earlier try has placed. */
  orderId?: number;
  /** ISO 8601, with the offset of the time zone in which a person reads it. */
  nextAllowedAt?: string;
  /**
   * The objection in words, where its reason does not say enough: which call it was, what became of its row, or which
   * setting no call can meet.
   */
  message?: string;
};

/** Reasons that do not say enough without the words of the objection. */
const IS_TOLD = new Set<Objection['reason']>(['duplicate', 'earlierTry', 'cancelled']);

/** The item of a campaign that was not changed, on purpose. */
export type SkippedCampaign = Pick<Skipped, 'skipped' | 'reason' | 'nextAllowedAt'> & {
  campaignId: number;
  action: CampaignAction;
};

/** The time at which a call will be allowed, if known, as items and errors show it. */
export function nextAllowed({
  nextAllowedAt,
  timezone = 'UTC',
}: Objection): Pick<Skipped, 'nextAllowedAt'> {
  return nextAllowedAt === undefined ? {} : { nextAllowedAt: onClockOf(nextAllowedAt, timezone) };
}

export function objectionFields(objection: Objection): Pick<Skipped, 'reason' | 'nextAllowedAt'> {
  return { reason: objection.reason, ...nextAllowed(objection) };
}

export function skippedItem(
  objection: Objection,
  { customerPhone, orderNumber }: { customerPhone: string; orderNumber?: string },
): Skipped {
  const { reason, words, orderId } = objection;
  const hasWords = words !== undefined && (IS_TOLD.has(reason) || isForGood(objection));
  const message = hasWords ? inWords(objection) : undefined;
  return {
    skipped: true,
    ...objectionFields(objection),
    customerPhone,
    ...defined({ orderNumber, message, orderId }),
  };
}

/** The item of a dry run. `Details` say whom or what it is about. */
export type DryRun<Details> = {
  dryRun: true;
  wouldCall: boolean;
} & Partial<Pick<Skipped, 'reason' | 'nextAllowedAt'>> &
  Details;

export function dryRunItem<Details extends object>(
  wouldCall: boolean,
  objection: Objection | undefined,
  details: Details,
): DryRun<Details> {
  const why = objection === undefined ? {} : objectionFields(objection);
  return { dryRun: true, wouldCall: wouldCall && objection === undefined, ...why, ...details };
}

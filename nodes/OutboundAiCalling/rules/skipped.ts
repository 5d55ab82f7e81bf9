import type { IDataObject } from 'n8n-workflow';
import type { Objection } from './rule';

/** A call that was not placed on purpose, as an item shows it. */
export interface Skipped {
  skipped: true;
  reason: Objection['reason'];
  customerPhone: string;
  orderNumber?: string;
  /** ISO 8601, UTC. */
  nextAllowedAt?: string;
}

/** Why a call is not placed, as items say it. */
export function objectionTold({ reason, nextAllowedAt }: Objection) {
  return {
    reason,
    ...(nextAllowedAt === undefined ? {} : { nextAllowedAt: nextAllowedAt.toISOString() }),
  };
}

/** The item of a call that a rule objects to. */
export function skippedItem(
  objection: Objection,
  { customerPhone, orderNumber }: { customerPhone: string; orderNumber?: string },
): IDataObject {
  const skipped: Skipped = {
    skipped: true,
    ...objectionTold(objection),
    customerPhone,
    ...(orderNumber === undefined ? {} : { orderNumber }),
  };
  return { ...skipped };
}

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

/** The item of a call that a rule objects to. */
export function skippedItem(
  { reason, nextAllowedAt }: Objection,
  { customerPhone, orderNumber }: { customerPhone: string; orderNumber?: string },
): IDataObject {
  const skipped: Skipped = {
    skipped: true,
    reason,
    customerPhone,
    ...(orderNumber === undefined ? {} : { orderNumber }),
    ...(nextAllowedAt === undefined ? {} : { nextAllowedAt: nextAllowedAt.toISOString() }),
  };
  return { ...skipped };
}

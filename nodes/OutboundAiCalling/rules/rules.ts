import type { IDataObject } from 'n8n-workflow';
import type { Objection, Rule } from './rule';

/** A call that was not placed on purpose, as an item shows it. */
export interface Skipped {
  skipped: true;
  reason: Objection['reason'];
  customerPhone: string;
  orderNumber?: string;
  /** ISO 8601, UTC. */
  nextAllowedAt?: string;
}

/** Thrown just before a request: a rule objects to the call. */
export class RuleObjection extends Error {
  override readonly name = 'RuleObjection';
  /** Whether the calling service may have acted on a request: none was sent to it. */
  readonly taken = 'no';

  constructor(readonly objection: Objection) {
    super(`Not called: ${objection.reason}`);
  }
}

/** Thrown just before a request: whether a rule objects cannot be found out, so nobody is called. */
export class RuleNotAsked extends Error {
  override readonly name = 'RuleNotAsked';
  readonly taken = 'no';

  constructor(why: unknown) {
    const reason = why instanceof Error ? why.message : String(why);
    super(`Whether the call is allowed could not be found out: ${reason}`, { cause: why });
  }
}

/** The rules of one call, in the order in which they are asked. */
export class Rules {
  constructor(private readonly inOrder: Rule[]) {}

  /**
   * Asks every rule; the first that objects decides.
   *
   * @throws RuleObjection
   * @throws RuleNotAsked when a rule does not know
   */
  async ask(): Promise<void> {
    for (const rule of this.inOrder) {
      const objection = await rule.objection().catch((error: unknown) => {
        throw new RuleNotAsked(error);
      });
      if (objection !== undefined) throw new RuleObjection(objection);
    }
  }

  /** Nothing was sent: what rules have claimed is given back. */
  async giveBack(): Promise<void> {
    for (const rule of this.inOrder) await rule.giveBack?.();
  }
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

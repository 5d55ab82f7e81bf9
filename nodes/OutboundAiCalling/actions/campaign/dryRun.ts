import { splitContacts } from '../../contacts/contactList';
import { dryRunItem } from '../../rules/skipped';
import type { Objection } from '../../rules/rule';
import type { CampaignDryRun } from './campaignOutput';
import { nameOfPart, skippedOf } from './carryOut';
import type { Plan } from './plan';

/**
 * The items of the campaigns that a plan would create; `wouldCall` says whether they would be started.
 *
 * @param objection to starting them now
 */
export function dryRunItems(plan: Plan, objection?: Objection): CampaignDryRun[] {
  const parts = splitContacts(plan.contacts, plan.contactsPerCampaign);
  return parts.map(({ contacts }, index) =>
    dryRunItem(plan.start, objection, {
      ...nameOfPart(plan, index + 1, parts.length),
      kind: plan.base.kind,
      contactCount: contacts.length,
      part: index + 1,
      parts: parts.length,
      ...skippedOf(plan, index),
    }),
  );
}

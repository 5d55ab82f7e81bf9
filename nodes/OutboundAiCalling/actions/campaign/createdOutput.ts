import type { IDataObject } from 'n8n-workflow';
import type { UnusableContact } from '../../contacts/contact';
import { shown } from '../../presentation';
import type { Objection } from '../../rules/rule';
import { dryRunItem, nextAllowed } from '../../rules/skipped';
import type { Campaign } from '../../service/campaign';
import type { OperationExecution } from '../execution';
import { createdMessage, DIFFERENCES } from './campaignMessage';
import type { CampaignDryRun, CreatedCampaignOutput } from './campaignOutput';
import type { CreatedPart, Result } from './createAndStart';
import { nameOfPart, splitContacts, type Plan } from './plan';

export function stateToTell({ read, mayRun }: CreatedPart): string {
  return mayRun ? 'it may be running' : read.result.state;
}

/** Names the campaigns that exist after a failure, and how to go on. */
export function existingSentence({ created, parts }: Result): string {
  if (created.length === 0) return '';
  const named = created.map((part, index) => {
    const where = part.isElsewhere ? ' of another account' : '';
    const { campaignId } = part.read.result;
    return `${index + 1}/${parts} is campaign ${campaignId}${where} (${stateToTell(part)})`;
  });
  const mayRun = created.some((part) => part.mayRun || part.read.result.started !== false);
  const advice = mayRun
    ? 'Look in the dashboard of the calling service which of them are running.'
    : 'They dial nobody until you start them with Campaign > Start.';
  return `These parts exist: ${named.join(', ')}. Retrying this execution creates none of them again. ${advice}`;
}

/** The contacts that were left out. Only the first campaign lists them. */
function skippedOf({ skipped }: Plan, index: number): { skippedContacts?: UnusableContact[] } {
  return index === 0 && skipped.length > 0 ? { skippedContacts: skipped } : {};
}

/** The state in an item; unknown when the answer to the request to start its campaign was lost. */
function stateIn({ read: { result }, mayRun }: CreatedPart): Pick<Campaign, 'state' | 'started'> {
  const { state, started } = result;
  if (!mayRun) return { state, started };
  return { state: started === null ? state : 'unknown', started: null };
}

/** The output for one campaign; the first one lists the contacts that were left out. */
export function itemOf(
  part: CreatedPart,
  index: number,
  parts: number,
  plan: Plan,
  { presentation }: OperationExecution,
): IDataObject {
  const { read, mayRun, reasonToWait, startedByItself, objection, difference } = part;
  const isReasonShown = !mayRun && reasonToWait !== undefined;
  const remark =
    difference === undefined || isReasonShown
      ? ''
      : ` An earlier request created it, with ${DIFFERENCES[difference][0]}.`;
  const message = createdMessage(read.result, part) + remark;
  const isByItself = startedByItself !== undefined;
  const needsMessage = mayRun || isReasonShown || isByItself || remark !== '';
  const skipped = skippedOf(plan, index);
  const next = objection === undefined ? {} : nextAllowed(objection);
  if (presentation.form !== 'raw') {
    const result = { ...read.result, ...stateIn(part) };
    const place = { part: index + 1, parts };
    const item: CreatedCampaignOutput = { ...result, ...place, message, ...next, ...skipped };
    const { state, started } = item;
    const always = { ...(needsMessage ? { state, started, message } : {}), ...next, ...skipped };
    return shown(presentation, { result: item, body: read.body }, item, always);
  }
  // A separate request starts a campaign. The body of its creation does not show the start.
  const start = plan.start || mayRun || isByItself ? { ...stateIn(part), ...next } : {};
  const messageField = needsMessage ? { message } : {};
  return { ...read.body, ...start, ...messageField, ...skipped } as IDataObject;
}

/** The items of the campaigns that a plan would create; `objection` is to starting them now. */
export function dryRunItems(plan: Plan, objection?: Objection): CampaignDryRun[] {
  const parts = splitContacts(plan.contacts, plan.contactsPerCampaign);
  return parts.map((contacts, index) =>
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

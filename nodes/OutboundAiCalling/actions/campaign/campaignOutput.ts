import type { UnusableContact } from '../../contacts/contact';
import type { DryRun } from '../../rules/skipped';
import type { Campaign } from '../../service/campaign';

/** Which part of its list a campaign holds, and who was left out of the list. */
interface PartOfList {
  /** Counted from 1. */
  part: number;
  parts: number;
  /** In the item of the first part only, when somebody was left out. */
  skippedContacts?: UnusableContact[];
}

/** The simplified output of a campaign that was created. */
export interface CreatedCampaignOutput extends Campaign, PartOfList {
  /** When it may be started, if it was not started because of the calling hours. */
  nextAllowedAt?: string;
  /** How the creation ended, in words for people. */
  message: string;
}

/** Marks the output of a simulated campaign: nothing was sent. */
export interface Simulated {
  simulated?: true;
}

export type CampaignDryRun = DryRun<
  Pick<Campaign, 'kind' | 'contactCount'> & Partial<Pick<Campaign, 'name'>> & PartOfList
>;

export type CreateOutput = (CreatedCampaignOutput & Simulated) | CampaignDryRun;

export const CAMPAIGN_FIELDS: ReadonlyArray<keyof CreatedCampaignOutput> = [
  'campaignId',
  'name',
  'kind',
  'state',
  'contactCount',
  'started',
  'part',
  'parts',
  'nextAllowedAt',
  'skippedContacts',
  'message',
];

import type { UnusableContact } from '../../contacts/contact';
import type { DryRun } from '../../rules/dryRun';
import type { Campaign } from '../../service/campaign';

/** Which part of its list a campaign holds, and who was left out of the list. */
interface PartOfList {
  /** Counted from 1. */
  part: number;
  parts: number;
  /** In the item of the first part only, when somebody was left out. */
  skippedContacts?: UnusableContact[];
}

/** A campaign that was created, in its tidy form. */
export interface CreatedCampaignOutput extends Omit<Campaign, 'started'>, PartOfList {
  /** Null when nobody knows whether it was started. */
  started: boolean | null;
  /** When it may be started, where it was left unstarted because of the calling hours. */
  nextAllowedAt?: string;
  /** What has become of it, to be read by people. */
  message: string;
}

/** Of a campaign that was only simulated: nothing was sent. */
export interface Simulated {
  simulated?: true;
}

/** A campaign that would be created. */
export type CampaignDryRun = DryRun<
  Pick<Campaign, 'kind' | 'contactCount'> & Partial<Pick<Campaign, 'name'>> & PartOfList
>;

export type CreateOutput = (CreatedCampaignOutput & Simulated) | CampaignDryRun;

/** What can be selected of a campaign that was created. */
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

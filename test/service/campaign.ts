import type { Body } from './reply';

export type CampaignState = 'not_started' | 'running' | 'paused' | 'completed' | 'stopped';

export interface QueuedContact {
  phone: string;
  /** The contact as it was given: an element of `contacts`, or a row of `csvText`. */
  body: Body;
}

export interface Campaign {
  campaignId: number;
  key: string;
  scriptId: number;
  name: string;
  kind: string;
  state: CampaignState;
  contacts: QueuedContact[];
  /** The script variables of the create request, for contacts that do not carry their own. */
  body: Body;
  /** The most calls at once, after the service's own cap. */
  maxConcurrency: number;
  /** How many contacts have been dialled. */
  dialled: number;
  /** For each channel it holds while running, when it is free again, in service milliseconds. */
  channels: number[];
}

/** Places the call of a contact at a time and says when it ends, both in service milliseconds. */
export type Dial = (campaign: Campaign, contact: QueuedContact, at: number) => number;

/** Brings a campaign to the present: dials as its channels become free, and completes it. */
export function advance(campaign: Campaign, now: number, dial: Dial): void {
  while (campaign.state === 'running') {
    const at = Math.min(...campaign.channels);
    const contact = campaign.contacts[campaign.dialled];
    if (contact === undefined) {
      if (Math.max(...campaign.channels) <= now) campaign.state = 'completed';
      return;
    }
    if (at > now) return;
    campaign.channels[campaign.channels.indexOf(at)] = dial(campaign, contact, at);
    campaign.dialled++;
  }
}

/**
 * Lets a campaign dial from `now` on, in at most `channels` calls at once. Calls that were under way
 * when it was paused keep their channels until they end.
 */
export function setRunning(campaign: Campaign, now: number, channels: number): void {
  const busiest = campaign.channels.toSorted((a, b) => b - a);
  campaign.state = 'running';
  campaign.channels = Array.from({ length: channels }, (_, index) =>
    Math.max(busiest[index] ?? now, now),
  );
}

/** "Campaign transitions": from which state each action is valid, and where it leads. */
export const TRANSITIONS: ReadonlyMap<string, { from: CampaignState; to: CampaignState }> = new Map(
  [
    ['start', { from: 'not_started', to: 'running' }],
    ['pause', { from: 'running', to: 'paused' }],
    ['resume', { from: 'paused', to: 'running' }],
    ['stop', { from: 'running', to: 'stopped' }],
  ],
);

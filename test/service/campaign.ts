export type CampaignState = 'not_started' | 'running' | 'paused' | 'completed' | 'stopped';

export interface QueuedContact {
  phone: string;
  details: Record<string, unknown>;
}

export interface Campaign {
  campaignId: number;
  key: string;
  scriptId: number;
  name: string;
  kind: string;
  state: CampaignState;
  contacts: QueuedContact[];
  /** How many contacts have been dialled. */
  dialled: number;
  /** For each channel that it may use, when the channel is free again, in service milliseconds. */
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

/** Lets a campaign dial from `now` on. */
export function setRunning(campaign: Campaign, now: number): void {
  campaign.state = 'running';
  campaign.channels = campaign.channels.map((freeAt) => Math.max(freeAt, now));
}

/** "Campaign transitions": from which state each action is valid, and where it leads. */
export const TRANSITIONS: Record<string, { from: CampaignState; to: CampaignState } | undefined> = {
  start: { from: 'not_started', to: 'running' },
  pause: { from: 'running', to: 'paused' },
  resume: { from: 'paused', to: 'running' },
  stop: { from: 'running', to: 'stopped' },
};

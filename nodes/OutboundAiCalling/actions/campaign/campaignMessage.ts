import type { Campaign, CampaignAction, CampaignControl } from '../../service/campaign';
import { fulfils, STATE_AFTER } from '../../service/campaignState';

/** Why a campaign was not started as asked; `mayRun` when nobody knows whether it was. */
export type Unstarted = { reason: string } | 'mayRun';

/** Says in words for people how a creation ended. */
export function createdMessage(
  { contactCount, started, state }: Campaign,
  unstarted?: Unstarted,
): string {
  const contacts = contactCount === 1 ? '1 contact' : `${contactCount} contacts`;
  const created = `Created with ${contacts}`;
  if (unstarted === 'mayRun') {
    return `${created}, and may be running: look for it in the dashboard of the calling service before you start it.`;
  }
  if (started)
    return `${created} and started${state === STATE_AFTER.start ? ': calling has begun' : ''}.`;
  if (unstarted !== undefined) return `${created}, but not started: ${unstarted.reason}`;
  return `${created}. Nobody is called before you start it with Campaign > Start.`;
}

const DONE: Record<CampaignAction, string> = {
  start: 'Started: calling has begun.',
  pause: 'Paused: nobody else is called before it is resumed.',
  resume: 'Resumed: calling goes on.',
  stop: 'Stopped for good: nobody else is called.',
};

/** Says in words for people how a control action ended. */
export function controlMessage(action: CampaignAction, { state }: CampaignControl): string {
  if (state === STATE_AFTER[action]) return DONE[action];
  if (fulfils(state, action)) return `The campaign has ended (${state}): nobody else is called.`;
  if (state === 'unknown') {
    return `The calling service accepted the request to ${action} the campaign, and gave no state: look in its dashboard whether people are called.`;
  }
  return `The calling service accepted the request to ${action} the campaign, and says that its state is ${state}.`;
}

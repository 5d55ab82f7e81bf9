import type { Campaign, CampaignAction, CampaignControl } from '../../service/campaign';
import { fulfils, STATE_AFTER } from '../../service/campaignState';
import type { Difference } from './loadedContacts';

export interface Start {
  /** The service may have started it: by itself, or after a request. */
  mayRun: boolean;
  /** Why it was not started, in words. */
  reasonToWait?: string;
  /** The end of a sentence: the service started it by itself, or may have. Why it was not to call, and what was done. */
  startedByItself?: string;
}

/** What a campaign has that differs from the request, and when it is to be started all the same. */
export const DIFFERENCES: Record<Difference, [has: string, startIf: string]> = {
  people: ['people whom this request does not name', 'all of them are to be called'],
  data: ['another script, kind or data', 'its people are to be called with these'],
};

/** How a campaign came to call people that was not to; `started` is null when that is not sure. */
export function byItself({ started }: Pick<Campaign, 'started'>): string {
  return `${started === null ? 'perhaps ' : ''}started by the calling service itself`;
}

export function createdMessage(
  campaign: Campaign,
  { mayRun, reasonToWait, startedByItself }: Start,
): string {
  const { contactCount, started, state } = campaign;
  const contacts = contactCount === 1 ? '1 contact' : `${contactCount} contacts`;
  const created = `Created with ${contacts}`;
  if (startedByItself !== undefined)
    return `${created}, and ${byItself(campaign)}${startedByItself}`;
  if (mayRun) {
    return `${created}, and may be running: look for it in the dashboard of the calling service before you start it.`;
  }
  if (started)
    return `${created} and started${state === STATE_AFTER.start ? ': calling has begun' : ''}.`;
  if (reasonToWait !== undefined) {
    const notStarted = started === null ? 'and not started now' : 'but not started';
    return `${created}, ${notStarted}: ${reasonToWait}`;
  }
  return `${created}. Nobody is called before you start it with Campaign > Start.`;
}

const DONE: Record<CampaignAction, string> = {
  start: 'Started: calling has begun.',
  pause: 'Paused: nobody else is called before it is resumed.',
  resume: 'Resumed: calling goes on.',
  stop: 'Stopped for good: nobody else is called.',
};

/** Of an action that is sent once: what happened afterwards, nobody knows. */
export function doneEarlier(action: 'start' | 'resume'): string {
  const done = { start: 'started', resume: 'resumed' }[action];
  return `An earlier request of this execution has ${done} the campaign, and nothing was sent now. It may have been paused or have ended since: look in the dashboard of the calling service.`;
}

export function controlMessage(action: CampaignAction, { state }: CampaignControl): string {
  if (state === STATE_AFTER[action]) return DONE[action];
  if (fulfils(state, action)) return `The campaign has ended (${state}): nobody else is called.`;
  if (state === 'unknown') {
    return `The calling service accepted the request to ${action} the campaign, and gave no state that could be read: look in its dashboard whether people are called.`;
  }
  return `The calling service accepted the request to ${action} the campaign, and says that its state is ${state}.`;
}

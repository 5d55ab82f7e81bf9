import type { CampaignAction } from './campaign';

/** What a request is for. It decides what a failure may have caused, and what a 404 is about. */
export type Purpose = 'trigger' | 'scriptVariables' | 'outcome' | 'createCampaign' | CampaignAction;

/** A request: what it is for, and to which host, for messages. */
export interface Asked {
  purpose: Purpose;
  host: string;
  /** Whether the options of a panel set timeout and pace: then advice names them. */
  hasOptions?: boolean;
}

const ACTIONS: readonly Purpose[] = ['start', 'pause', 'resume', 'stop'] satisfies CampaignAction[];

export function isControl(purpose: Purpose): purpose is CampaignAction {
  return ACTIONS.includes(purpose);
}

/** Whether the request changes nothing at the service. */
export function isReading(purpose: Purpose): boolean {
  return purpose === 'outcome' || purpose === 'scriptVariables';
}

/** The part of a message that says what may have happened. */
export const MAY_HAVE_HAPPENED: Record<Purpose, string> = {
  trigger: ': the call may have been placed',
  createCampaign: ': the campaign may have been created',
  start: ': the campaign may have been started and be running',
  resume: ': the campaign may have been resumed and be running',
  pause: ': the campaign may have been paused or may still be running',
  stop: ': the campaign may have been stopped or may still be running',
  outcome: '',
  scriptVariables: '',
};

/** What a person should check before sending a request again that may have been processed. */
export const LOOK_BEFORE_REPEATING: Record<Purpose, string> = {
  trigger:
    'The customer may have been called. Look for the call in the dashboard of the calling service before you trigger it again.',
  createCampaign:
    'The campaign may exist. Look for it in the dashboard of the calling service before you create it again.',
  start:
    'The campaign may be running now, and people may be called. Look at its state in the dashboard of the calling service before you start it again.',
  resume:
    'The campaign may be running now, and people may be called. Look at its state in the dashboard of the calling service before you resume it again.',
  pause:
    'The campaign may be paused, or it may still be running and calling people. Look at its state in the dashboard of the calling service before you pause it again.',
  stop: 'The campaign may be stopped, or it may still be running and calling people. Look at its state in the dashboard of the calling service before you stop it again.',
  outcome: 'Nothing was changed by asking. Try again later.',
  scriptVariables: 'Nobody was called by asking. Try again later.',
};

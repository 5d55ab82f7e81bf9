import { onClockOf } from '../../clocks';
import { errorMessage } from '../../nodeError';
import type { Objection } from '../../rules/rule';
import type { Campaign } from '../../service/campaign';
import { STATE_AFTER } from '../../service/campaignState';
import { CallingServiceError } from '../../service/failure';
import type { OperationExecution } from '../execution';
import { controlMessage } from './campaignMessage';
import { control } from './control';
import type { Plan } from './plan';

/** From when on a campaign outside of the hours may be started; empty when nobody knows. */
export function sinceWhen({ nextAllowedAt, timezone = 'UTC' }: Objection): string {
  if (nextAllowedAt === undefined) return '';
  const minute = onClockOf(nextAllowedAt, timezone).slice(0, 16).replace('T', ' ');
  return ` from ${minute} (${timezone}) on`;
}

/** Why a campaign is not to call anybody now; undefined when it is. */
function whyNotNow({ start, askHours }: Plan): { why: string; objection?: Objection } | undefined {
  if (!start) return { why: 'Start Immediately is off' };
  const objection = askHours?.();
  return objection && { why: 'it is outside the calling hours', objection };
}

/** What a node has done about a campaign that the service has started by itself, or may have. */
export interface Pausing {
  wasPaused: boolean;
  failure?: string;
}

/** Pauses a new campaign, unless it is to call people now or the service has surely not started it by itself. */
export async function pauseUnlessWanted(
  campaign: Campaign,
  plan: Plan,
  execution: OperationExecution,
): Promise<Pausing> {
  if (campaign.started === false || whyNotNow(plan) === undefined) return { wasPaused: false };
  return await control(execution, campaign.campaignId, 'pause').then(
    ({ result: { state } }) => {
      campaign.state = state;
      return { wasPaused: true };
    },
    (failure: unknown) => {
      const state = failure instanceof CallingServiceError ? failure.campaignState : undefined;
      const isDraft = campaign.started === null && state === 'not_started';
      if (!isDraft) return { wasPaused: false, failure: errorMessage(failure) };
      Object.assign(campaign, { state: 'not_started', started: false });
      return { wasPaused: false };
    },
  );
}

function afterPause(campaign: Campaign, since: string): string {
  const { campaignId, state } = campaign;
  if (state === STATE_AFTER.pause) {
    return `This node has paused it: resume it with Campaign > Resume${since}.`;
  }
  return controlMessage('pause', { campaignId, action: 'pause_campaign', state });
}

/** What to say of a campaign that the service has started by itself, or may have; nothing when it is to call people now. */
export function sinceOwnStart(
  campaign: Campaign,
  { wasPaused, failure }: Pausing,
  plan: Plan,
): { startedByItself?: string; objection?: Objection } {
  const { why, objection } = whyNotNow(plan) ?? {};
  if (why === undefined && !wasPaused) return {};
  const although = why === undefined ? '' : `, although ${why}`;
  const failed = failure === undefined ? '' : `It could not be paused: ${failure}. `;
  const sentences = wasPaused
    ? afterPause(campaign, objection === undefined ? '' : sinceWhen(objection))
    : `${failed}Pause it with Campaign > Pause.`;
  const startedByItself = `${although}. ${sentences}`;
  return { startedByItself, ...(objection === undefined ? {} : { objection }) };
}

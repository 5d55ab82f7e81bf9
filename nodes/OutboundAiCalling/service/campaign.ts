import type { IDataObject } from 'n8n-workflow';
import { lettersOf } from '../alike';
import { callsPeople, contradicts, readState, STATE_AFTER } from './campaignState';
import { numberOf, textOf } from '../http/json';
import { isBlank } from '../values';

export type CampaignKind = 'cod' | 'list' | 'ndr';
export type CampaignAction = 'start' | 'pause' | 'resume' | 'stop';

/** One person of a campaign ("Contact"), as it is sent. Other keys are context for the script. */
export interface Contact {
  customerPhone: string;
  customerName?: string;
  orderNumber?: string;
  orderNotes?: string;
  [context: string]: string | undefined;
}

/** A campaign as the answer to its creation shows it ("Create a campaign"). */
export interface Campaign {
  campaignId: number;
  name: string;
  kind: string;
  /** `not_started`, `running`, `paused`, `completed`, `stopped`, or any other from the service. */
  state: string;
  contactCount: number;
  /** False only when the answer says so. Null when nobody knows. */
  started: boolean | null;
}

/** The result of a control request ("Control a campaign"). */
export interface CampaignControl {
  campaignId: number;
  /** As the service names it, e.g. `pause_campaign`. */
  action: string;
  /** `unknown` when the service gave none. */
  state: string;
}

/**
 * The state of a campaign, which answers have under two names; undefined when the service gave
 * none, and `unknown` when it is no text. When people are called in one of them, that one counts.
 */
export function stateOf({ state, status }: IDataObject): string | undefined {
  const states = [state, status]
    .filter((given) => !isBlank(given))
    .map((given) => (typeof given === 'string' ? readState(given) : 'unknown'));
  return states.find(callsPeople) ?? states[0];
}

/** Whether a new campaign was started. What an answer does not say is unknown, and null. */
function startedOf({ started }: IDataObject, state: string | undefined): boolean | null {
  if (started === true || state === 'running') return true;
  // "Campaign transitions": the interface's text calls a new campaign paused; it means not_started.
  const isNew = state === 'not_started' || state === 'paused';
  if (started === false) return isNew || state === undefined ? false : null;
  return isNew && isBlank(started) ? false : null;
}

/** Reads the body of a successful create answer. The request supplies the fields that it lacks. */
export function readCampaign(
  body: IDataObject,
  campaignId: number,
  asked: { name?: string; kind: CampaignKind; contacts: Contact[] },
): Campaign {
  const given = stateOf(body);
  const started = startedOf(body, given);
  const state = given === 'paused' && started === false ? 'not_started' : given;
  return {
    campaignId,
    name: textOf(body.name ?? body.campaignName) ?? asked.name ?? '',
    kind: textOf(body.kind) ?? asked.kind,
    state: state ?? (started === true ? 'running' : started === false ? 'not_started' : 'unknown'),
    contactCount: asked.contacts.length,
    started,
  };
}

/** The count of loaded contacts in a create answer; undefined for none, and for the count sent. */
export function otherContactCount(body: IDataObject, sent: number): string | undefined {
  const count = body.contact_count ?? body.contactCount ?? null;
  if (count === null || numberOf(count) === sent) return undefined;
  return textOf(count) ?? JSON.stringify(count);
}

export function readCampaignControl(
  body: IDataObject,
  campaignId: number,
  action: CampaignAction,
): CampaignControl {
  // Where a state is given, `started` may be about the creation ("Campaign").
  const isUnstarted = body.started === false && STATE_AFTER[action] === 'running';
  const state = stateOf(body) ?? (isUnstarted ? 'not_started' : 'unknown');
  return { campaignId, action: textOf(body.action) ?? `${action}_campaign`, state };
}

/** The action that an answer names, in any spelling, e.g. `resume_campaign`; another name says nothing. */
const ACTION = /^(?:creat|start|paus|resum|stop)/;

/** What excludes the success that an answer to an action reports; undefined for nothing. */
export function contradictionOf(
  { action, state }: CampaignControl,
  asked: CampaignAction,
): string | undefined {
  const [named = asked] = ACTION.exec(lettersOf(action).replace('campaign', '')) ?? [];
  if (!asked.startsWith(named)) return `names the action ${action}`;
  return contradicts(state, asked) ? `says that its state is ${state}` : undefined;
}

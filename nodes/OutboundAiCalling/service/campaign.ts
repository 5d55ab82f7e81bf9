import type { IDataObject } from 'n8n-workflow';
import { readState } from './campaignState';
import { numberOf, textOf } from '../http/json';

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
  /** Null when the answer does not say so in the words of the interface. */
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
 * none, and `unknown` when it is no text. When one of them is `running`, that counts: people may be
 * called.
 */
export function stateOf({ state, status }: IDataObject): string | undefined {
  const given = [state, status].filter((text) => typeof text === 'string' && text.trim() !== '');
  const states = given.map((text) => readState(String(text)));
  const unreadable = typeof state === 'object' && state !== null ? 'unknown' : undefined;
  return states.find((one) => one === 'running') ?? states[0] ?? unreadable;
}

/** Whether a new campaign was started; null unless the answer says so in the interface's words. */
function startedOf({ started }: IDataObject, state: string | undefined): boolean | null {
  if (started === true || state === 'running') return true;
  const isSaid = started === false || started === null || started === undefined;
  // "Campaign transitions": the interface's text calls a new campaign paused; it means not_started.
  const isNew = state === undefined || state === 'not_started' || state === 'paused';
  return isSaid && isNew ? false : null;
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
  const state = stateOf(body) ?? 'unknown';
  return { campaignId, action: textOf(body.action) ?? `${action}_campaign`, state };
}

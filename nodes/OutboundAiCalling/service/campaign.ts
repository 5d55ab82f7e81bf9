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
  started: boolean;
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
 * none. When one of them is `running`, that counts: people may be called.
 */
export function stateOf({ state, status }: IDataObject): string | undefined {
  const given = [state, status].filter((text) => typeof text === 'string' && text.trim() !== '');
  const states = given.map((text) => readState(String(text)));
  return states.find((one) => one === 'running') ?? states[0];
}

/** Reads the body of a successful create answer. The request supplies the fields that it lacks. */
export function readCampaign(
  body: IDataObject,
  campaignId: number,
  asked: { name: string; kind: CampaignKind; contactCount: number; start: boolean },
): Campaign {
  const told = stateOf(body);
  const runs = told === 'running';
  const isStarted = typeof body.started === 'boolean' ? body.started : undefined;
  const started = runs || (isStarted ?? (told === undefined && asked.start));
  // "Campaign transitions": the interface's text calls a new campaign paused; it means not_started.
  const state = told === 'paused' && !started ? 'not_started' : told;
  return {
    campaignId,
    name: textOf(body.name ?? body.campaignName) ?? asked.name,
    kind: textOf(body.kind) ?? asked.kind,
    state: state ?? (started ? 'running' : 'not_started'),
    contactCount: numberOf(body.contact_count ?? body.contactCount) ?? asked.contactCount,
    started,
  };
}

/** Reads the body of a successful control answer. */
export function readCampaignControl(
  body: IDataObject,
  campaignId: number,
  action: CampaignAction,
): CampaignControl {
  return {
    campaignId,
    action: textOf(body.action) ?? `${action}_campaign`,
    state: stateOf(body) ?? 'unknown',
  };
}

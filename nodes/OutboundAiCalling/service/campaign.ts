import type { IDataObject } from 'n8n-workflow';
import { readState } from './campaignState';
import { numberOf, textOf } from '../http/json';

export type CampaignKind = 'cod' | 'list' | 'ndr';
export type CampaignAction = 'start' | 'pause' | 'resume' | 'stop';

/** One person of a campaign ("Contact"), in its primary form. Further keys are script context. */
export interface Contact {
  customerPhone: string;
  customerName?: string;
  orderNumber?: string;
  orderNotes?: string;
  [context: string]: string | undefined;
}

/** A campaign as its creation reports it ("Create a campaign"). */
export interface Campaign {
  campaignId: number;
  name: string;
  kind: string;
  /** `not_started`, `running`, `paused`, `completed`, `stopped`, or what else the service names, as it came. */
  state: string;
  contactCount: number;
  started: boolean;
}

/** What a control request did ("Control a campaign"). */
export interface CampaignControl {
  campaignId: number;
  /** As the service names it, e.g. `pause_campaign`. */
  action: string;
  /** `unknown` when the service gave none. */
  state: string;
}

/**
 * The state under either of its names; undefined when the service gave none. Where one of them says
 * that people are called, they are.
 */
export function stateOf({ state, status }: IDataObject): string | undefined {
  const given = [state, status].filter((text) => typeof text === 'string' && text.trim() !== '');
  const states = given.map((text) => readState(String(text)));
  return states.find((one) => one === 'running') ?? states[0];
}

/**
 * Reads the body of a successful create answer, completing what it leaves out from the request.
 */
export function readCampaign(
  body: IDataObject,
  campaignId: number,
  asked: { name: string; kind: CampaignKind; contactCount: number; start: boolean },
): Campaign {
  const told = stateOf(body);
  const runs = told === 'running';
  const isStarted = typeof body.started === 'boolean' ? body.started : undefined;
  const started = runs || (isStarted ?? (told === undefined && asked.start));
  // "Campaign transitions": the text calls a new campaign paused where the interface means not_started.
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

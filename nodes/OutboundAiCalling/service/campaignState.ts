import type { CampaignAction } from './campaign';

/** "Campaign states". */
const STATES = ['not_started', 'running', 'paused', 'completed', 'stopped'] as const;
export type CampaignState = (typeof STATES)[number];

/** The state in which an action leaves a campaign. */
export const STATE_AFTER: Record<CampaignAction, CampaignState> = {
  start: 'running',
  pause: 'paused',
  resume: 'running',
  stop: 'stopped',
};

/** The states in which what an action is for has come true, whatever brought it about. */
const FULFILLED_BY: Record<CampaignAction, readonly string[]> = {
  start: [],
  pause: ['paused', 'completed', 'stopped'],
  resume: [],
  stop: ['completed', 'stopped'],
};

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');

/** Whether it is a state of the interface. */
export function isCampaignState(state: string | undefined): state is CampaignState {
  return STATES.some((one) => one === state);
}

/** A state of the interface in any spelling; every other as it came. */
export function readState(text: string): string {
  return STATES.find((state) => lettersOf(state) === lettersOf(text)) ?? text;
}

/**
 * Whether a campaign in this state calls nobody any more, so that nothing is left to do for an action
 * that ends calling.
 */
export function fulfils(state: string | undefined, action: CampaignAction): boolean {
  return state !== undefined && FULFILLED_BY[action].includes(state);
}

/** Whether a state of the interface says that what an action is for has not come true. */
export function contradicts(state: string, action: CampaignAction): boolean {
  // A short list may be worked off at once.
  const isFine = state === STATE_AFTER[action] || state === 'completed' || fulfils(state, action);
  return isCampaignState(state) && !isFine;
}

/** Whether a campaign in this state has all its calls behind it. */
export function hasEnded(state: string): boolean {
  return state === 'completed' || state === 'stopped';
}

const STATE = '["\'“]?(not[ _-]?started|running|paused|completed|stopped)["\'”]?';
const CAMPAIGN = '(?:(?:a|the|this) )?campaign(?: \\d+)?';
const CANNOT =
  "(?:cannot|can't|can not|could not|unable to) (?:be )?(?:start|pause|resume|stop)(?:e?d)?";
/** Whole sentences: a state that is only part of a condition tells nothing. */
const SENTENCES = [
  `(?:${CANNOT} ${CAMPAIGN}[:;,.]? (?:because )?)?(?:${CAMPAIGN}|it) (?:is|has)(?: been)?(?: already| currently)? ${STATE}(?: already)?`,
  `${CANNOT} (?:${CAMPAIGN}|it) (?:(?:that|which|because it) is |(?:while|when|as) (?:it is )?|(?:in|from|with)(?: the)? (?:state|status) )?(?:already )?${STATE}`,
  `${CANNOT} (?:${CAMPAIGN}[:;,.]? )?(?:(?:campaign )?(?:state|status)(?: is|:)?|already) ${STATE}`,
  `already ${STATE}`,
  `(?:campaign )?(?:state|status)(?: is|:) ${STATE}`,
].map((pattern) => new RegExp(`^${pattern}$`, 'i'));

/** The state that a sentence says a campaign is in; undefined for every sentence that says more. */
export function stateNamedIn(sentence: string): string | undefined {
  const named = SENTENCES.flatMap((pattern) => pattern.exec(sentence)?.[1] ?? []);
  return named[0] === undefined ? undefined : readState(named[0]);
}

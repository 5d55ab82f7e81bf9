import { lettersOf } from '../alike';
import type { CampaignAction } from './campaign';

/** "Campaign states". */
const STATES = ['not_started', 'running', 'paused', 'completed', 'stopped'] as const;
export type CampaignState = (typeof STATES)[number];

export const STATE_AFTER: Record<CampaignAction, CampaignState> = {
  start: 'running',
  pause: 'paused',
  resume: 'running',
  stop: 'stopped',
};

export function isCampaignState(state: string | undefined): state is CampaignState {
  return STATES.some((one) => one === state);
}

function stateWritten(text: string): CampaignState | undefined {
  return STATES.find((state) => lettersOf(state) === lettersOf(text));
}

/** Unifies the spelling of the interface's states; returns any other text unchanged. */
export function readState(text: string): string {
  return stateWritten(text) ?? text;
}

/**
 * Whether the action has nothing left to do. A campaign that has called everybody has nobody to resume it for; one that
 * was stopped has.
 */
export function fulfils(state: string | undefined, action: CampaignAction): boolean {
  if (state === undefined || action === 'start') return false;
  if (action === 'resume') return state === 'completed';
  return state === 'completed' || state === 'stopped' || state === STATE_AFTER[action];
}

/** Other words, in letters alone, for a state in which people are called; `accepted` may be said of the request. */
const CALLS_PEOPLE =
  /^(?:active|live|ongoing|started|resumed|unpaused|notpaused|running.*|inprogress|incall|oncall|calling|ringing|talking|(?:re)?diall?ing)$/;

/** Whether people are called in a state, in whatever word. */
export function callsPeople(state: string): boolean {
  return CALLS_PEOPLE.test(lettersOf(state));
}

/** Whether the state after a successful action excludes that success. A state that nobody knows never does. */
export function contradicts(state: string, action: CampaignAction): boolean {
  // A campaign with few contacts may have completed already.
  const isFine = state === STATE_AFTER[action] || state === 'completed' || fulfils(state, action);
  return (
    !isFine && (isCampaignState(state) || (STATE_AFTER[action] !== 'running' && callsPeople(state)))
  );
}

const STATE = '["\'“]?(not[ _-]?started|running|paused|completed|stopped)["\'”]?';
const CAMPAIGN = '(?:(?:a|the|this) )?campaign(?: \\d+)?';
const CANNOT =
  "(?:cannot|can't|can not|could not|unable to) (?:be )?(?:start|pause|resume|stop)(?:e?d)?";
/** They match whole sentences: a state within a condition is not the campaign's state. */
const SENTENCES = [
  `(?:${CANNOT} ${CAMPAIGN}[:;,.]? (?:because )?)?(?:${CAMPAIGN}|it) (?:is|has)(?: been)?(?: already| currently)? ${STATE}(?: already)?`,
  `${CANNOT} (?:${CAMPAIGN}|it) (?:(?:that|which|because it) is |(?:while|when|as) (?:it is )?|(?:in|from|with)(?: the)? (?:state|status) )?(?:already )?${STATE}`,
  `${CANNOT} (?:${CAMPAIGN}[:;,.]? )?(?:(?:campaign )?(?:state|status)(?: is|:)?|already) ${STATE}`,
  `already ${STATE}`,
  `(?:campaign )?(?:state|status)(?: is|:) ${STATE}`,
].map((pattern) => new RegExp(`^${pattern}$`, 'i'));

/** The campaign state that a sentence names; undefined when the sentence says anything else. */
export function stateNamedIn(sentence: string): CampaignState | undefined {
  const [named] = SENTENCES.flatMap((pattern) => pattern.exec(sentence)?.[1] ?? []);
  return named === undefined ? undefined : stateWritten(named);
}

import { isRecord } from '../http/json';
import { readState, STATE_AFTER, stateNamedIn } from './campaignState';
import { isControl, type Purpose } from './purpose';

/** Ids of what the service makes, in letters alone. A script and an order number are echoes of the request. */
const MADE_ID = /(?:order|call|campaign)(?:id|sid|uuid)$|^(?:id|sid|uuid)$/;
/** The state of what was made, in letters alone. */
const MADE_STATE = new Set(['callstatus', 'state', 'campaignstate', 'started']);

const DONE =
  'placed|initiated|created|(?<!get )started|resumed|launched|(?:en)?queued|dispatched|diall?ed|(?:is|are|was|were|been|being) called';
const NOT_DONE = new RegExp(
  `(?:\\b(?:not|never|cannot|nobody|none|no)|n't)(?: (?:calls?|campaigns?|yet|be|been|being|is|was|were|has|have))* (?:${DONE})\\b(?! (?:again|twice|a second))`,
  'gi',
);
const WORDS_OF_DOING = new RegExp(
  [
    `\\b(?:${DONE}|diall?ing|ringing|already|duplicated?|being processed)\\b`,
    '\\btim(?:ed?|ing)[ -]?outs?\\b|\\bdeadline exceeded\\b',
    '\\b(?:call|order|campaign)\\b[^.;]*\\bin[ _-]?progress\\b',
  ].join('|'),
  'i',
);

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');

function isGiven(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  return value === true || (typeof value === 'number' && value !== 0);
}

function speaks(text: string, purpose: Purpose): boolean {
  // "Campaign is already running" names a state, whoever has brought it about.
  if (isControl(purpose) && stateNamedIn(text.trim().replace(/[\s.!]+$/, '')) !== undefined) {
    return false;
  }
  return WORDS_OF_DOING.test(text.replace(NOT_DONE, ''));
}

function isSign(name: string, value: unknown, purpose: Purpose): boolean {
  if (purpose === 'trigger' || purpose === 'createCampaign') {
    const letters = lettersOf(name);
    return (MADE_ID.test(letters) || MADE_STATE.has(letters)) && isGiven(value);
  }
  // A refused control names the campaign, and the state that it is in.
  if (!isControl(purpose) || (name !== 'state' && name !== 'status')) return false;
  return typeof value === 'string' && readState(value) === STATE_AFTER[purpose];
}

/**
 * Whether anything in an answer speaks for it that the request was processed, whatever else it says: an id
 * or a state of what was made, at any depth, or a word of doing ("placed", "already", "timed out").
 *
 * @param body may be nested to any depth
 */
export function showsSignsOfProcessing(body: unknown, purpose: Purpose): boolean {
  // To end calling twice is to end it once.
  if (purpose === 'pause' || purpose === 'stop') return false;
  // A list of what is still to be read: nesting as deep as a text allows would overflow the stack.
  const waiting: unknown[] = [body];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && speaks(value, purpose)) return true;
    if (Array.isArray(value)) for (const entry of value) waiting.push(entry);
    if (!isRecord(value)) continue;
    for (const [name, entry] of Object.entries(value)) {
      if (isSign(name, entry, purpose)) return true;
      waiting.push(entry);
    }
  }
  return false;
}

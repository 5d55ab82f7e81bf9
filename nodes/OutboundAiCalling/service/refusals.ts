import type { Concern, FailureDetails, FailureKind } from './failure';
import { isControl, type Purpose } from './purpose';
import { adviceForMissing } from './scriptVariables';
import { stateNamedIn, type CampaignState } from './campaignState';

export interface Meaning extends Pick<
  FailureDetails,
  'advice' | 'missingVariables' | 'campaignState'
> {
  kind: FailureKind;
  message: string;
  concerns: Concern;
}

/** A sentence that {@link TABLE} knows. */
interface Sentence extends Pick<Meaning, 'kind' | 'concerns'> {
  /** The requests that it applies to; all when undefined. */
  of?: (purpose: Purpose) => boolean;
  /** One of them matches the sentence; `message` and `more` get its first group. */
  words: readonly RegExp[];
  message: (named: string) => string;
  advice: (purpose: Purpose, named: string) => string;
  /** The sentence that the interface documents. The message quotes every other one. */
  documented?: RegExp;
  more?: (named: string) => Pick<Meaning, 'missingVariables' | 'campaignState'>;
}

const sends = (purpose: Purpose): boolean =>
  purpose === 'trigger' || purpose === 'createCampaign' || purpose === 'scriptVariables';

/** The number of a record, after the word for it. */
const VALUE = '(?:[ :#]*["\'“(]?\\+?\\d[\\d -]{0,20}["\'”)]?)?';
const NOT_THERE =
  "(?:(?:is |was |could |can )?not (?:be )?found|(?:does not|doesn't|did not) exist|(?:is )?(?:unknown|not known))";
const WHOSE =
  '(?:,? (?:or|for|under|with|by|in|to) (?:[\\w ]{0,30} )?(?:key|account|accessible|access|deleted|organi[sz]ation|workspace|user|yours))?';

const wholly = (...patterns: string[]): RegExp[] =>
  patterns.map((pattern) => new RegExp(`^${pattern}$`, 'i'));

const missing = (what: string): RegExp[] =>
  wholly(
    `(?:the |this )?(?:${what})(?: ?id| record)?${VALUE} ${NOT_THERE}${WHOSE}`,
    `(?:(?:no such|no|unknown) (?:${what})(?: ?id)?|invalid (?:${what}) ?id)${VALUE}(?: (?:found|exists))?(?: (?:with|for) (?:this|that|the) id)?${WHOSE}`,
  );

const ABSENT =
  '(?:(?:(?:is|was|are|has been) )?(?:required|missing|empty|blank|absent)|(?:is|was|are|has) not (?:been )?(?:given|provided|specified|set))';
const INVALID =
  '(?:(?:(?:is|was|are|has been) )?(?:malformed|invalid)|(?:is|was|are|has) not (?:been )?valid)';
const FAULTY = `(?:${ABSENT}|${INVALID})`;
const SCRIPT = '(?:the |this )?script(?:[ _]?id)?';
const PHONE =
  '(?:contacts?(?:\\[\\d+\\]|\\.\\d+| \\d+)?[.:]? ?)?(?:the )?(?:customer[ _]?phone|phone[ _]?column|phone)(?:[ _]?number)?';
const STOP = '["\'“]?stop["\'”]?';
/** A list of the valid actions, without `stop`. */
const ONE_OF =
  '(?:it )?(?:must be|expected|use|(?:valid|allowed) (?:values|actions)(?: are)?)(?: one of| either)?:? (?:["\']?(?:start|pause|resume)["\']?(?:,? (?:or|and) |, ?| ?\\| ?|/)?)+';
const WHERE =
  '(?: (?:for|in|of|from|and|to) (?:this |the |a |every |each |all )?(?:trigger|call|calls|contact|contacts|row|rows|request|body|item|csv)(?: \\d+)?)?';

const NO_PHONE = () => 'The calling service found no phone number that it can call';
const checkPhone = (ofCall: string) => (purpose: Purpose) =>
  purpose === 'createCampaign'
    ? 'Every contact needs a phone number. Check the phone fields of the contacts, or "Phone Column" for CSV.'
    : ofCall;

/**
 * The sentences of refusals ("Errors"). A sentence that is not in this table is unknown: it ends no
 * call, no list and no waiting. Rows that end one request for good must match the whole sentence.
 * Rows about the account may match a part of it, because they only advise a person.
 */
const TABLE: readonly Sentence[] = [
  {
    kind: 'variablesMissing',
    concerns: 'everything',
    of: sends,
    words: wholly('missing (?:required )?script variables?\\s*:\\s*(.*[^\\s,].*)'),
    documented: /./,
    message: (named) => `The script needs ${namesIn(named).join(', ')}`,
    advice: (purpose, named) =>
      adviceForMissing(namesIn(named), purpose === 'createCampaign' ? 'campaign' : 'call'),
    more: (named) => ({ missingVariables: namesIn(named) }),
  },
  {
    kind: 'scriptRefused',
    concerns: 'everything',
    of: sends,
    words: [
      ...missing('script'),
      ...wholly(
        `${SCRIPT}${VALUE} ${FAULTY}(?: (?:or|and) (?:${FAULTY}|(?:is )?not an? (?:valid )?(?:number|integer)|must be an? (?:number|integer)))?${WHERE}`,
        `${SCRIPT}${VALUE} (?:must be|is not|should be) an? (?:(?:valid|whole|positive) )*(?:number|integer|script)(?: id)?`,
        'missing script(?:[ _]?id)?',
      ),
    ],
    documented: /^scriptId is required$/i,
    message: () => 'The calling service does not accept this script ID',
    advice: () =>
      'Check the script ID: it is the whole number that the dashboard of the calling service shows for the script.',
  },
  {
    kind: 'phoneRefused',
    // Every call and contact is sent with a number: if one got lost, the next one will be too.
    concerns: 'everything',
    of: sends,
    words: wholly(
      `${PHONE}${VALUE} ${ABSENT}(?: or (?:${ABSENT}|${INVALID}))?${WHERE}`,
      `missing ${PHONE}${WHERE}`,
    ),
    documented: /^customerPhone is required$/i,
    message: NO_PHONE,
    advice: checkPhone(
      'Check the phone number. If it has its country code, e.g. +12025550123, something between n8n and the calling service may have removed it from the request.',
    ),
  },
  {
    kind: 'phoneRefused',
    concerns: 'oneRequest',
    of: sends,
    words: wholly(
      `${PHONE}${VALUE} ${INVALID}(?: or ${INVALID})?${WHERE}`,
      `${PHONE}${VALUE} (?:is not|must be|should be) an? valid (?:phone )?number${WHERE}`,
      `${PHONE}${VALUE} (?:is not|must be|should be) (?:in )?(?:valid )?E\\.?164(?: format)?${WHERE}`,
      `${PHONE}${VALUE} (?:must|should) (?:include|contain|have|start with|begin with) (?:a |the |its )?(?:country code|\\+)${WHERE}`,
      `(?:invalid|malformed) ${PHONE}(?: format)?${VALUE}${WHERE}`,
    ),
    message: NO_PHONE,
    advice: checkPhone('Check the phone number: it needs its country code, e.g. +12025550123.'),
  },
  {
    kind: 'orderNotFound',
    concerns: 'oneRequest',
    of: (purpose) => purpose === 'outcome',
    words: missing('order|call'),
    documented: /^order not found$/i,
    message: () => 'The calling service does not know this order',
    advice: () =>
      'Check the call ID: it is the number of the call at the service, as orderId in the output of Call Customer, not the order number of your shop. Calls are visible only to the API key that placed them.',
  },
  {
    kind: 'campaignNotFound',
    concerns: 'oneRequest',
    of: isControl,
    words: missing('campaign'),
    documented: /^campaign not found$/i,
    message: () => 'The calling service does not know this campaign',
    advice: () =>
      'Check the campaign ID, and that the campaign was created with the API key of this credential: other keys cannot see it.',
  },
  {
    kind: 'stopRefused',
    concerns: 'everything',
    of: (purpose) => purpose === 'stop',
    words: wholly(
      `(?:unknown|unsupported|unrecogni[sz]ed) (?:control )?action(?:[ :]*${STOP})?(?:[ .,;:(]+${ONE_OF})?\\)?`,
      `invalid (?:control )?action(?:[ :]*${STOP}|[ .,;:(]+${ONE_OF}|[ :]*${STOP}[ .,;:(]+${ONE_OF})\\)?`,
      `(?:the )?action(?: ${STOP})? (?:is )?(?:not (?:supported|recogni[sz]ed|known|implemented)|unsupported|unknown)`,
      `(?:the )?action(?: ${STOP})? ${ONE_OF}`,
      `${STOP} is not (?:an? (?:valid|supported|known) action|supported)`,
    ),
    message: () => 'This calling service does not accept "stop" for a campaign',
    advice: () => 'Pause the campaign instead: a paused campaign dials nobody until it is resumed.',
  },
  {
    kind: 'poolExhausted',
    concerns: 'everything',
    words: [
      /\b(?:no|not enough|insufficient) (?:(?:free|available|more|idle|call(?:ing)?) )*(?:channels?|concurrency)\b/i,
      /\b(?:channels?|concurrency(?: ?\/ ?pool)?)\b.*\b(?:exhausted|full|fully used|in use|busy|occupied|unavailable|limit (?:has been |was |is )?(?:reached|exceeded|hit))\b/i,
      /^(?:the )?pool (?:is |has been )?(?:exhausted|full|fully used)$/i,
    ],
    documented: /^concurrency \/ pool exhausted$/i,
    message: () => 'All channels of the account are in use',
    advice: () =>
      'Pause or stop a running campaign, or wait until calls have ended. Give the next campaign a lower "Max Concurrency".',
  },
  {
    kind: 'balanceTooLow',
    concerns: 'everything',
    words: [
      /\b(?:insufficient|not enough|out of) (?:\w+ ){0,2}(?:balance|funds|money|credits?(?! card))\b/i,
      /\b(?:balance|funds|credits?) (?:is |are |has been |too )*(?:insufficient|low|exhausted|empty|used up|depleted)\b/i,
    ],
    message: () => 'The balance of the account at the calling service does not suffice',
    advice: () => 'Top up the account in the dashboard of the calling service.',
  },
  {
    kind: 'keyRefused',
    concerns: 'everything',
    words: wholly(
      'unauthori[sz]ed(?: access)?',
      `(?:the |your |this )?(?:api[ _-]?key|token|authorization header)(?: provided| given)? (?:${FAULTY}|(?:is |was |has been |has )?(?:unknown|wrong|incorrect|revoked|expired|disabled|not recogni[sz]ed))`,
      '(?:invalid|missing|unknown|wrong|incorrect|malformed|revoked|expired) (?:or missing |or invalid |or expired )?(?:api[ _-]?key|token|credentials|authorization header)(?: provided| given)?',
      'authentication (?:is )?(?:required|failed)',
    ),
    documented: /^unauthori[sz]ed$/i,
    message: () => 'The calling service refused the API key',
    advice: () =>
      'Copy the API key again from the dashboard of the calling service into the credential, complete, and check "Header Form".',
  },
  {
    kind: 'notTheService',
    concerns: 'everything',
    words: [
      ...wholly(
        '(?:the )?(?:route|path|endpoint|url)(?: (?:get|post))?(?: \\S+)? (?:was |is )?not found',
      ),
      /^cannot (?:get|post|patch|delete) \/\S*$/i,
    ],
    message: () => 'The calling service has nothing at this address',
    advice: () => 'Check the base URL and "Path Form" in the credential.',
  },
];

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Removes prefixes such as "Error:", repeated spaces, and final punctuation. */
function plain(said: string): string {
  return said
    .replace(/\s+/g, ' ')
    .replace(/^(?:error|bad request|validation (?:error|failed)|invalid request) ?[:–-] ?/i, '')
    .replace(/[\s.!]+$/, '');
}

function meaningIn(sentence: Sentence, said: string, purpose: Purpose): Meaning | undefined {
  if (sentence.of?.(purpose) === false) return undefined;
  const text = plain(said);
  const match = sentence.words.flatMap((words) => words.exec(text) ?? []);
  if (match.length === 0) return undefined;
  const { kind, concerns, documented } = sentence;
  const named = match[1] ?? '';
  const quote = documented?.test(text) ? '' : `: ${said}`;
  const message = sentence.message(named) + quote;
  const advice = sentence.advice(purpose, named);
  return { kind, concerns, message, advice, ...sentence.more?.(named) };
}

const CHOOSE = 'Choose an action that fits this state.';
const HAS_ENDED =
  'The campaign has ended. Create another one for the people whom it has not reached.';
const IN_STATE: Record<CampaignState, string> = {
  not_started: `It has not been started, and calls nobody. ${CHOOSE}`,
  running: `It is calling people. ${CHOOSE}`,
  paused: `It is paused: it calls nobody until it is resumed. ${CHOOSE}`,
  completed: HAS_ENDED,
  stopped: HAS_ENDED,
};

function meaningOfState(said: string, purpose: Purpose): Meaning | undefined {
  const state = isControl(purpose) ? stateNamedIn(plain(said)) : undefined;
  if (state === undefined) return undefined;
  const message = `The calling service refused: ${said}`;
  const advice = IN_STATE[state];
  return { kind: 'wrongState', concerns: 'oneRequest', message, advice, campaignState: state };
}

/** Does not say what was not found: the address, the script or the order. */
const NOTHING_FOUND = /^(?:resource )?not found$/i;

/** The meaning of a refusal in words that this package does not recognise, or in none. */
export function unknownMeaning(said: string | undefined, status: number): Meaning {
  const advice =
    said !== undefined && NOTHING_FOUND.test(plain(said))
      ? 'It does not say what it has not found. Check the ids of the request, and the base URL and "Path Form" in the credential.'
      : 'This package cannot say more about this refusal. Do what it asks for, or look at your account in the dashboard of the calling service.';
  const message =
    said === undefined
      ? `The calling service refused, and does not say why (status ${status})`
      : `The calling service refused: ${said}`;
  return { kind: 'unknown', concerns: 'everything', message, advice };
}

/**
 * What a refusal means by its sentence alone, for any status; unknown without one clear meaning. An answer that is
 * no refusal of the service is told by its status: `answers.ts`. Of a 404 about a call: `notFound.ts`.
 */
export function meaningOf(
  words: string | undefined,
  { purpose, status }: { purpose: Purpose; status: number },
): Meaning {
  const said = words?.replace(/[\s.]+$/, '');
  if (said === undefined || said === '') return unknownMeaning(undefined, status);
  const meanings = [
    ...TABLE.flatMap((sentence) => meaningIn(sentence, said, purpose) ?? []),
    ...[meaningOfState(said, purpose)].filter((meaning) => meaning !== undefined),
  ];
  const [meaning, ...others] = meanings;
  return (others.length === 0 ? meaning : undefined) ?? unknownMeaning(said, status);
}

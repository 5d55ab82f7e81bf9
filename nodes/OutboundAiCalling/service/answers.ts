import type { IDataObject } from 'n8n-workflow';
import type { Answer } from '../http/exchange';
import { isRecord } from '../http/json';
import { isBlank, shortened } from '../values';
import { LONGEST_RETRY_AFTER, retryAfterSeconds } from '../http/retry';
import { fulfils, isCampaignState } from './campaignState';
import { stateOf, type Campaign, type CampaignAction } from './campaign';
import { CallingServiceError } from './failure';
import { readIdentifier } from './identifier';
import { meaningOf, unknownMeaning, type Meaning } from './refusals';
import { UnreadableField } from './outcome';
import { isWebPage, mayHaveBeenProcessedDespite } from './processed';
import {
  isControl,
  isReading,
  LOOK_BEFORE_REPEATING,
  MAY_HAVE_HAPPENED,
  type Asked,
  type Purpose,
} from './purpose';

/** In characters: a longer sentence of the service is cut off. */
const LONGEST_SENTENCE = 500;

/** Whether the calling service itself says that the request failed ("Errors"). */
export function saysFailed(body: unknown): body is IDataObject & { success: false } {
  return isRecord(body) && body.success === false;
}

function cut(text: string): string | undefined {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : shortened(line, LONGEST_SENTENCE);
}

/** The texts in the error of an answer: a text, or a list or an object of texts. */
function textsIn(error: unknown, depth = 3): string[] {
  if (typeof error === 'string') return cut(error) === undefined ? [] : [error];
  if (typeof error !== 'object' || error === null || depth === 0) return [];
  const said = isRecord(error) ? textsIn(error.message, depth - 1) : [];
  return said.length > 0
    ? said
    : Object.values(error).flatMap((inner) => textsIn(inner, depth - 1));
}

/** The words of an answer, from the service or another server; undefined when it has none. */
export function sentenceOf(body: unknown): string | undefined {
  if (typeof body === 'string') return cut(body);
  if (!isRecord(body)) return undefined;
  const { message, error, detail, errors } = body;
  const said = [message, error, detail, errors].map((given) => textsIn(given));
  return cut(said.find(({ length }) => length > 0)?.join('; ') ?? '');
}

/** Whether an answer is, or calls itself, a web page: what its words say is no message then. */
function comesAsPage({ headers, body }: Answer): boolean {
  if (isWebPage(body)) return true;
  return typeof body === 'string' && /\bhtml\b/i.test(String(headers['content-type'] ?? ''));
}

function contentOf(answer: Answer): string {
  if (comesAsPage(answer)) return 'a web page';
  if (isBlank(answer.body)) return 'no content';
  const said = sentenceOf(answer.body);
  return said === undefined ? 'other JSON' : `"${said}"`;
}

/** An answer of an unexpected kind in a few words, e.g. `status 403, a web page`. */
export function whatCame(answer: Answer): string {
  return `status ${answer.status}, ${contentOf(answer)}`;
}

/** The end of a message, and the beginning of its advice, that say what may have happened all the same. */
function doubtIn(mayHaveBeenProcessed: boolean, purpose: Purpose) {
  if (!mayHaveBeenProcessed) return { maybe: '', lookFirst: '' };
  return { maybe: MAY_HAVE_HAPPENED[purpose], lookFirst: `${LOOK_BEFORE_REPEATING[purpose]} ` };
}

/** The failure of an answer from another website, another service, or a proxy. */
export function notTheService(answer: Answer, { purpose, host }: Asked): CallingServiceError {
  const { status } = answer;
  const mayHaveBeenProcessed = mayHaveBeenProcessedDespite(answer, purpose);
  const { maybe, lookFirst } = doubtIn(mayHaveBeenProcessed, purpose);
  return new CallingServiceError(
    'notTheService',
    `${host} answered, but not as the calling service does (${whatCame(answer)})${maybe}`,
    {
      status,
      mayHaveBeenProcessed,
      advice: `${lookFirst}Something between n8n and the calling service may have answered in its place, e.g. a proxy or a firewall. If it stays so, check the base URL in the credential: another website or another service may be at that address.`,
    },
  );
}

/** What a refusal means; unknown when its words contradict the state in it. */
function meaningOfRefusal({ status, body }: Answer, purpose: Purpose): Meaning {
  const said = sentenceOf(body);
  const meant = meaningOf(said, { purpose, status });
  const state = isRecord(body) ? stateOf(body) : undefined;
  const { campaignState } = meant;
  const isContradicted =
    campaignState !== undefined && isCampaignState(state) && state !== campaignState;
  return isContradicted ? unknownMeaning(said, status) : meant;
}

/** The failure of a request that the service refused, in its own words if it gave any. */
function refusal(answer: Answer, { purpose }: Asked): CallingServiceError {
  const { status, body } = answer;
  const said = sentenceOf(body);
  const meant = meaningOfRefusal(answer, purpose);
  // "Authentication", 5: a 401 is about the key, unless its words are about something else that
  // concerns everything.
  const { kind, message, ...more } =
    status === 401 && (meant.kind === 'unknown' || meant.concerns === 'oneRequest')
      ? keyRefused(said)
      : meant;
  const mayHaveBeenProcessed = mayHaveBeenProcessedDespite(answer, purpose);
  const details = { ...more, status, mayHaveBeenProcessed };
  if (!mayHaveBeenProcessed) return new CallingServiceError(kind, message, details);
  // Something in the answer suggests that the request was processed.
  const advice = `The answer does not rule it out. ${LOOK_BEFORE_REPEATING[purpose]}`;
  const doubtful = `${message}${MAY_HAVE_HAPPENED[purpose]}`;
  return new CallingServiceError(kind, doubtful, { ...details, advice });
}

function keyRefused(said: string | undefined) {
  const meant = meaningOf('Unauthorized', { purpose: 'outcome', status: 401 });
  return said === undefined ? meant : { ...meant, message: `${meant.message}: ${said}` };
}

/** The failure that the status alone proves, also from another server; undefined for none. */
function failureOfStatus(
  answer: Answer,
  { purpose, host, hasOptions }: Asked,
): CallingServiceError | undefined {
  const { status } = answer;
  const mayHaveBeenProcessed = mayHaveBeenProcessedDespite(answer, purpose);
  const details = { status, mayHaveBeenProcessed };
  if (status >= 300 && status < 400) {
    const { maybe, lookFirst } = doubtIn(mayHaveBeenProcessed, purpose);
    return new CallingServiceError('redirected', `${host} redirects to another address${maybe}`, {
      ...details,
      advice: `${lookFirst}Enter the final address of the calling service as the base URL in the credential. Redirects are not followed, because they would carry the API key along.`,
    });
  }
  const said = comesAsPage(answer) ? 'a web page' : sentenceOf(answer.body);
  const quote = said === undefined ? '' : `: ${said}`;
  if (status === 429 && !mayHaveBeenProcessed) {
    const seconds = retryAfterSeconds(answer);
    const [pause, when] =
      seconds !== undefined && seconds > LONGEST_RETRY_AFTER
        ? [`It asks for a pause of ${seconds} seconds`, 'after that']
        : ['It did so again after several pauses', 'later'];
    // Only the operations on calls have it.
    const isPaced = hasOptions && (purpose === 'trigger' || purpose === 'outcome');
    const orSlower = isPaced ? ', or lower "Concurrency" in the options' : '';
    const again = hasOptions ? 'Run the node again' : 'Try again';
    return new CallingServiceError(
      'rateLimited',
      `The calling service received too many requests${quote}`,
      {
        ...details,
        retryAfterSeconds: seconds,
        advice: `${pause}. ${again} ${when}${orSlower}.`,
      },
    );
  }
  if (status === 413 && purpose === 'createCampaign' && !mayHaveBeenProcessed) {
    return new CallingServiceError(
      'listTooLarge',
      `The list of contacts is too large for the calling service (status 413${quote})`,
      {
        ...details,
        advice:
          'Lower "Contacts per Campaign" in the options, or remove what the script does not need from the list: all its columns are sent.',
      },
    );
  }
  if (status >= 500 || status === 408) {
    return new CallingServiceError(
      'serviceFailing',
      `The calling service failed (status ${status}${quote})${MAY_HAVE_HAPPENED[purpose]}`,
      { ...details, advice: LOOK_BEFORE_REPEATING[purpose] },
    );
  }
  return undefined;
}

/** The unchanged body of a success ("Errors": check `success` first); else throws a CallingServiceError. */
export function bodyOf(answer: Answer, asked: Asked): IDataObject {
  const { status, body } = answer;
  const byStatus = failureOfStatus(answer, asked);
  if (byStatus !== undefined) throw byStatus;
  if (status >= 200 && saysFailed(body)) throw refusal(answer, asked);
  if (status === 401 && !comesAsPage(answer)) throw refusal(answer, asked);
  const isSuccess = status >= 200 && status < 300 && isRecord(body) && body.success === true;
  if (!isSuccess) throw notTheService(answer, asked);
  return body;
}

/** The state of a campaign that need not be paused or stopped any more, as the refusal says. */
export function fulfilledState(answer: Answer, action: CampaignAction): string | undefined {
  const { status, body } = answer;
  if (!saysFailed(body) || !isAboutRecord(status)) return undefined;
  const { campaignState } = meaningOfRefusal(answer, action);
  return fulfils(campaignState, action) ? campaignState : undefined;
}

/** Whether an answer is about a record, not about access, a rate limit, or the server itself. */
export function isAboutRecord(status: number): boolean {
  return status < 300 || (status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status));
}

/** The id of the record that a refusal is about. Elsewhere, a number may be the shop's, or be in a campaign's name. */
const idNamed = (record: string) =>
  new RegExp(
    `^(?:(?:error|bad request|not found|validation (?:error|failed)|invalid request) ?[:–-] ?)?(?:(?:no such|no|unknown|invalid|(?:can(?:not| not|'t)|could(?: not|n't)|unable to|failed to) \\w+) )?(?:the |this )?(?:${record})(?: ?id)?[ :#"'“(]*(\\d+)["'”)]*(?=$|[.,:;]| (?:is|was|has|could|can|cannot|does|did|not|found|unknown|for|because|\\w+n't)\\b)`,
    'i',
  );
const ORDER_NAMED = idNamed('order|call');
const CAMPAIGN_NAMED = idNamed('campaign');

/** @throws CallingServiceError for an answer that names another record than the id `asked` for */
export function refuseEcho({ status, body }: Answer, purpose: Purpose, asked: number): void {
  if (!isRecord(body) || !isAboutRecord(status)) return;
  const said = saysFailed(body) ? (sentenceOf(body) ?? '') : '';
  const [what, echoes] = isControl(purpose)
    ? ['campaign', [body.campaign_id, body.campaignId, CAMPAIGN_NAMED.exec(said)?.[1]]]
    : ['order', [body.orderId, body.order_id, ORDER_NAMED.exec(said)?.[1]]];
  const isOther = (echo: unknown) =>
    echo !== undefined && echo !== null && readIdentifier(echo) !== asked;
  if (!echoes.some(isOther)) return;
  const quote = said === '' ? '' : `: ${said}`;
  throw new CallingServiceError(
    'otherRecord',
    `The calling service answered about another ${what} than ${asked}${quote}${MAY_HAVE_HAPPENED[purpose]}`,
    {
      status,
      mayHaveBeenProcessed: isControl(purpose),
      advice: `${LOOK_BEFORE_REPEATING[purpose]} If it happens again, something between n8n and the calling service mixes up answers, e.g. a cache or a proxy.`,
    },
  );
}

/** The failure of an answer with the id of an earlier call or campaign, of other people: nobody knows where these are. */
export function sameAgain(purpose: 'trigger' | 'createCampaign', id: number): CallingServiceError {
  const about =
    purpose === 'trigger'
      ? `call ${id} again, which was to somebody else`
      : `campaign ${id} again, which has other people`;
  return new CallingServiceError(
    'otherRecord',
    `The calling service answered about ${about}${MAY_HAVE_HAPPENED[purpose]}`,
    { mayHaveBeenProcessed: true, advice: LOOK_BEFORE_REPEATING[purpose] },
  );
}

/** The failure of a control request whose answer reports success, and something that excludes it. */
export function contradicted(
  campaignId: number,
  action: CampaignAction,
  contradiction: string,
): CallingServiceError {
  return new CallingServiceError(
    'unknown',
    `The calling service accepted the request to ${action} campaign ${campaignId}, but ${contradiction}${MAY_HAVE_HAPPENED[action]}`,
    { mayHaveBeenProcessed: true, advice: LOOK_BEFORE_REPEATING[action] },
  );
}

/**
 * The failure of a campaign with other contacts than were sent; `loaded` may be no number.
 *
 * @param pauseFailure why it could not be paused, when it was to be
 */
export function contactsDiffer(
  { campaignId, started, state, contactCount: sent }: Campaign,
  loaded: string,
  pauseFailure?: string,
): CallingServiceError {
  const isDraft = started === false;
  const callsNobody = isDraft || fulfils(state, 'pause');
  const failed = pauseFailure === undefined ? '' : ` It could not be paused: ${pauseFailure}.`;
  const inState = isDraft ? 'It was not started.' : `Its state is ${state}.`;
  const beginning = callsNobody ? inState : `It may be running.${failed}`;
  const counts =
    Number(loaded) < sent
      ? `with ${loaded} of ${sent} contacts`
      : `with ${sent} contacts, but the calling service counts ${loaded}`;
  return new CallingServiceError('contactsDiffer', `Campaign ${campaignId} was created ${counts}`, {
    ...(isDraft ? {} : { campaignId }),
    mayHaveBeenProcessed: true,
    advice: `${beginning} Find out in the dashboard of the calling service who is in campaign ${campaignId}. Put people who are missing into a campaign of their own. If it is right as it is, start it with Campaign > Start, or with Campaign > Resume when it is paused. Do not create it again: its contacts would be called twice.`,
  });
}

export function unreadableAnswer({ purpose, host }: Asked, error?: unknown): CallingServiceError {
  // The message of any other error may quote the answer.
  const why = error instanceof UnreadableField ? ` (${error.message})` : '';
  return new CallingServiceError(
    'unreadableAnswer',
    `The answer of ${host} could not be read${why}${MAY_HAVE_HAPPENED[purpose]}`,
    { advice: LOOK_BEFORE_REPEATING[purpose], mayHaveBeenProcessed: !isReading(purpose) },
  );
}

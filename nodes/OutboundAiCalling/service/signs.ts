import { isRecord } from '../http/json';
import { readState, STATE_AFTER, stateNamedIn } from './campaignState';
import { lettersOf } from '../alike';
import { goesOn } from './outcome';
import { isControl, type Purpose } from './purpose';

/** Names of ids that the service makes, in letters alone; the script id comes from the request. */
const MADE_ID =
  /(?:order|call|campaign|conversation|execution|job|task)(?:id|sid|uuid)s?$|^(?:ids?|sid|uuid|job|call|campaign)$/;
/** Names of what only a call that was placed, or a campaign that was created, has ("Response body"), in letters alone. */
const MADE_RESULT =
  /^(?:call(?:status|state|outcome)|state|campaignstate|contactcount|(?:call)?duration(?:sec|seconds)?|totalcallcost|summary|transcript|recordingurl)$|^(?:call)?(?:placed|started|initiated|diall?ed|answered)(?:at)?$/;

const DONE =
  'placed|initiated|created|(?<!get )started|resumed|launched|(?:en)?queued|scheduled|dispatched|diall?ed|(?:is|are|was|were|been|being) called';
/** Whom a call reaches, or not. */
const CALLED =
  '(?:customer|recipient|callee|called party|subscriber|person|user|contact|line|number|phone)';
/** Of a call alone: other things are connected or active, too. */
const DONE_BY_CALL = 'made|connected|active|ongoing|under ?way';
const NOT_DONE = new RegExp(
  `(?:\\b(?:not|never|cannot|nobody|none|no)|n't)(?: (?:calls?|campaigns?|yet|be|been|being|is|was|were|has|have))* (?:${DONE}|${DONE_BY_CALL})\\b(?! (?:again|twice|a second))`,
  'gi',
);
/** The sentence about missing variables: their names, such as `order_placed_at`, are no signs. */
const VARIABLES_NAMED =
  /\bmissing (?:required )?script variables?\s*:\s*[^\s,]+(?:\s*,\s*[^\s,]+)*/gi;

const WRITING = '(?:sav|stor|updat|writ|persist|record|insert|logg)ing\\b(?! in\\b)';
/** The service failed by itself, as with a 5xx: nobody knows how far it had come. */
const OWN_FAILURE = [
  '\\b(?:internal|unexpected|unhandled|uncaught|fatal|database|db|sql) (?:\\w+ )?(?:error|exception|failure)\\b',
  '\\bexception (?:was )?(?:occurred|thrown|raised)\\b|\\berr(?:or[ei]?|o|eur) intern[oe]\\b|\\binterner (?:server-? ?)?fehler\\b',
  '\\b(?:type|key|index|reference|abort) ?error:|\\bnull ?pointer ?exception\\b|\\bcannot read propert|\\btraceback\\b|\\bpanic:|\\bout of memory\\b',
  '\\bunexpected token\\b|\\bdeadlock\\b|\\bsocket hang up\\b|\\be(?:conn|pipe|timed)\\w+|\\bdatabase is locked\\b|\\bconnection (?:to \\w+ )?(?:was )?lost\\b',
  '\\b(?:operation|request|task|worker|context|response) (?:was |has been )?(?:aborted|cancell?ed|destroyed|terminated|lost)\\b',
  '\\bbad gateway\\b|\\b(?:http|status(?: code)?:?|error(?: code)?|returned|responded with) 50\\d\\b',
  // It could not write down what it had done.
  "\\b(?:(?:failed|failure|unable) to|could ?n(?:ot|'t)(?: be)?) (?:(?:save|store|update)d?|(?:persist|record|insert)(?:ed)?|writ(?:e|ten)|log(?:ged)?)\\b(?! in\\b)",
  `\\b(?:failed|failure|error)(?: while| when| in| on)? ${WRITING}|\\b${WRITING}[^.;:]{0,40} failed\\b`,
];

/** How a call ends: the telephone may have rung. */
const END_OF_CALL = [
  "\\bno[ _-]?(?:answer|reply|response)\\b|\\b(?:not|\\w+n't) (?:answer|pick|respond)|\\bunanswered\\b|\\bvoice ?mail\\b|\\bh[ua]ng[ -]?up\\b",
  `\\b${CALLED}(?: is| was)? (?:is )?(?:busy|engaged|(?:switched |turned )?off|unreachable|rejected|declined|disconnected|unavailable)\\b|^(?:error: ?)?busy\\b`,
  '\\bcall (?:is |was |has )?(?:been )?(?:ended|terminated|rejected|declined|disconnected|dropped|completed|answered|cancell?ed|aborted|interrupted|lost|forwarded|transferred|failed (?:after|with (?:code|cause)))\\b',
  '\\bcall (?:could )?not (?:be )?completed\\b',
  `\\b(?:ended|terminated|disconnected) by (?:the )?(?:${CALLED}|caller|agent|carrier|remote|far end)\\b`,
  '\\blasted (?:only |for |about )*[\\d.]+ ?(?:s|sec|min)|\\btalk ?time(?: was| of|:)* ?\\d|\\binsufficient talk\\b(?! ?time)',
  // Causes that telephone exchanges give.
  '\\bnormal (?:call )?(?:clearing|unspecified)\\b|\\bno user response\\b|\\bsubscriber absent\\b|\\boriginator cancel\\b',
  '\\bbusy (?:here|everywhere|tone|signal)\\b|\\bsip(?:/2\\.0)?(?: (?:code|status|response|error|cause))*[ :/_-]*[4-6]\\d\\d\\b',
  '\\b(?:rang|rung)\\b|\\bcall (?:took|lasted|cost|duration)\\b|\\bcalling (?:\\+|the (?:customer|recipient|contact)\\b)|\\bagent (?:\\w+ ){0,4}(?:join|the call)\\b',
  // In other languages.
  '\\baufgelegt\\b|(?:\\b(?:teilnehmer|anschluss|leitung|nummer|kunde) (?:ist |war )?|^)besetzt\\b|\\banrufbeantworter\\b',
  '\\bkeine antwort\\b|\\b(?:nicht|niemand)(?: hat)? (?:abgenommen|abgehoben|rangegangen)\\b|\\bnimmt nicht ab\\b',
  '\\bcolg(?:ó|ado)|(?:\\b(?:l[ií]nea|n[uú]mero|tel[eé]fono|cliente|usuario) (?:est[aá] )?|^)ocupad[oa]\\b|\\bbuz[oó]n de voz\\b',
  '\\bsin respuesta\\b|\\b(?:no|nadie) (?:contest|respond)|\\b(?:anruf|gespräch) beendet\\b|\\bappel terminé|\\bchamada encerrada\\b',
  '\\bpas de réponse\\b|\\braccroché|\\b(?:abonné|ligne|numéro|client) (?:est )?occupé|\\bmessagerie vocale\\b|\\bnon risponde\\b|\\bnão atende|\\blinha ocupada\\b',
];

const WORDS_OF_DOING = new RegExp(
  [
    `\\b(?:${DONE}|diall?ing|ringing|already|duplicated?|conflict|being processed)\\b`,
    // An earlier try, or an earlier request, has done it.
    '(?<!\\bno )\\b(?:call|order)\\b(?: [^.;]{0,40})? exists\\b|\\battempts? (?:\\w+ )?(?:made|exhausted|reached)\\b|\\bwe (?:tried|attempted)\\b',
    // What says that all is well, and nothing else.
    '^\\W*(?:ok|okay|success|successful|done|accepted|(?:request )?received|thank you)\\W*$',
    '\\b(?:order|call|campaign) id\\W{1,3}\\d',
    // What follows later: the request was taken.
    '\\b(?:request|call|order) (?:is |was |has been )?accepted\\b|\\baccepted for\\b',
    '\\bretrying\\b|\\bwill (?:be )?(?:re-?tr(?:y|ied)|called|dial(?:l?ed)?|delivered)\\b',
    '(?<!\\b(?:nobody|no one|not|no \\w+) )\\bwill call (?:(?:the|your) (?:customer|recipient|contact)|him|her|them|back|again|later|soon|\\+\\d)',
    ...OWN_FAILURE,
    ...END_OF_CALL,
    '\\btim(?:ed?|ing)[ -]?outs?\\b|\\bdeadline exceeded\\b',
    '\\b(?:call|order|campaign)\\b[^.;]{0,100}\\bin[ _-]?progress\\b',
    // What happens during a call.
    `\\b(?:calls?|dial)\\b(?: to [^.;]{1,30})?(?: (?:is|was|were|has|have|been|be|still|just))* (?:${DONE_BY_CALL}|succeeded|successful|cut|live|in session|went through)\\b`,
    `\\b(?:has|have|had) a call (?:${DONE_BY_CALL})\\b|\\b(?:phone|telephone|we) rings\\b`,
    `\\b(?:${CALLED}|nobody|no one|some(?:one|body))(?: has| have| is)? (?:answered|picked up|spoke|talked|on the line)(?: ?[.,;:!]|$| (?:but|and|the|then)\\b)`,
    '\\b(?:machine|fax|silence|speech) (?:was )?(?:detected|answered)\\b|\\bconversation (?:ended|was|lasted)\\b',
  ].join('|'),
  'i',
);

/** Parts of a status of a call that may go on, also `queue_timeout`: a sign need not be sure. */
const STATUS_OF_DOING =
  /progress|queue|schedul|pending|wait|initiat|retry|attempt|diall?ing|ringing|connect|pickedup|joined|bridged|conversation|transferring|talking|speaking|ongoing|active|paused|incall|oncall|hold|processing|again|complete|finish/;

function isGiven(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (Array.isArray(value)) return value.length > 0;
  return value === true || (typeof value === 'number' && value !== 0);
}

/** A code as words: `CALL_PLACED` and `alreadyQueued` say the same as a sentence. */
function inWords(text: string): string {
  return text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').replace(/(?<=\p{L})_+(?=\p{L})/gu, ' ');
}

function speaks(text: string, purpose: Purpose): boolean {
  // "Campaign is already running" only names a state: another request may have caused it.
  const sentence = text.trim().replace(/(?<![\s.!])[\s.!]+$/, '');
  if (isControl(purpose) && stateNamedIn(sentence) !== undefined) return false;
  const words = inWords(text.replace(VARIABLES_NAMED, ''));
  return WORDS_OF_DOING.test(words.replace(NOT_DONE, ''));
}

function isSign(name: string, value: unknown, purpose: Purpose): boolean {
  if (purpose === 'trigger' || purpose === 'createCampaign') {
    const letters = lettersOf(name);
    if (letters === 'status' && typeof value === 'string') {
      return goesOn(value) || STATUS_OF_DOING.test(lettersOf(value));
    }
    return (MADE_ID.test(letters) || MADE_RESULT.test(letters)) && isGiven(value);
  }
  // A refused control action also names the campaign and its state: only the state after the action
  // is a sign.
  if (!isControl(purpose) || (name !== 'state' && name !== 'status')) return false;
  return typeof value === 'string' && readState(value) === STATE_AFTER[purpose];
}

/**
 * Whether an answer, at any depth, suggests that the service processed the request: an id or a
 * state of a new call or campaign, or words of doing, of the service's own failure, or of how a call
 * ends.
 */
export function showsSignsOfProcessing(body: unknown, purpose: Purpose): boolean {
  // Signs do not matter here: a second pause or stop changes nothing more.
  if (purpose === 'pause' || purpose === 'stop') return false;
  // A list of the values to read: a recursion would overflow the stack at deep nesting.
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

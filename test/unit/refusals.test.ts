import { meaningOf } from '../../nodes/OutboundAiCalling/service/refusals';
import type { Purpose } from '../../nodes/OutboundAiCalling/service/purpose';

const of = (sentence: string, purpose: Purpose) => meaningOf(sentence, { purpose, status: 400 });

describe('what a refusal means', () => {
  it.each<[string, Purpose, string]>([
    ['scriptId is required', 'trigger', 'scriptRefused'],
    ['Script not found', 'trigger', 'scriptRefused'],
    ['Script 12 does not exist.', 'createCampaign', 'scriptRefused'],
    ['scriptId must be a number', 'trigger', 'scriptRefused'],
    ['Invalid request: scriptId is missing or not a valid number', 'trigger', 'scriptRefused'],
    ['customerPhone is required', 'trigger', 'phoneRefused'],
    ['contacts[3].customerPhone is required', 'createCampaign', 'phoneRefused'],
    ['Invalid phone number: +12', 'trigger', 'phoneRefused'],
    ['customerPhone must be in E.164 format', 'trigger', 'phoneRefused'],
    ['Missing required script variables: a, b', 'trigger', 'variablesMissing'],
    ['Order not found', 'outcome', 'orderNotFound'],
    ['No order with this id', 'outcome', 'orderNotFound'],
    ['Order 17 was not found for this API key', 'outcome', 'orderNotFound'],
    ['Campaign not found', 'stop', 'campaignNotFound'],
    ['action must be one of start, pause, resume', 'stop', 'stopRefused'],
    ['Unknown action "stop"', 'stop', 'stopRefused'],
    ['Cannot stop a campaign that is paused', 'stop', 'wrongState'],
    ['Cannot pause a campaign in state completed', 'pause', 'wrongState'],
    ['Campaign is already running', 'start', 'wrongState'],
    ['Concurrency / pool exhausted', 'start', 'poolExhausted'],
    ['No free channels', 'trigger', 'poolExhausted'],
    ['Concurrency limit reached', 'trigger', 'poolExhausted'],
    ['Insufficient wallet balance', 'trigger', 'balanceTooLow'],
    ['Unauthorized', 'outcome', 'keyRefused'],
    ['Invalid API key', 'trigger', 'keyRefused'],
    ['Route /api/v1/calls/trigger not found', 'trigger', 'notTheService'],
    ['Cannot POST /api/v1/calls/trigger', 'trigger', 'notTheService'],
    ['Order not found. ', 'outcome', 'orderNotFound'],
    ['No such call', 'outcome', 'orderNotFound'],
    ['Unknown order id 17', 'outcome', 'orderNotFound'],
    ['Invalid order id', 'outcome', 'orderNotFound'],
    ['This call does not exist', 'outcome', 'orderNotFound'],
    ['Order #17 is unknown', 'outcome', 'orderNotFound'],
    ['Order not found for your workspace', 'outcome', 'orderNotFound'],
    ['No order found with this id', 'outcome', 'orderNotFound'],
    ['Missing script id', 'trigger', 'scriptRefused'],
    ['script_id must be a whole number', 'trigger', 'scriptRefused'],
    ['Script 7 is not an integer', 'trigger', 'scriptRefused'],
    ['Script id is empty or must be an integer', 'trigger', 'scriptRefused'],
    ['The script was not specified', 'trigger', 'scriptRefused'],
    ['Unknown script', 'trigger', 'scriptRefused'],
    ['Missing phone number', 'trigger', 'phoneRefused'],
    ['Phone is blank', 'trigger', 'phoneRefused'],
    ['customer_phone was not provided', 'trigger', 'phoneRefused'],
    ['contact 3 phone is empty', 'trigger', 'phoneRefused'],
    ['phone is not a valid number', 'trigger', 'phoneRefused'],
    ['customerPhone should be E164', 'trigger', 'phoneRefused'],
    ['Phone must include the country code', 'trigger', 'phoneRefused'],
    ['phone should start with +', 'trigger', 'phoneRefused'],
    ['Malformed phone', 'trigger', 'phoneRefused'],
    ['Phone number has not been valid for contact 3', 'trigger', 'phoneRefused'],
    ['customerPhone is missing or invalid', 'trigger', 'phoneRefused'],
    ['Unsupported control action: stop', 'stop', 'stopRefused'],
    ['Unrecognised action stop (must be one of start, pause or resume)', 'stop', 'stopRefused'],
    ['Invalid action: "stop"', 'stop', 'stopRefused'],
    ['The action stop is not supported', 'stop', 'stopRefused'],
    ['Action "stop" is unsupported', 'stop', 'stopRefused'],
    ['stop is not a valid action', 'stop', 'stopRefused'],
    ['Action must be start|pause|resume', 'stop', 'stopRefused'],
    ['Not enough idle channels', 'start', 'poolExhausted'],
    ['Insufficient concurrency', 'start', 'poolExhausted'],
    ['All channels are busy', 'start', 'poolExhausted'],
    ['Channels are fully used', 'start', 'poolExhausted'],
    ['Channel limit has been exceeded', 'start', 'poolExhausted'],
    ['The pool is full', 'start', 'poolExhausted'],
    ['Pool exhausted', 'start', 'poolExhausted'],
    ['Concurrency unavailable', 'start', 'poolExhausted'],
    ['Out of credits', 'trigger', 'balanceTooLow'],
    ['Not enough money', 'trigger', 'balanceTooLow'],
    ['Your balance is too low', 'trigger', 'balanceTooLow'],
    ['Credits are used up', 'trigger', 'balanceTooLow'],
    ['Funds depleted', 'trigger', 'balanceTooLow'],
    ['Credit exhausted', 'trigger', 'balanceTooLow'],
    ['Balance is empty', 'trigger', 'balanceTooLow'],
    ['Unauthorised access', 'trigger', 'keyRefused'],
    ['Your token has expired', 'trigger', 'keyRefused'],
    ['API key revoked', 'trigger', 'keyRefused'],
    ['api-key is not recognized', 'trigger', 'keyRefused'],
    ['Authorization header is missing', 'trigger', 'keyRefused'],
    ['Expired token', 'trigger', 'keyRefused'],
    ['Missing or invalid API key', 'trigger', 'keyRefused'],
    ['Authentication required', 'trigger', 'keyRefused'],
    ['Authentication failed', 'trigger', 'keyRefused'],
    ['Endpoint GET /api/v1/x was not found', 'trigger', 'notTheService'],
    ['URL not found', 'trigger', 'notTheService'],
    ['Cannot GET /x', 'trigger', 'notTheService'],
  ])('is known by its words: %s', (sentence, purpose, kind) => {
    expect(of(sentence, purpose).kind).toBe(kind);
  });

  it.each<[string, Purpose]>([
    ['Not found', 'outcome'],
    ['Not found', 'trigger'],
    ['Script engine is unavailable', 'trigger'],
    ['Script not found in cache, try again', 'trigger'],
    ['Phone number provider is not available', 'trigger'],
    ['No phone number available to call from', 'trigger'],
    ['Phone number limit is required to be raised', 'trigger'],
    ['customerPhone is required: account suspended', 'trigger'],
    ['Order service not found', 'outcome'],
    ['Order not found yet, retry', 'outcome'],
    ['Script not found', 'outcome'],
    ['Order not found', 'trigger'],
    ['Cannot pause a campaign unless it is paused', 'pause'],
    ['Campaign was paused', 'pause'],
    ['Cannot stop a campaign while calls are in progress', 'stop'],
    ['Action not allowed', 'stop'],
    ['action must be retried later', 'stop'],
    ['action must be one of start, pause, resume, stop', 'stop'],
    ['Database connection pool exhausted', 'trigger'],
    ['No credit card on file', 'trigger'],
    ['Unauthorized: plan without campaigns', 'createCampaign'],
    ['Forbidden', 'trigger'],
    ['Call already in progress for this number', 'trigger'],
    ['Outside of allowed hours', 'trigger'],
    ['', 'trigger'],
  ])('is unknown, and about everything, where nothing tells: %s', (sentence, purpose) => {
    expect(of(sentence, purpose)).toMatchObject({ kind: 'unknown', concerns: 'everything' });
  });

  it('is unknown where it may be two things', () => {
    const sentence = 'customerPhone is required. scriptId is required';
    expect(of(sentence, 'trigger').kind).toBe('unknown');
  });

  it('ends a request for good only where it is about what that request asks for', () => {
    const final = ['customerPhone must be in E.164 format', 'Invalid phone number: +12'];
    for (const sentence of final) expect(of(sentence, 'trigger').concerns).toBe('oneRequest');
    const others = ['Script not found', 'scriptId is required', 'Missing script variables: a'];
    const more = ['customerPhone is required', 'No free channels', 'Unauthorized'];
    for (const sentence of [...others, ...more]) {
      expect(of(sentence, 'trigger').concerns).toBe('everything');
    }
  });

  it.each<[string, Purpose]>([
    ['No free channels', 'trigger'],
    ['Insufficient wallet balance', 'start'],
    ['Script not found', 'trigger'],
    ['Cannot stop a campaign that is paused', 'stop'],
    ['Unknown action "stop"', 'stop'],
    ['We moved to another planet', 'pause'],
  ])('is told with the sentence of the service: %s', (sentence, purpose) => {
    expect(of(`${sentence}.`, purpose).message).toContain(sentence);
  });

  it.each<[string, Purpose, string]>([
    ['scriptId is required', 'trigger', 'The calling service does not accept this script ID'],
    [
      'customerPhone is required',
      'trigger',
      'The calling service found no phone number that it can call',
    ],
    ['Order not found', 'outcome', 'The calling service does not know this order'],
    ['Campaign not found', 'stop', 'The calling service does not know this campaign'],
    ['Concurrency / pool exhausted', 'start', 'All channels of the account are in use'],
    ['Unauthorised', 'trigger', 'The calling service refused the API key'],
    ['Missing script variables: a', 'trigger', 'The script needs a'],
  ])(
    'is told in our own words only where the interface has the sentence: %s',
    (sentence, purpose, message) => {
      expect(of(sentence, purpose).message).toBe(message);
      const longer = of(`${sentence} for this request`, purpose);
      if (longer.kind !== 'variablesMissing') expect(longer.message).toContain('for this request');
    },
  );

  it.each<[string, Purpose, string]>([
    [
      'Campaign is already running',
      'start',
      'It is calling people. Choose an action that fits this state.',
    ],
    ['Campaign is already completed', 'start', 'The campaign has ended. Create another one'],
    ['Campaign has been stopped', 'resume', 'The campaign has ended. Create another one'],
    ['Campaign is paused', 'start', 'calls nobody until it is resumed. Choose an action'],
    ['Campaign is not started', 'pause', 'It has not been started, and calls nobody. Choose'],
    ['Unknown action "stop"', 'stop', 'Pause the campaign instead'],
    ['Unknown action "stop"', 'pause', 'This package cannot say more about this refusal.'],
    ['Not found', 'trigger', 'It does not say what it has not found.'],
    ['Forbidden', 'trigger', 'This package cannot say more about this refusal.'],
    ['scriptId is required', 'trigger', 'Check the script ID'],
    ['customerPhone is required', 'createCampaign', 'Every contact needs a phone number.'],
    ['Unauthorized', 'trigger', 'Copy the API key again'],
    ['Route /calls not found', 'trigger', 'Check the base URL and "Path Form"'],
  ])('advises what helps: %s', (sentence, purpose, advice) => {
    expect(of(sentence, purpose).advice).toContain(advice);
  });

  it('names no reason where the service gives none', () => {
    const meaning = meaningOf(undefined, { purpose: 'trigger', status: 422 });
    expect(meaning.message).toBe('The calling service refused, and does not say why (status 422)');
  });

  it('names a field for what is missing that calls, or campaigns, have', () => {
    const advice = (purpose: Purpose) =>
      of('Missing required script variables: customerName, campaignName', purpose).advice;
    expect(advice('trigger')).toBe('Fill in customerName, campaignName under "Additional Fields".');
    expect(advice('createCampaign')).toBe(
      'Every contact needs customerName: fill it in under "Contact Fields", or in the list under this name. The calling service uses campaignName itself: give the placeholder another name in the script.',
    );
  });
});

import type { IDataObject } from 'n8n-workflow';
import {
  bodyOf,
  contactsDiffer,
  fulfilledState,
  refuseEcho,
  sameAgain,
  unreadableAnswer,
} from '../../nodes/OutboundAiCalling/service/answers';
import { CallingServiceError } from '../../nodes/OutboundAiCalling/service/failure';
import { failureOfFault } from '../../nodes/OutboundAiCalling/service/faults';
import { UnreadableField } from '../../nodes/OutboundAiCalling/service/outcome';
import type { Purpose } from '../../nodes/OutboundAiCalling/service/purpose';

const HOST = 'calls.example.com';
const answerOf = (status: number, body: unknown = '', headers: IDataObject = {}) => ({
  ...{ status, body, headers },
});
const refused = (error: unknown) => ({ success: false, error });

function failureOf(work: () => unknown): CallingServiceError | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof CallingServiceError) return error;
    throw error;
  }
  return undefined;
}

/** How the reading of an answer fails. */
const failing = (answer: ReturnType<typeof answerOf>, purpose: Purpose = 'trigger') =>
  failureOf(() => bodyOf(answer, { purpose, host: HOST }));

describe('the failure that an answer shows', () => {
  it.each<[number, unknown, Purpose, string, boolean]>([
    [299, { success: true }, 'trigger', 'none', false],
    [200, { success: 'true' }, 'trigger', 'notTheService', true],
    [300, { success: true }, 'outcome', 'redirected', false],
    [302, '', 'trigger', 'redirected', true],
    [399, '', 'outcome', 'redirected', false],
    [400, { success: true }, 'trigger', 'notTheService', true],
    [401, { message: 'No' }, 'trigger', 'keyRefused', false],
    [401, '<html>', 'trigger', 'notTheService', false],
    [408, '', 'trigger', 'serviceFailing', true],
    [413, '', 'createCampaign', 'listTooLarge', false],
    [413, '', 'trigger', 'notTheService', false],
    [429, '', 'trigger', 'rateLimited', false],
    [429, { success: true }, 'trigger', 'notTheService', true],
    [499, refused('Odd'), 'outcome', 'unknown', false],
    [500, refused('Odd'), 'trigger', 'serviceFailing', true],
  ])('%i with %j to a request for %s is %s', (status, body, purpose, kind, mayBe) => {
    const failure = failing(answerOf(status, body), purpose);
    expect(failure?.kind ?? 'none').toBe(kind);
    expect(failure?.mayHaveBeenProcessed ?? false).toBe(mayBe);
  });

  it.each<[Purpose, boolean, boolean]>([
    ['trigger', true, true],
    ['outcome', true, true],
    ['createCampaign', true, false],
    ['start', true, false],
    ['pause', true, false],
    ['outcome', false, false],
    ['scriptVariables', false, false],
  ])('of %s with options (%s) names "Concurrency": %s', (purpose, hasOptions, isNamed) => {
    for (const headers of [{}, { 'retry-after': '3600' }]) {
      const asked = { purpose, host: HOST, hasOptions };
      const failure = failureOf(() => bodyOf(answerOf(429, '', headers), asked));
      expect(failure?.advice.includes('lower "Concurrency" in the options')).toBe(isNamed);
      expect(failure?.advice).toContain(hasOptions ? 'Run the node again' : 'Try again');
    }
  });

  it.each([true, false])('of silence names "Request Timeout" with options: %s', (hasOptions) => {
    const asked = { purpose: 'outcome', host: HOST, hasOptions } as const;
    const { advice } = failureOfFault({ fault: 'timedOut' }, asked);
    expect(advice.includes('"Request Timeout" in the options')).toBe(hasOptions);
  });

  it.each<[unknown, string]>([
    ['Bad gateway', '"Bad gateway"'],
    ['<h1>Bad gateway</h1>', 'a web page'],
    [' ', 'no content'],
    [null, 'no content'],
    [{}, 'other JSON'],
    [[], 'other JSON'],
    [{ message: ' \n' }, 'other JSON'],
    [{ message: 'Bad\n  gateway' }, '"Bad gateway"'],
    [{ error: { message: 'Bad gateway', code: 'E7' } }, '"Bad gateway"'],
    [{ errors: [{ field: 'phone' }, { field: 'name' }] }, '"phone; name"'],
    [{ error: 7, detail: 'Bad gateway' }, '"Bad gateway"'],
    [{ error: { a: { b: { c: { d: 'deep' } } } } }, 'other JSON'],
    ['x'.repeat(500), `"${'x'.repeat(500)}"`],
    ['x'.repeat(501), `"${'x'.repeat(500)}…"`],
  ])('of another server tells what came: %j', (body, told) => {
    expect(failing(answerOf(404, body), 'outcome')?.message).toBe(
      `${HOST} answered, but not as the calling service does (status 404, ${told})`,
    );
  });

  it('calls text a web page when its type says so', () => {
    const type = { 'content-type': 'text/html; charset=utf-8' };
    expect(failing(answerOf(404, 'Hello', type))?.message).toContain('(status 404, a web page)');
    expect(failing(answerOf(503, 'Hello', type))?.message).toContain('(status 503: a web page)');
    expect(failing(answerOf(404, { message: 'Hello' }, type))?.message).toContain('"Hello"');
  });

  it.each([
    [60, 'It did so again after several pauses'],
    [61, 'It asks for a pause of 61 seconds'],
  ])('of too many requests says what to do when it asks for %i seconds', (seconds, advice) => {
    const failure = failing(answerOf(429, '', { 'retry-after': String(seconds) }));
    expect(failure?.retryAfterSeconds).toBe(seconds);
    expect(failure?.advice).toContain(advice);
    expect(failing(answerOf(429))?.retryAfterSeconds).toBeUndefined();
  });

  it('is of the key when a 401 gives no reason, or one that concerns one request', () => {
    const messages = [undefined, 'Odd', 'Order not found'].map(
      (said) => failing(answerOf(401, refused(said)))?.message,
    );
    const [plain] = messages;
    expect(messages).toEqual([plain, `${plain}: Odd`, `${plain}: Order not found`]);
    expect(failing(answerOf(401, refused('Insufficient balance')))?.kind).toBe('balanceTooLow');
  });
});

describe('an answer about another record', () => {
  const echo = (body: unknown, purpose: Purpose = 'outcome', status = 200) =>
    failureOf(() => refuseEcho(answerOf(status, body), purpose, 7));

  it.each<[unknown, Purpose, number, boolean]>([
    [{ success: true, orderId: 7, order_id: '7' }, 'outcome', 200, false],
    [{ success: true, order_id: 8 }, 'outcome', 200, true],
    [{ success: true, orderId: null }, 'outcome', 200, false],
    [{ success: true, campaign_id: 8 }, 'outcome', 200, false],
    [{ success: true, campaign_id: 8 }, 'pause', 200, true],
    [refused('Order 8 not found'), 'outcome', 404, true],
    [refused('Order 7 not found'), 'outcome', 404, false],
    [refused('Error: Order 8 not found'), 'outcome', 404, true],
    [refused('Not found: the order #8'), 'outcome', 404, true],
    [refused('Call is still in progress (order 8)'), 'outcome', 404, false],
    [refused('Campaign 8 is paused'), 'pause', 409, true],
    [refused('Unable to pause campaign 8: it is paused'), 'pause', 400, true],
    [refused("Can't pause campaign 8 because it is already paused"), 'pause', 400, true],
    [refused('Could not pause campaign 8: it has already completed'), 'pause', 400, true],
    [refused('Unable to pause campaign 7: it is paused'), 'pause', 400, false],
    [refused('No order 8 found'), 'outcome', 404, true],
    [refused('Unknown order 8 for this key'), 'outcome', 404, true],
    [refused('Order 8 unknown'), 'outcome', 404, true],
    [{ success: true, message: 'Order 8' }, 'outcome', 200, false],
    [refused('Order 8'), 'outcome', 403, false],
    ['Order 8', 'outcome', 200, false],
  ])('%j to %s with status %i: %p', (body, purpose, status, isOther) => {
    expect(echo(body, purpose, status)?.kind).toBe(isOther ? 'otherRecord' : undefined);
  });

  it('may have changed a campaign, and never a call', () => {
    const order = echo(refused('Order 8 not found'), 'outcome', 404);
    expect([order?.mayHaveBeenProcessed, order?.message]).toEqual([
      ...[false, 'The calling service answered about another order than 7: Order 8 not found'],
    ]);
    expect(echo({ campaign_id: 8 }, 'stop')?.mayHaveBeenProcessed).toBe(true);
  });
});

it('a campaign need not be paused again that is paused, unless the answer contradicts itself', () => {
  const fulfilled = (body: object, status = 409) => fulfilledState(answerOf(status, body), 'pause');
  const said = refused('Campaign is already paused');
  expect(fulfilled(said)).toBe('paused');
  expect(fulfilled({ ...said, state: 'paused' })).toBe('paused');
  expect(fulfilled({ ...said, state: 'running' })).toBeUndefined();
  expect(fulfilled({ ...said, success: true })).toBeUndefined();
  expect(fulfilled(refused('Campaign is running'))).toBeUndefined();
  expect([400, 401, 403, 408, 429, 500].map((status) => fulfilled(said, status))).toEqual([
    ...['paused', undefined, undefined, undefined, undefined, undefined],
  ]);
});

it('a failure says what may have happened, and to look before it is done again', () => {
  const doubt = failing(answerOf(400, { success: true }));
  expect(doubt?.message).toMatch(/: the call may have been placed$/);
  expect(doubt?.advice).toMatch(/^The customer may have been called\. .* Something between n8n/);
  const sure = failing(answerOf(404));
  expect(sure?.message).toMatch(/\(status 404, no content\)$/);
  expect(sure?.advice).toMatch(/^Something between n8n/);
});

describe('a campaign with other contacts than were sent', () => {
  const campaign = { campaignId: 7, contactCount: 10 };
  it.each<[boolean | undefined, string, string, string, number | undefined]>([
    [undefined, '9', 'with 9 of 10 contacts', 'It may be running.', 7],
    [true, '11', 'with 10 contacts, but the calling service counts 11', 'It may be running.', 7],
    [false, 'x', 'with 10 contacts, but the calling service counts x', 'It was not', undefined],
  ])('that was started: %p, counted as %s', (started, loaded, counts, state, runs) => {
    const failure = contactsDiffer({ ...campaign, started } as never, loaded);
    expect(failure.message).toBe(`Campaign 7 was created ${counts}`);
    expect(failure.advice).toContain(state);
    expect(failure.campaignId).toBe(runs);
  });

  it.each([
    ['running', 'No access', 'It may be running. It could not be paused: No access. Find out'],
    ['paused', undefined, 'Its state is paused. Find out'],
    ['completed', undefined, 'Its state is completed. Find out'],
  ])('that was to be paused and is %s then', (state, failed, told) => {
    const failure = contactsDiffer({ ...campaign, started: true, state } as never, '9', failed);
    expect(failure.advice.startsWith(told)).toBe(true);
    expect(failure.campaignId).toBe(7);
  });
});

it('an answer that could not be read is quoted in no message', () => {
  const asked = { purpose: 'trigger', host: HOST } as const;
  const [own, other] = [new UnreadableField('its status is no text'), new Error('"secret"')].map(
    (error) => unreadableAnswer(asked, error),
  );
  const told = `The answer of ${HOST} could not be read`;
  expect(own?.message).toBe(`${told} (its status is no text): the call may have been placed`);
  expect(other?.message).toBe(`${told}: the call may have been placed`);
  expect(other?.mayHaveBeenProcessed).toBe(true);
  expect(unreadableAnswer({ ...asked, purpose: 'outcome' }).mayHaveBeenProcessed).toBe(false);
});

describe('an answer with the id of an earlier call or campaign', () => {
  it.each([
    ['trigger', 'call 7 again, which was to somebody else: the call may have been placed'],
    ['createCampaign', 'campaign 7 again, which has other people: the campaign may have been'],
  ] as const)('to %s says that nobody knows, and where to look', (purpose, message) => {
    const failure = sameAgain(purpose, 7);
    expect(failure.message).toContain(message);
    expect(failure).toMatchObject({ kind: 'otherRecord', mayHaveBeenProcessed: true });
    expect(failure.advice).toContain('in the dashboard of the calling service before you');
  });
});

import {
  mayBeFollowed,
  nextAttemptOf,
} from '../../nodes/OutboundAiCalling/callLog/ends/nextAttempt';
import {
  MOST_ATTEMPTS,
  retryIn,
} from '../../nodes/OutboundAiCalling/callLog/placing/loggedRequest';
import type { Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';

/** In minutes. */
const TEN_YEARS = 10 * 365 * 24 * 60;
const requestWith = (retry: unknown) => JSON.stringify({ scriptId: 7, variables: {}, retry });
const row = (more: Partial<Row> = {}): Row => ({
  ...{ id: 1, callId: 'a', attempt: 1, status: 'completed', outcome: 'No answer' },
  ...{ finishedAt: '2026-11-21T12:00:00.000Z' },
  request: requestWith({ outcomes: ['no_answer'], afterMinutes: [30, 0.5] }),
  ...more,
});

describe('the attempt after one that has ended', () => {
  it.each<[string, Partial<Row>, string | null]>([
    ['comes after the first delay', {}, '2026-11-21T12:30:00.000Z'],
    ['comes after the second delay', { attempt: 2 }, '2026-11-21T12:00:30.000Z'],
    ['does not come when the plan is used up', { attempt: 3 }, null],
    ['does not come after another outcome', { outcome: 'Confirmed' }, null],
    ['does not come before the end', { finishedAt: null }, null],
    ['does not come of an attempt with a strange number', { attempt: 1.5 }, null],
    ['does not come of a call without an id', { callId: '' }, null],
    ['does not come without a plan', { request: requestWith(undefined) }, null],
  ])('%s', (_, more, expected) => expect(nextAttemptOf(row(more))).toBe(expected));

  it('comes after a call whose outcome never came, when the plan says so', () => {
    const retry = { outcomes: ['given_up'], afterMinutes: [1] };
    const more = { status: 'given_up', outcome: null, request: requestWith(retry) };
    expect(nextAttemptOf(row(more))).toBe('2026-11-21T12:01:00.000Z');
  });

  it('may come as long as the plan has delays, whatever number a person has made of the attempt', () => {
    const mayFollow = [1, 2, 3, 1.5].map((attempt) => mayBeFollowed(row({ attempt })));
    expect(mayFollow).toEqual([true, true, false, true]);
    expect(mayBeFollowed(row({ request: requestWith(undefined) }))).toBe(false);
  });
});

describe('a retry plan in a row', () => {
  const planOf = (afterMinutes: unknown, outcomes: unknown = ['busy']) =>
    retryIn(row({ request: requestWith({ outcomes, afterMinutes }) }));

  it.each([[[0]], [[-5]], [[30, 0]], [['x']], [[TEN_YEARS + 1]], ['30'], [undefined]])(
    'is none with the delays %j',
    (afterMinutes) => expect(planOf(afterMinutes)).toBeUndefined(),
  );

  it('is none without a list of outcomes', () => {
    expect([planOf([30], 'busy'), planOf([30], null)]).toEqual([undefined, undefined]);
  });

  it('has delays of at most ten years, also those that a person has typed as text', () => {
    const plan = { outcomes: ['busy'], afterMinutes: [30, TEN_YEARS] };
    expect(planOf(['30', TEN_YEARS])).toEqual(plan);
  });

  it('has ten attempts at most', () => {
    const plan = planOf(Array.from({ length: 12 }, () => 5));
    expect(plan?.afterMinutes).toHaveLength(MOST_ATTEMPTS - 1);
  });
});

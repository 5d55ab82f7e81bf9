import {
  concernsAll,
  consequenceOf,
  whyHeldUp,
} from '../../nodes/OutboundAiCalling/actions/call/scheduled/consequence';
import { NotBegun } from '../../nodes/OutboundAiCalling/actions/stopping';
import { DataTableError } from '../../nodes/OutboundAiCalling/dataTables/dataTableError';
import { NoLongerScheduled } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { RuleClosed, RuleObjection, RuleUndecided } from '../../nodes/OutboundAiCalling/rules/rule';
import {
  CallingServiceError,
  type FailureKind,
} from '../../nodes/OutboundAiCalling/service/failure';

const NOON = Date.UTC(2030, 0, 1, 12);
const MINUTE_MS = 60_000;

const failed = (kind: FailureKind, more: object = {}) =>
  new CallingServiceError(kind, 'It failed', { advice: '', mayHaveBeenProcessed: false, ...more });
const of = (failure: unknown) => consequenceOf(failure, 'Asia/Kolkata', NOON);

describe('what follows when a due call was not placed', () => {
  it('is its next time when a rule says when it is allowed', () => {
    const nextAllowedAt = NOON + 3_600_000;
    const objection = new RuleObjection({ reason: 'outsideCallingHours', nextAllowedAt });
    expect(of(objection)).toMatchObject({ kind: 'later', at: nextAllowedAt });
    expect(concernsAll(objection)).toBe(false);
  });

  it('is not due again at once, whatever a rule says', () => {
    const objection = new RuleObjection({ reason: 'dailyCap', nextAllowedAt: NOON });
    expect(of(objection)).toMatchObject({ kind: 'later', at: NOON + 1_000 });
  });

  it('is a try on the next morning in its time zone, and told, when no time will do', () => {
    const words = 'the daily cap is lower than what one call costs';
    const never = new RuleObjection({ reason: 'dailyCap', words });
    const at = Date.parse('2030-01-02T09:00:00+05:30');
    expect(of(never)).toEqual({ kind: 'later', at, reason: `Nobody was called: ${words}` });
    expect(whyHeldUp(never)).toMatchObject({
      message: `Scheduled calls cannot be placed: ${words}`,
      advice: expect.stringContaining('Change them where the calls are scheduled'),
    });
    expect(concernsAll(never)).toBe(false);
  });

  it('is told when a rule cannot be asked, and not when a time will do', () => {
    const cause = new Error('Away');
    expect(whyHeldUp(new RuleClosed(cause))).toBe(cause);
    for (const failure of [
      new RuleObjection({ reason: 'dailyCap', nextAllowedAt: NOON }),
      new RuleObjection({ reason: 'doNotCall' }),
      new NotBegun(),
    ]) {
      expect(whyHeldUp(failure)).toBeUndefined();
    }
  });

  it('is nothing more for people on the do-not-call list', () => {
    const reason = 'Nobody was called: the number is on the do-not-call list';
    expect(of(new RuleObjection({ reason: 'doNotCall' }))).toEqual({ kind: 'never', reason });
  });

  it('is the end of the one call that the service refuses for what it asks for', () => {
    const failure = failed('phoneRefused', { status: 400, concerns: 'oneRequest' });
    expect(of(failure)).toEqual({ kind: 'never', reason: 'Nobody was called: It failed' });
    expect(concernsAll(failure)).toBe(false);
  });

  it.each<[string, Error]>([
    ['the key', failed('keyRefused', { status: 401 })],
    ['the wallet', failed('balanceTooLow', { status: 402 })],
    ...[200, 400, 409, 422].map((status): [string, Error] => [
      `words that say nothing, with status ${status}`,
      failed('unknown', { status }),
    ]),
    ['too many requests', failed('rateLimited', { status: 429, retryAfterSeconds: 10 })],
    ['no channel', failed('poolExhausted', { status: 400 })],
    ['no connection', failed('unreachable')],
    ['a rule that cannot be asked', new RuleUndecided(new Error('Away'))],
    ['the log', new DataTableError('unreachable', 'Away', '')],
  ])('is a later try, and the end of filling, because of %s', (_, failure) => {
    expect(of(failure)).toMatchObject({ kind: 'later', at: NOON + 5 * MINUTE_MS });
    expect(concernsAll(failure)).toBe(true);
  });

  it('is no earlier try than the service asks for', () => {
    const failure = failed('rateLimited', { status: 429, retryAfterSeconds: 3_600 });
    expect(of(failure)).toMatchObject({ kind: 'later', at: NOON + 60 * MINUTE_MS });
  });

  it('is a try within the hour, whatever pause is asked for', () => {
    const failure = failed('rateLimited', { status: 429, retryAfterSeconds: 86_400 });
    expect(of(failure)).toMatchObject({ kind: 'later', at: NOON + 60 * MINUTE_MS });
  });

  it.each<[string, unknown]>([
    ['the service', failed('connectionLost', { mayHaveBeenProcessed: true })],
    ['nobody', new Error('Whatever')],
  ])('is left open where %s can say whether it was placed', (_, failure) => {
    expect(of(failure)).toEqual({ kind: 'maybe' });
    expect(concernsAll(failure)).toBe(true);
  });

  it('is nothing when it was not begun: it stays due as it was', () => {
    expect(of(new NotBegun())).toEqual({ kind: 'back' });
    expect(of(failed('cancelled'))).toEqual({ kind: 'back' });
    expect(concernsAll(new NotBegun())).toBe(false);
  });

  it('is nothing where the row belongs to somebody else', () => {
    expect(of(new NoLongerScheduled())).toMatchObject({ kind: 'never' });
    expect(concernsAll(new NoLongerScheduled())).toBe(false);
  });
});

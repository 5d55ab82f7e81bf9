import {
  CallingServiceError,
  type FailureKind,
} from '../../nodes/OutboundAiCalling/service/failure';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { judge, type Verdict } from '../../nodes/OutboundAiCalling/trigger/lookResult';
import type { WatchedCall } from '../../nodes/OutboundAiCalling/trigger/watch/watch';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const call: WatchedCall = { orderId: 1, placedAt: 0, looks: 0, nextLookAt: 0 };
const giveUpAfterMs = 24 * HOUR;

const failure = (kind: FailureKind, more = {}) =>
  new CallingServiceError(kind, `It was ${kind}`, { advice: '', taken: 'no', ...more });
const open = { finished: false as const, body: {} };
const ended = { finished: true as const, body: {}, result: readOutcome({}, 1) };

const at = (
  lookedAt: number,
  result: Parameters<typeof judge>[1],
  from: WatchedCall = call,
): Verdict => judge(from, result, { lookedAt, giveUpAfterMs });

describe('a look at a call', () => {
  it('that has ended ends the watch, however old the call is', () => {
    expect(at(100 * HOUR, ended).kind).toBe('ended');
  });

  it('that goes on waits for the next look', () => {
    expect(at(20 * SECOND, open)).toMatchObject({
      kind: 'open',
      call: { looks: 1, nextLookAt: 25 * SECOND },
    });
  });

  it('that goes on for too long gives the call up', () => {
    expect(at(giveUpAfterMs + 1, open)).toMatchObject({
      kind: 'givenUp',
      givenUp: { reason: 'tooOld', message: expect.stringMatching(/24 hours.*in progress/) },
    });
  });

  it.each<FailureKind>([
    'unreachable',
    'timedOut',
    'connectionLost',
    'serviceFailing',
    'notTheService',
  ])('that fails (%s) is counted and tried again', (kind) => {
    expect(at(20 * SECOND, failure(kind))).toMatchObject({
      kind: 'failed',
      call: { looks: 1, nextLookAt: 25 * SECOND, lastError: `It was ${kind}` },
    });
  });

  it('waits as long as the service asks', () => {
    const result = failure('rateLimited', { retryAfterSeconds: 600 });
    expect(at(20 * SECOND, result)).toMatchObject({ call: { nextLookAt: 620 * SECOND } });
  });

  it.each<FailureKind>(['keyRefused', 'redirected', 'certificateRefused'])(
    'that shows something a person has to mend (%s) gives no call up',
    (kind) => {
      expect(at(100 * HOUR, failure(kind)).kind).toBe('hopeless');
    },
  );

  it('that came too late in the poll changes nothing', () => {
    expect(at(20 * SECOND, failure('cancelled'))).toEqual({ kind: 'notLooked' });
  });

  it('at a service that fails beyond the time to give up is patient, but not for ever', () => {
    expect(at(giveUpAfterMs * 2, failure('unreachable')).kind).toBe('failed');
    expect(at(giveUpAfterMs * 3 + 1, failure('unreachable')).kind).toBe('givenUp');
  });
});

describe('an order that the service does not know', () => {
  const unknown = failure('orderNotFound');

  function lookUntilGivenUp(): { looks: number; at: number } {
    let current = call;
    for (let now = 0; ; now = current.nextLookAt) {
      const verdict = at(now, unknown, current);
      if (verdict.kind === 'givenUp') return { looks: current.looks + 1, at: now };
      if (verdict.kind !== 'open') throw new Error(verdict.kind);
      current = verdict.call;
    }
  }

  it('is given up only after many looks over 15 minutes', () => {
    const { looks, at: time } = lookUntilGivenUp();
    expect(looks).toBeGreaterThanOrEqual(10);
    expect(time).toBeGreaterThanOrEqual(15 * 60 * SECOND);
    expect(time).toBeLessThan(30 * 60 * SECOND);
  });

  it('counts from the start when the service knows it in between', () => {
    const first = at(0, unknown);
    if (first.kind !== 'open') throw new Error(first.kind);
    expect(first.call.unknown).toEqual({ since: 0, times: 1 });
    const second = at(5 * SECOND, open, first.call);
    expect(second).toMatchObject({ kind: 'open', call: { unknown: undefined } });
  });

  it('still hands over an outcome that comes late', () => {
    const first = at(0, unknown);
    if (first.kind !== 'open') throw new Error(first.kind);
    expect(at(5 * SECOND, ended, first.call).kind).toBe('ended');
  });
});

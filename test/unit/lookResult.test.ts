import type { OutcomeReading } from '../../nodes/OutboundAiCalling/service/callingService';
import {
  CallingServiceError,
  type FailureKind,
} from '../../nodes/OutboundAiCalling/service/failure';
import { labelIn, readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { resultOfLook, type LookResult } from '../../nodes/OutboundAiCalling/trigger/lookResult';
import type { OpenCall } from '../../nodes/OutboundAiCalling/trigger/watch/watch';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const call: OpenCall = { orderId: 1, placedAt: 0, checks: 0, nextCheckAt: 0 };
const giveUpAfterMs = 24 * HOUR;

const failure = (kind: FailureKind, more = {}) =>
  new CallingServiceError(kind, `It was ${kind}`, {
    advice: '',
    mayHaveBeenProcessed: false,
    ...more,
  });
const open = { finished: false as const, body: { success: false } };
const ended = { finished: true as const, body: {}, result: readOutcome({ callOutcome: 'Yes' }, 1) };
const unlabelled = { ...ended, result: readOutcome({ callDurationSec: 9 }, 1) };

const at = (
  lookedAt: number,
  given: OutcomeReading | CallingServiceError,
  from: OpenCall = call,
): LookResult => resultOfLook(from, given, { lookedAt, giveUpAfterMs });

/** The call as it is looked at next. */
function next(result: LookResult): OpenCall {
  if (result.kind !== 'open' && result.kind !== 'failed') throw new Error(result.kind);
  return result.call;
}

describe('a look at a call', () => {
  it('that has ended ends the waiting, however old the call is', () => {
    expect(at(100 * HOUR, ended)).toEqual({ kind: 'ended', end: { outcome: ended } });
  });

  it('that has ended without a label ends the waiting when none comes for 20 seconds', () => {
    const first = next(at(HOUR, unlabelled));
    expect(first.nextCheckAt).toBe(HOUR + 20 * SECOND);
    const second = next(at(HOUR + 15 * SECOND, unlabelled, first));
    expect(at(HOUR + 16 * SECOND, ended, second)).toMatchObject({ end: { outcome: ended } });
    const end = { outcome: unlabelled };
    expect(at(HOUR + 20 * SECOND, unlabelled, second)).toEqual({ kind: 'ended', end });
    expect(at(giveUpAfterMs + 1, unlabelled)).toEqual({ kind: 'ended', end });
    const later = next(at(HOUR + 5 * SECOND, failure('unreachable'), first));
    expect(at(HOUR + 20 * SECOND, failure('orderNotFound'), later)).toEqual({ kind: 'ended', end });
    const paused = failure('rateLimited', { retryAfterSeconds: 60 });
    expect(next(at(HOUR + SECOND, paused, first)).nextCheckAt).toBe(HOUR + 61 * SECOND);
    const busy = { ...unlabelled, result: readOutcome({ callStatus: 'busy' }, 1) };
    expect(at(HOUR, busy).kind).toBe('ended');
  });

  it('that goes on waits for the next look', () => {
    expect(at(20 * SECOND, open)).toMatchObject({
      kind: 'open',
      call: { checks: 1, nextCheckAt: 25 * SECOND },
    });
  });

  it('that goes on for too long gives the call up', () => {
    const message = expect.stringMatching(/24 hours.*in progress/) as string;
    expect(at(giveUpAfterMs + 1, open)).toEqual({
      kind: 'ended',
      end: { unavailable: { endReason: 'givenUp', message } },
    });
  });

  it('that goes on for too long ends with the outcome that was none yet, if there is one', () => {
    const soFar = { ...ended, result: readOutcome({ callOutcome: 'Queued' }, 1, labelIn) };
    const lastError =
      'the outcome "Queued" seems to be still to come: it counts if it stays so until Give Up After';
    expect(at(giveUpAfterMs, { ...open, soFar })).toMatchObject({
      kind: 'open',
      call: { lastError },
    });
    expect(at(giveUpAfterMs + 1, { ...open, soFar })).toEqual({
      kind: 'ended',
      end: { outcome: soFar },
    });
  });

  it('of which the label may be final ends with it once looks have found it for 15 minutes', () => {
    const soFar = { ...ended, result: readOutcome({ callOutcome: 'Unclassified' }, 1, labelIn) };
    const unclear = { ...open, soFar };
    const first = next(at(HOUR, unclear));
    expect(first.lastError).toBeUndefined();
    const second = next(at(HOUR + 14 * MINUTE, unclear, first));
    expect(at(HOUR + 15 * MINUTE, unclear, second)).toEqual({
      kind: 'ended',
      end: { outcome: soFar },
    });
    const anew = next(at(HOUR + 15 * MINUTE, open, second));
    expect(at(HOUR + 20 * MINUTE, unclear, anew).kind).toBe('open');
  });

  it.each([
    [{ success: true }, 'gives neither a status nor an outcome'],
    [{ success: true, data: { callStatus: 'completed' } }, 'gives neither a status nor an outcome'],
    [{ success: true, callStatus: 'archived' }, 'says "archived", and gives no outcome'],
    [
      { success: true, callStatus: 'Connected', callOutcome: 'Do not call again' },
      'says "Connected" together with the outcome "Do not call again"',
    ],
  ])('of which an answer says no state is told so: %j', (body, said) => {
    const unread = { finished: false as const, body };
    expect(at(HOUR, unread)).toMatchObject({
      kind: 'open',
      call: { lastError: expect.stringContaining(said) },
    });
    expect(at(giveUpAfterMs + 1, unread)).toMatchObject({
      end: { unavailable: { message: expect.stringContaining(said) } },
    });
  });

  it.each<FailureKind>([
    'unreachable',
    'timedOut',
    'connectionLost',
    'serviceFailing',
    'notTheService',
    'keyRefused',
    'redirected',
  ])('that fails (%s) is counted and tried again', (kind) => {
    expect(at(20 * SECOND, failure(kind))).toMatchObject({
      kind: 'failed',
      call: { checks: 1, nextCheckAt: 25 * SECOND, lastError: `It was ${kind}` },
    });
  });

  it('waits as long as the service asks', () => {
    const result = failure('rateLimited', { retryAfterSeconds: 600 });
    expect(at(20 * SECOND, result)).toMatchObject({ call: { nextCheckAt: 620 * SECOND } });
  });

  it('that came too late in the poll changes nothing', () => {
    expect(at(20 * SECOND, failure('cancelled'))).toEqual({ kind: 'notLooked' });
  });

  it('at a service that fails beyond the time to give up is patient, but not for ever', () => {
    expect(at(giveUpAfterMs * 2, failure('unreachable')).kind).toBe('failed');
    // After an n8n that was off for days, one failure says nothing.
    let current = call;
    const kinds = Array.from({ length: 10 }, (_, index) => {
      const result = at(giveUpAfterMs * 3 + index * 2 * MINUTE, failure('unreachable'), current);
      if (result.kind === 'failed') current = result.call;
      return result.kind;
    });
    expect(kinds).toEqual([...Array<string>(9).fill('failed'), 'ended']);
    const answered = next(at(giveUpAfterMs / 2, open, current));
    expect(at(giveUpAfterMs * 4, failure('unreachable'), answered).kind).toBe('failed');
  });

  it('before the call was placed, by a clock that was set back, is followed by another', () => {
    const later = { ...call, placedAt: 24 * HOUR };
    expect(next(at(0, open, later)).nextCheckAt).toBe(5 * SECOND);
  });
});

describe('an order that the service does not know', () => {
  const unknown = failure('orderNotFound');

  function lookUntilGivenUp(): { checks: number; at: number } {
    let current = call;
    for (let now = 0; ; now = current.nextCheckAt) {
      const result = at(now, unknown, current);
      if (result.kind === 'ended') {
        expect(result.end).toMatchObject({
          unavailable: { message: expect.stringContaining('does not know this order') },
        });
        return { checks: current.checks + 1, at: now };
      }
      current = next(result);
    }
  }

  it('is given up only after many looks over 15 minutes', () => {
    const { checks, at: time } = lookUntilGivenUp();
    expect(checks).toBeGreaterThanOrEqual(10);
    expect(time).toBeGreaterThanOrEqual(15 * 60 * SECOND);
    expect(time).toBeLessThan(30 * 60 * SECOND);
  });

  it('is not given up for a single answer after days without looks', () => {
    expect(at(giveUpAfterMs + 1, unknown).kind).toBe('open');
    expect(at(7 * 24 * HOUR, unknown).kind).toBe('open');
    expect(at(41 * 24 * HOUR, unknown).kind).toBe('ended');
    const before = { ...call, unknown: { since: giveUpAfterMs - HOUR, times: 1 } };
    expect(at(giveUpAfterMs + 1, unknown, before).kind).toBe('ended');
    const often = { ...call, unknown: { since: giveUpAfterMs + HOUR, times: 9 } };
    expect(at(giveUpAfterMs + 2 * HOUR, unknown, often)).toMatchObject({
      end: { unavailable: { message: expect.stringMatching(/unknown/) } },
    });
  });

  it('counts from the start when the service knows it in between', () => {
    const first = next(at(0, unknown));
    expect(first.unknown).toEqual({ since: 0, times: 1 });
    const second = next(at(5 * SECOND, open, first));
    expect(second.unknown).toBeUndefined();
    const third = next(at(10 * SECOND, unknown, second));
    expect(third.unknown).toEqual({ since: 10 * SECOND, times: 1 });
  });

  it('still hands over an outcome that comes late', () => {
    expect(at(5 * SECOND, ended, next(at(0, unknown))).kind).toBe('ended');
  });
});

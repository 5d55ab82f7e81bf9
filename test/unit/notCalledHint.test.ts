import { notCalledHint } from '../../nodes/OutboundAiCalling/rules/notCalledHint';
import type { Objection } from '../../nodes/OutboundAiCalling/rules/rule';

const SATURDAY_NIGHT = Date.parse('2026-11-21T22:30:00Z');
const outside = (at: string): Objection => ({
  reason: 'outsideCallingHours',
  nextAllowedAt: Date.parse(at),
});
const hint = (objections: Objection[], timezone = 'UTC') =>
  notCalledHint(objections, { calls: 20, timezone });

beforeEach(() => void jest.useFakeTimers({ now: SATURDAY_NIGHT }));
afterEach(() => void jest.useRealTimers());

describe('the hint about those who were not called', () => {
  it('is not there when everybody was', () => {
    expect(hint([])).toBeUndefined();
  });

  it('counts each reason, the most frequent first, with the next allowed time', () => {
    const listed: Objection[] = [{ reason: 'doNotCall' }, { reason: 'doNotCall' }];
    const late = Array.from({ length: 5 }, () => outside('2026-11-23T09:00:00Z'));
    expect(hint([...listed, ...late])).toBe(
      '7 of 20 not called: 5 outside calling hours (next Mon 09:00), 2 on the do-not-call list',
    );
  });

  it('counts items that failed with the others, so that the numbers add up', () => {
    const told = { calls: 20, failed: 3, timezone: 'UTC' };
    const listed: Objection[] = [{ reason: 'doNotCall' }, { reason: 'doNotCall' }];
    expect(notCalledHint(listed, told)).toBe(
      '5 of 20 not called: 3 failed, 2 on the do-not-call list',
    );
    expect(notCalledHint([], told)).toBe('3 of 20 not called: 3 failed');
  });

  it('tells the earliest time, in the zone that is asked for, without a day when it is today', () => {
    const late = [outside('2026-11-23T09:00:00Z'), outside('2026-11-22T03:30:00Z')];
    expect(hint(late, 'Asia/Kolkata')).toBe(
      '2 of 20 not called: 2 outside calling hours (next 09:00)',
    );
  });

  it('names the day of a time that is not today', () => {
    expect(hint([outside('2026-11-21T23:30:00Z')])).toContain('(next 23:30)');
    expect(hint([outside('2026-11-22T00:00:00Z')])).toContain('(next Sun 00:00)');
    // A week later it has the same name.
    expect(hint([outside('2026-11-28T09:00:00Z')])).toContain('(next Sat 09:00)');
  });

  it('goes by the clock of the objection, if it has one', () => {
    const objection = { ...outside('2026-11-23T03:30:00Z'), timezone: 'Asia/Kolkata' };
    expect(hint([objection, { reason: 'outsideCallingHours' }])).toBe(
      '2 of 20 not called: 2 outside calling hours (next Mon 09:00)',
    );
  });

  it('says which setting is in the way when no time will do', () => {
    const capped: Objection = { reason: 'dailyCap', words: 'the cap is lower than a call' };
    const reached: Objection = { ...outside('2026-11-23T09:00:00Z'), reason: 'dailyCap' };
    expect(hint([capped, { ...reached, words: 'the cap is reached' }, capped])).toBe(
      '3 of 20 not called: 3 over a daily cap (the cap is lower than a call; next Mon 09:00)',
    );
    expect(hint([{ reason: 'doNotCall', words: 'as asked' }])).toBe(
      '1 of 20 not called: 1 on the do-not-call list',
    );
  });

  it('says every reason in words', () => {
    const reasons = ['duplicate', 'dailyCap', 'cancelled', 'earlierTry'] as const;
    const told = { calls: 4, timezone: 'UTC', isDryRun: true };
    expect(
      notCalledHint(
        reasons.map((reason) => ({ reason })),
        told,
      ),
    ).toBe(
      '4 of 4 would not be called: 1 called or scheduled before, 1 over a daily cap, 1 cancelled or changed in the call log, 1 called or scheduled by an earlier try, or possibly so',
    );
  });
});

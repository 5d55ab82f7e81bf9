import type { IExecuteFunctions } from 'n8n-workflow';
import {
  isCallAgain,
  RuleObjection,
  type Objection,
} from '../../nodes/OutboundAiCalling/rules/rule';
import { Rules } from '../../nodes/OutboundAiCalling/rules/rules';
import { dryRunItem, skippedItem } from '../../nodes/OutboundAiCalling/rules/skipped';

const NEXT = new Date('2026-11-22T03:30:00Z');

describe('an objection, as a person reads it', () => {
  it.each<[Objection, string]>([
    [{ reason: 'duplicate' }, 'Nobody was called: the same call was placed or scheduled before'],
    [
      { reason: 'outsideCallingHours', nextAllowedAt: NEXT },
      'Nobody was called: calling is not allowed at this time; it is allowed again from 2026-11-22T03:30:00.000+00:00',
    ],
    [{ reason: 'doNotCall' }, 'Nobody was called: the number is on the do-not-call list'],
    [
      { reason: 'doNotCall', nextAllowedAt: NEXT },
      'Nobody was called: the number is on the do-not-call list; it is allowed again from 2026-11-22T03:30:00.000+00:00',
    ],
    [
      { reason: 'dailyCap', limit: 'the daily cap of 200 calls is reached', nextAllowedAt: NEXT },
      'Nobody was called: the daily cap of 200 calls is reached; it is allowed again from 2026-11-22T03:30:00.000+00:00',
    ],
  ])('%j says what it is about', (objection, words) => {
    expect(new RuleObjection(objection).message).toBe(words);
  });
});

describe('the item of a call that was not placed', () => {
  const phone = { customerPhone: '+12025550100' };

  it('says why, and when the call is allowed by the clock of the rule', () => {
    const objection = { reason: 'outsideCallingHours' as const, nextAllowedAt: NEXT };
    expect(skippedItem({ ...objection, timezone: 'Asia/Kolkata' }, phone)).toEqual({
      ...{ skipped: true, reason: 'outsideCallingHours', ...phone },
      nextAllowedAt: '2026-11-22T09:00:00.000+05:30',
    });
  });

  it('says which call it was where the reason does not', () => {
    const limit = 'an earlier try has placed this call';
    const order = { ...phone, orderNumber: 'A-1' };
    expect(skippedItem({ reason: 'earlierTry', limit, orderId: 4001 }, order)).toEqual({
      ...{ skipped: true, reason: 'earlierTry', ...order, orderId: 4001 },
      message: expect.stringContaining(limit),
    });
    for (const objection of [{ reason: 'earlierTry' }, { reason: 'dailyCap', limit }] as const) {
      expect(skippedItem(objection, phone)).not.toHaveProperty('message');
    }
  });

  it('of a dry run says whether somebody would be called', () => {
    expect(dryRunItem(true, undefined, phone)).toEqual({ dryRun: true, wouldCall: true, ...phone });
    expect(dryRunItem(false, undefined, phone)).toMatchObject({ wouldCall: false });
    expect(dryRunItem(true, { reason: 'doNotCall' }, phone)).toEqual({
      ...{ dryRun: true, wouldCall: false, reason: 'doNotCall', ...phone },
    });
  });

  it('may be the same call again: then it has no end of its own', () => {
    const reasons = ['duplicate', 'earlierTry', 'doNotCall', 'dailyCap'] as const;
    const again = reasons.map((reason) => isCallAgain({ reason }));
    expect(again).toEqual([true, true, false, false]);
  });
});

describe('rules', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('are asked again when one of them has waited', async () => {
    const endsAt = Date.now() + 1_500;
    let hasWaited = false;
    const hours = async () => ({
      objection: async (): Promise<Objection | undefined> =>
        await Promise.resolve(Date.now() < endsAt ? undefined : { reason: 'outsideCallingHours' }),
    });
    const waiting = async () => ({
      objection: async (): Promise<undefined> => {
        if (!hasWaited) await new Promise((done) => setTimeout(done, 2_000));
        hasWaited = true;
      },
    });
    const rules = new Rules([hours, waiting]);
    await rules.open({
      context: {} as IExecuteFunctions,
      log: undefined,
      concurrency: 1,
      notes: {},
      shared: (_name, make) => make(),
    });
    const asked = rules.ask().then(
      () => 'allowed',
      (error: unknown) => (error instanceof RuleObjection ? error.objection.reason : 'failed'),
    );
    await jest.advanceTimersByTimeAsync(3_000);
    expect(await asked).toBe('outsideCallingHours');
  });
});

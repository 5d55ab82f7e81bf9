import type { IExecuteFunctions } from 'n8n-workflow';
import { RuleObjection, type Objection } from '../../nodes/OutboundAiCalling/rules/rule';
import { Rules } from '../../nodes/OutboundAiCalling/rules/rules';

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

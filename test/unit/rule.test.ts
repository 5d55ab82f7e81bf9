import type { IDataObject } from 'n8n-workflow';
import { DoNotCallLists } from '../../nodes/OutboundAiCalling/rules/doNotCallLists';
import { LoggedDuplicates } from '../../nodes/OutboundAiCalling/rules/loggedDuplicates';
import {
  isCallAgain,
  RuleClosed,
  RuleObjection,
  RuleUndecided,
  type Objection,
  type Rule,
} from '../../nodes/OutboundAiCalling/rules/rule';
import { readRules, readRulesAhead, Rules } from '../../nodes/OutboundAiCalling/rules/rules';
import { dryRunItem, skippedItem } from '../../nodes/OutboundAiCalling/rules/skipped';
import { callTo, executionWithHints, RuleSettings } from './ruleSettings';

const NEXT = Date.parse('2026-11-22T03:30:00Z');

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
      { reason: 'dailyCap', words: 'the daily cap of 200 calls is reached', nextAllowedAt: NEXT },
      'Nobody was called: the daily cap of 200 calls is reached; it is allowed again from 2026-11-22T03:30:00.000+00:00',
    ],
    [{ reason: 'dailyCap' }, 'Nobody was called: a daily cap is reached'],
    [
      { reason: 'cancelled' },
      'Nobody was called: the call was cancelled, or its row was changed, before it was placed',
    ],
    [
      { reason: 'earlierTry' },
      'Nobody was called: an earlier try of this execution has called this person or scheduled the call, or may have',
    ],
  ])('%j says what it is about', (objection, words) => {
    expect(new RuleObjection(objection).message).toBe(words);
  });

  it('names the next time by the clock of its rule', () => {
    const objection = {
      reason: 'dailyCap',
      nextAllowedAt: NEXT,
      timezone: 'Asia/Kolkata',
    } as const;
    expect(new RuleObjection(objection)).toMatchObject({
      ...{ name: 'RuleObjection', objection },
      message: expect.stringContaining('allowed again from 2026-11-22T09:00:00.000+05:30'),
    });
  });
});

describe('a rule that cannot be asked', () => {
  const cause = new Error('n8n is away');

  it('says why, and that nobody knows whether the call is allowed', () => {
    expect(new RuleClosed(cause)).toMatchObject({
      ...{ name: 'RuleClosed', message: 'n8n is away', cause },
    });
    expect(new RuleUndecided(cause)).toMatchObject({
      ...{ name: 'RuleUndecided', cause },
      message: 'The node could not find out whether the call is allowed: n8n is away',
    });
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
    const words = 'an earlier try has placed this call';
    const order = { ...phone, orderNumber: 'A-1' };
    expect(skippedItem({ reason: 'earlierTry', words, orderId: 4001 }, order)).toStrictEqual({
      ...{ skipped: true, reason: 'earlierTry', ...order, orderId: 4001 },
      message: expect.stringContaining(words),
    });
    expect(skippedItem({ reason: 'cancelled', words }, phone)).toEqual({
      ...{ skipped: true, reason: 'cancelled', ...phone },
      message: `Nobody was called: ${words}`,
    });
    for (const objection of [
      { reason: 'earlierTry' },
      { reason: 'dailyCap' },
      { reason: 'doNotCall', words },
    ] as const) {
      expect(skippedItem(objection, phone)).toStrictEqual({
        ...{ skipped: true, reason: objection.reason, ...phone },
      });
    }
  });

  it('says which setting is in the way when no time will do, and only then', () => {
    const capped = { reason: 'dailyCap', words: 'the daily cap is lower than a call' } as const;
    expect(skippedItem(capped, phone)).toStrictEqual({
      ...{ skipped: true, reason: 'dailyCap', ...phone },
      message: 'Nobody was called: the daily cap is lower than a call',
    });
    expect(skippedItem({ ...capped, nextAllowedAt: NEXT }, phone)).not.toHaveProperty('message');
  });

  it('of a dry run says whether somebody would be called', () => {
    expect(dryRunItem(true, undefined, phone)).toStrictEqual({
      dryRun: true,
      wouldCall: true,
      ...phone,
    });
    expect(dryRunItem(false, undefined, phone)).toMatchObject({ wouldCall: false });
    const outside = { reason: 'outsideCallingHours', nextAllowedAt: NEXT } as const;
    expect(dryRunItem(true, outside, phone)).toEqual({
      ...{ dryRun: true, wouldCall: false, reason: 'outsideCallingHours', ...phone },
      nextAllowedAt: '2026-11-22T03:30:00.000+00:00',
    });
    expect(dryRunItem(true, { reason: 'doNotCall' }, phone)).toStrictEqual({
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

  it('that go by the clock are asked once more after one that waits', async () => {
    const endsAt = Date.now() + 50;
    const objectionNow = (): Objection | undefined =>
      Date.now() < endsAt ? undefined : { reason: 'outsideCallingHours' };
    const hours = { objection: async () => await Promise.resolve(objectionNow()), objectionNow };
    const waiting = {
      objection: async () =>
        await new Promise<undefined>((done) => setTimeout(() => done(undefined), 100)),
    };
    const rules = new Rules([() => hours, () => waiting]);
    await rules.open(executionWithHints());
    const asked = rules.ask().then(
      () => 'allowed',
      (error: unknown) => (error instanceof RuleObjection ? error.objection.reason : 'failed'),
    );
    await jest.advanceTimersByTimeAsync(3_000);
    expect(await asked).toBe('outsideCallingHours');
  });

  const opened = async (...some: Array<Partial<Rule>>) => {
    const rules = new Rules(
      some.map((rule) => () => ({
        objection: async () => await Promise.resolve(undefined),
        ...rule,
      })),
    );
    await rules.open(executionWithHints());
    return rules;
  };
  const objecting = (reason: Objection['reason']) => ({
    objection: async () => await Promise.resolve({ reason }),
  });

  it('are none when no rule is set', () => {
    expect([
      new Rules([]).areNone,
      new Rules([async () => objecting('doNotCall')]).areNone,
    ]).toEqual([true, false]);
  });

  it('that are none object to nothing', async () => {
    await expect(new Rules([]).ask()).resolves.toBeUndefined();
  });

  it('object by the first that does', async () => {
    const asked = jest.fn(async () => await Promise.resolve({ reason: 'duplicate' as const }));
    const rules = await opened({}, objecting('doNotCall'), { objection: asked });
    await expect(rules.ask()).rejects.toMatchObject({ objection: { reason: 'doNotCall' } });
    expect(asked).not.toHaveBeenCalled();
    await expect((await opened({}, {})).ask()).resolves.toBeUndefined();
  });

  it('are asked once when none has waited, also for a second', async () => {
    let times = 0;
    const rules = await opened({
      objection: async () => {
        if (++times === 1) await new Promise((done) => setTimeout(done, 1_000));
        return undefined;
      },
    });
    const asked = rules.ask();
    await jest.advanceTimersByTimeAsync(1_000);
    await asked;
    expect(times).toBe(1);
  });

  it('place nobody when one of them fails', async () => {
    const rules = await opened({
      objection: async () => await Promise.reject(new Error('n8n is away')),
    });
    await expect(rules.ask()).rejects.toThrow(
      'could not find out whether the call is allowed: n8n is away',
    );
    await expect(rules.wouldObject()).rejects.toThrow(RuleUndecided);
  });

  it('decide in the turn of each, the first outermost', async () => {
    const told: string[] = [];
    const turnOf = (name: string): Partial<Rule> => ({
      inTurn: async (decide) => {
        told.push(`${name} begins`);
        const answer = await decide();
        told.push(`${name} ends`);
        return answer;
      },
    });
    const rules = await opened(turnOf('first'), {}, turnOf('second'));
    expect(await rules.inTurn(async () => await Promise.resolve('placed'))).toBe('placed');
    expect(told).toEqual(['first begins', 'second begins', 'second ends', 'first ends']);
  });

  it('ask all before one claims a place, and claim none when no rule counts', async () => {
    const admit = jest.fn(async () => await Promise.resolve<Objection | undefined>(undefined));
    const refused = await opened({ admit }, objecting('outsideCallingHours'));
    await expect(refused.admit()).rejects.toMatchObject({
      objection: { reason: 'outsideCallingHours' },
    });
    expect(admit).not.toHaveBeenCalled();
    const counting = await opened({}, { admit });
    await counting.admit();
    expect(admit).toHaveBeenCalledTimes(1);
    admit.mockResolvedValueOnce({ reason: 'dailyCap' });
    await expect(counting.admit()).rejects.toMatchObject({ objection: { reason: 'dailyCap' } });
    await expect((await opened(objecting('doNotCall'))).admit()).resolves.toBeUndefined();
  });

  it('claim nothing for good in a dry run that objects', async () => {
    const giveBack = jest.fn(async () => await Promise.resolve());
    const asked: boolean[] = [];
    const trying = async (isDryRun: boolean) => {
      asked.push(isDryRun);
      return await Promise.resolve(undefined);
    };
    const free = await opened({ objection: trying, giveBack });
    expect(await free.wouldObject()).toBeUndefined();
    expect(giveBack).not.toHaveBeenCalled();
    const refused = await opened({ objection: trying, giveBack }, objecting('dailyCap'));
    expect(await refused.wouldObject()).toEqual({ reason: 'dailyCap' });
    expect(giveBack).toHaveBeenCalledTimes(1);
    await refused.ask().catch(() => undefined);
    expect(asked).toEqual([true, true, false]);
  });

  it('give back all claims, also when one cannot be given back', async () => {
    const giveBack = jest.fn(async () => await Promise.resolve());
    const failing = { giveBack: async () => await Promise.reject(new Error('n8n is away')) };
    const rules = await opened(failing, {}, { giveBack });
    await expect(rules.giveBack()).rejects.toThrow('n8n is away');
    expect(giveBack).toHaveBeenCalledTimes(1);
    await expect((await opened({}, { giveBack })).giveBack()).resolves.toBeUndefined();
  });
});

describe('the rules that are set for a call', () => {
  const PHONE = '+919812345678';
  /** A Sunday, by the clock of the workflow. */
  const SUNDAY = Date.parse('2026-11-22T06:30:00Z');
  const CLOSED = { callingHours: { hours: {} } };
  const TABLE = { mode: 'name', value: 'No' };
  const call = () => ({
    ...callTo(PHONE),
    duplicates: { key: 'A', isUsual: true, isPrevented: true },
  });

  beforeEach(() => void jest.useFakeTimers({ now: SUNDAY }));
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  const askedOf = async (rules: Rules) => {
    await rules.open(executionWithHints());
    return await rules.ask().then(
      () => undefined,
      (error: unknown) => (error as RuleObjection).objection.reason,
    );
  };

  it('are none when nobody has set any', () => {
    expect(readRules(new RuleSettings({}), callTo(PHONE)).areNone).toBe(true);
  });

  it('object for the list before the hours, and for the hours before duplicates', async () => {
    const listed = jest.spyOn(DoNotCallLists.prototype, 'reasonFor').mockResolvedValue('');
    const rules = () => readRules(new RuleSettings({ doNotCallTable: TABLE, ...CLOSED }), call());
    expect(await askedOf(rules())).toBe('doNotCall');
    listed.mockResolvedValue(undefined);
    expect(await askedOf(rules())).toBe('outsideCallingHours');
  });

  it('that are asked when it is scheduled forget the hours but for their warnings', async () => {
    const settings = new RuleSettings({ callingHours: { hours: { start: '8', end: '6' } } });
    const ahead = readRulesAhead(settings, callTo(PHONE), true);
    const execution = executionWithHints();
    await ahead.open(execution);
    await expect(ahead.ask()).resolves.toBeUndefined();
    expect(execution.hints).toEqual([expect.stringContaining('called at night too')]);
    expect(readRulesAhead(new RuleSettings({}), callTo(PHONE), true).areNone).toBe(true);
  });

  it('tell mistakes of the rules that are asked when it is due', () => {
    const rules: IDataObject = { maxCallsPerDay: 0, callingHours: { hours: { start: '' } } };
    const settings = new RuleSettings(rules, { callLog: 'dataTable' });
    readRulesAhead(settings, callTo(PHONE), true);
    expect(settings.mistakes.map(([parameter]) => parameter)).toEqual([
      ...['Max Calls per Day', 'Calling Hours'],
    ]);
  });

  it('let a call wait once only, unless it may wait again', async () => {
    const has = jest.fn(async () => await Promise.resolve(true));
    jest.spyOn(LoggedDuplicates, 'of').mockReturnValue({ has } as unknown as LoggedDuplicates);
    const scheduled = (isAgain: boolean) =>
      readRulesAhead(new RuleSettings({}), callTo(PHONE), isAgain);
    expect(await askedOf(scheduled(false))).toBe('duplicate');
    expect(await askedOf(scheduled(true))).toBeUndefined();
  });
});

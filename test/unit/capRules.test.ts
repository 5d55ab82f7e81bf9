import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import type { RowToPlace } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import {
  Admission,
  type Applicant,
  type Tally,
} from '../../nodes/OutboundAiCalling/rules/admission';
import { dailyCaps } from '../../nodes/OutboundAiCalling/rules/dailyCaps';
import type { Objection } from '../../nodes/OutboundAiCalling/rules/rule';
import { callTo, executionWithHints, RuleSettings } from './ruleSettings';

const PHONE = '+919812345678';
/** A Saturday, at noon by the clock of the workflow. */
const NOON = Date.parse('2026-11-21T06:30:00Z');
const LOG = { callLog: 'dataTable' };

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('the setting of daily caps', () => {
  const mistakesIn = (rules: IDataObject, others: IDataObject = LOG) => {
    const settings = new RuleSettings(rules, others);
    dailyCaps.read(settings, callTo(PHONE));
    return settings.mistakes;
  };

  it('is none when no cap is set', () => {
    expect(dailyCaps.read(new RuleSettings({}, LOG), callTo(PHONE))).toBeUndefined();
    expect(mistakesIn({}, {})).toEqual([]);
  });

  it.each([
    { maxCallsPerDay: 1 },
    { maxCallsPerPersonPerDay: 1 },
    { maxCostPerDay: 0.01 },
    { maxCallsPerDay: 200, maxCallsPerPersonPerDay: 2, maxCostPerDay: 50 },
  ])('may be %j', (rules) => expect(mistakesIn(rules)).toEqual([]));

  it.each([
    [{ maxCallsPerDay: 0 }, 'Max Calls per Day', 'is not a whole number of at least 1'],
    [{ maxCallsPerDay: 1.5 }, 'Max Calls per Day', 'is not a whole number of at least 1'],
    [
      { maxCallsPerPersonPerDay: 'many' },
      'Max Calls per Person per Day',
      'is not a whole number of at least 1',
    ],
    [{ maxCostPerDay: -1 }, 'Max Cost per Day', 'is not a number of at least 0'],
  ])('cannot be %j', (rules, cap, why) => {
    expect(mistakesIn(rules)).toEqual([[cap, why]]);
  });

  it('may cost something', () => {
    expect(mistakesIn({ maxCostPerDay: 0 })).toEqual([
      ['Max Cost per Day', 'is not a number above 0', 'Correct it, or remove it.'],
    ]);
  });

  it.each([
    ['maxCallsPerDay', 'Max Calls per Day'],
    ['maxCallsPerPersonPerDay', 'Max Calls per Person per Day'],
    ['maxCostPerDay', 'Max Cost per Day'],
  ])('needs a log: %s', (name, displayName) => {
    expect(mistakesIn({ [name]: 3 }, { callLog: 'none' })).toEqual([
      [
        displayName,
        'needs a call log: choose Data Table under Call Log',
        'Only the log tells who was called today.',
      ],
    ]);
  });
});

const NONE: Tally = { calls: 0, firstAt: Infinity, toPerson: 0, cost: 0, expectedCost: 0 };
/** An admission in which every applicant comes after the calls of a tally. */
function admissionAfter(tally: Partial<Tally>) {
  const asked: Applicant[] = [];
  const admission = {
    earlyObjection: jest.fn((applicant: Applicant) => {
      asked.push(applicant);
      return applicant.objectionTo({ ...NONE, ...tally });
    }),
    admit: jest.fn(
      async ({ applicant }: { applicant: Applicant }) =>
        await Promise.resolve(applicant.objectionTo({ ...NONE, ...tally })),
    ),
    giveBack: jest.fn(),
  };
  jest.spyOn(Admission, 'of').mockReturnValue(admission as unknown as Admission);
  return { ...admission, asked };
}

const open = async (rules: IDataObject, more: { workflow?: string; call?: object } = {}) => {
  const call = Object.assign(callTo(PHONE), more.call);
  const getWorkflow = () => ({ name: more.workflow });
  const execution = executionWithHints({ getWorkflow } as unknown as IExecuteFunctions);
  const opened = { ...execution, log: {} as CallLog };
  const rule = await dailyCaps.read(new RuleSettings(rules, LOG), call)?.(opened);
  if (rule === undefined) throw new Error('no rule');
  return { call, rule };
};
const objectionAfter = async (tally: Partial<Tally>, rules: IDataObject) => {
  admissionAfter(tally);
  return await (await open(rules)).rule.objection(false);
};

describe('a daily cap', () => {
  it.each<[IDataObject, Partial<Tally>, string | undefined]>([
    [{ maxCallsPerDay: 3 }, { calls: 2, toPerson: 2, cost: 99 }, undefined],
    [{ maxCallsPerDay: 3 }, { calls: 3 }, 'of 3 calls is reached'],
    [{ maxCallsPerDay: 1 }, { calls: 1 }, 'of 1 call is reached'],
    [{ maxCallsPerPersonPerDay: 2 }, { calls: 9, toPerson: 1 }, undefined],
    [{ maxCallsPerPersonPerDay: 2 }, { toPerson: 2 }, 'of 2 calls to one person is reached'],
    [{ maxCallsPerPersonPerDay: 1 }, { toPerson: 1 }, 'of 1 call to one person is reached'],
    [{ maxCostPerDay: 3 }, { calls: 9, cost: 2, expectedCost: 1 }, undefined],
    // The sum is 0.30000000000000004.
    [{ maxCostPerDay: 0.3 }, { cost: 0.1, expectedCost: 0.2 }, undefined],
    [{ maxCostPerDay: 3 }, { cost: 2, expectedCost: 1.01 }, 'of a cost of 3 is reached'],
    [
      { maxCostPerDay: 3 },
      { cost: 0, expectedCost: 3.14159 },
      'of a cost of 3 is lower than what one call costs, about 3.14: raise it',
    ],
    [
      { maxCostPerDay: 3 },
      { cost: 0, expectedCost: undefined },
      'of a cost of 3 cannot be kept: calls have ended, and none has a cost that can be read',
    ],
  ])('%j after %j', async (rules, tally, limit) => {
    const objection = await objectionAfter(tally, rules);
    expect(objection?.words).toBe(limit === undefined ? undefined : `the daily cap ${limit}`);
    expect(objection?.reason).toBe(limit === undefined ? undefined : 'dailyCap');
  });
});

describe('a call that a daily cap has stopped is allowed again', () => {
  const CALLS = { maxCallsPerDay: 1 };
  const at = (time: string) => Date.parse(`2026-11-21T${time}+05:30`);

  it.each<[string, string, IDataObject, Partial<Tally>, string]>([
    [
      'from nine when the first call was earlier',
      '12:00',
      CALLS,
      { firstAt: at('08:00') },
      '09:00',
    ],
    ['when the first call rang', '12:00', CALLS, { firstAt: at('10:15') }, '10:15'],
    ['from nine when that is later', '08:30', CALLS, { firstAt: at('07:00') }, '09:00'],
    ['from nine when it is night and nobody was called', '02:00', CALLS, {}, '09:00'],
    ['at this time when there is no first call', '12:00', CALLS, {}, '12:00'],
    [
      'at this time when the person was called',
      '12:00',
      { maxCallsPerPersonPerDay: 1 },
      { toPerson: 1, firstAt: at('10:15') },
      '12:00',
    ],
  ])('%s, of the next day', async (_, now, rules, tally, expected) => {
    jest.setSystemTime(at(now));
    const objection = await objectionAfter({ calls: 1, ...tally }, rules);
    expect(objection).toMatchObject({ timezone: 'Asia/Kolkata' });
    expect(objection?.nextAllowedAt).toBe(Date.parse(`2026-11-22T${expected}:00+05:30`));
  });

  it('from nine when a person was called at night', async () => {
    jest.setSystemTime(at('02:00'));
    const objection = await objectionAfter({ toPerson: 1 }, { maxCallsPerPersonPerDay: 1 });
    expect(objection?.nextAllowedAt).toBe(Date.parse('2026-11-22T09:00:00+05:30'));
  });

  it.each([
    ['before a call', { cost: 0, expectedCost: 4 }, true],
    ['after some', { cost: 2, expectedCost: 4 }, true],
    ['but not when the next day has a place', { cost: 2, expectedCost: 3 }, false],
  ])('on no day when one call costs more than a day may, %s', async (_, tally, isForever) => {
    const objection = await objectionAfter(tally, { maxCostPerDay: 3 });
    expect(objection?.reason).toBe('dailyCap');
    expect(objection?.nextAllowedAt === undefined).toBe(isForever);
    expect(objection?.words?.includes('lower than what one call costs')).toBe(isForever);
  });

  it.each<[string, IDataObject, string, string]>([
    ['calling hours', {}, 'Asia/Kolkata', '2026-11-23T09:00:00+05:30'],
    [
      'calling hours of another time zone',
      { timezone: 'America/New_York', days: 'sat,sun' },
      'America/New_York',
      // Those of Saturday, which is not over, belong to the day of the cap.
      '2026-11-22T09:00:00-05:00',
    ],
    [
      'calling hours of the customer, on the first day of the workflow',
      { timezone: 'UTC', customersTimezone: true },
      'Asia/Calcutta',
      '2026-11-23T09:00:00+05:30',
    ],
  ])('within the %s', async (_, hours, timezone, expected) => {
    const objection = await objectionAfter({ calls: 1 }, { ...CALLS, callingHours: { hours } });
    expect(objection).toMatchObject({ timezone, nextAllowedAt: Date.parse(expected) });
  });

  it('on the next day of its person, by the clock of the customer', async () => {
    const hours = { timezone: 'America/New_York', customersTimezone: true, days: 'sat,sun' };
    const rules = { maxCallsPerPersonPerDay: 1, callingHours: { hours } };
    const objection = await objectionAfter({ toPerson: 1 }, rules);
    const nextAllowedAt = Date.parse('2026-11-22T09:00:00+05:30');
    expect(objection).toMatchObject({ timezone: 'Asia/Calcutta', nextAllowedAt });
  });

  it('on the next morning, if the hours allow no call soon', async () => {
    jest.setSystemTime(Date.parse('2026-03-23T12:00:00Z'));
    const hours = { start: '02:15', end: '02:45', days: 'sun', timezone: 'Europe/Berlin' };
    const objection = await objectionAfter({ calls: 1 }, { ...CALLS, callingHours: { hours } });
    expect(objection?.nextAllowedAt).toBe(Date.parse('2026-03-24T09:00:00+01:00'));
  });
});

describe('the rule of daily caps', () => {
  const CAPS = { maxCallsPerDay: 1 };
  const row = {} as RowToPlace;

  it('asks for a place of its own day, and for costs only when these are capped', async () => {
    const { asked } = admissionAfter({});
    await (await open(CAPS)).rule.objection(false);
    await (await open({ maxCostPerDay: 5 })).rule.objection(false);
    const hours = { timezone: 'America/New_York' };
    await (await open({ ...CAPS, callingHours: { hours } })).rule.objection(false);
    const ofCustomer = { hours: { ...hours, customersTimezone: true } };
    await (await open({ ...CAPS, callingHours: ofCustomer })).rule.objection(false);
    expect(asked.map(({ phone, isCostAsked }) => [phone, isCostAsked])).toEqual([
      ...[false, true, false, false].map((isCostAsked) => [PHONE, isCostAsked]),
    ]);
    const [inKolkata, inNewYork] = ['2026-11-21T00:00+05:30', '2026-11-21T00:00-05:00'].map(
      Date.parse,
    );
    expect(asked.map((one) => one.dayStarts())).toEqual([
      { own: inKolkata, ofPerson: inKolkata },
      { own: inKolkata, ofPerson: inKolkata },
      { own: inNewYork, ofPerson: inNewYork },
      { own: inNewYork, ofPerson: inKolkata },
    ]);
  });

  it('is admitted once, and gives its place back once', async () => {
    const { admit, earlyObjection, giveBack } = admissionAfter({});
    const { rule, call } = await open(CAPS, { workflow: 'Orders', call: { row } });
    expect(call.isCounted).toBe(true);
    await rule.giveBack?.();
    expect(giveBack).not.toHaveBeenCalled();
    expect(await rule.admit?.()).toBeUndefined();
    expect(await rule.admit?.()).toBeUndefined();
    expect(admit).toHaveBeenCalledTimes(1);
    expect(admit).toHaveBeenCalledWith(expect.objectContaining({ row, workflow: 'Orders' }));
    // Its own call must not count against it.
    expect(await rule.objection(false)).toBeUndefined();
    expect(earlyObjection).not.toHaveBeenCalled();
    await rule.giveBack?.();
    await rule.giveBack?.();
    expect(giveBack).toHaveBeenCalledTimes(1);
    expect(giveBack).toHaveBeenCalledWith(row);
    await rule.objection(false);
    expect(earlyObjection).toHaveBeenCalledTimes(1);
  });

  it('that is refused a place has none to give back, and may ask again', async () => {
    const { admit, giveBack } = admissionAfter({ calls: 1 });
    const { rule } = await open(CAPS, { call: { row } });
    expect(await rule.admit?.()).toMatchObject({ reason: 'dailyCap' });
    await rule.giveBack?.();
    expect(giveBack).not.toHaveBeenCalled();
    await rule.admit?.();
    expect(admit).toHaveBeenCalledTimes(2);
    expect(admit).toHaveBeenCalledWith(expect.objectContaining({ workflow: '' }));
  });

  it('takes no place for a call without a row, or without a log', async () => {
    const { admit } = admissionAfter({});
    const withoutLog = executionWithHints({ getWorkflow: () => ({}) } as never);
    const call = Object.assign(callTo(PHONE), { row });
    const rule = await dailyCaps.read(new RuleSettings(CAPS, LOG), call)?.(withoutLog);
    expect([await rule?.admit?.(), await rule?.objection(false)]).toEqual([undefined, undefined]);
    expect(await (await open(CAPS)).rule.admit?.()).toBeUndefined();
    expect(admit).not.toHaveBeenCalled();
  });

  it.each([
    [1, 1],
    [2, 5],
  ])('with %i requests at a time decides %i calls at once', async (concurrency, most) => {
    const execution = { ...executionWithHints({ getWorkflow: () => ({}) } as never), concurrency };
    let running = 0;
    let highest = 0;
    const decide = async () => {
      highest = Math.max(highest, ++running);
      await new Promise((done) => setTimeout(done, 10));
      running--;
    };
    const calls = Array.from({ length: 20 }, async () => {
      const rule = await dailyCaps.read(new RuleSettings(CAPS, LOG), callTo(PHONE))?.(execution);
      await rule?.inTurn?.(decide);
    });
    await jest.advanceTimersByTimeAsync(1_000);
    await Promise.all(calls);
    expect(highest).toBe(most);
  });
});

describe('a dry run before there is a log', () => {
  const objectionsOf = async (rules: IDataObject, phones: string[]) => {
    const execution = executionWithHints({ getWorkflow: () => ({}) } as never);
    const objections: Array<Objection | undefined> = [];
    for (const phone of phones) {
      const rule = await dailyCaps.read(new RuleSettings(rules, LOG), callTo(phone))?.(execution);
      objections.push(await rule?.objection(true));
    }
    return objections.map((objection) => objection?.words);
  };
  const phones = ['+919812345678', '+919812345679', '+919812345678'];

  it('counts its own calls, and those to each person', async () => {
    expect(await objectionsOf({ maxCallsPerDay: 2 }, phones)).toEqual([
      ...[undefined, undefined, 'the daily cap of 2 calls is reached'],
    ]);
    expect(await objectionsOf({ maxCallsPerPersonPerDay: 1 }, phones)).toEqual([
      ...[undefined, undefined, 'the daily cap of 1 call to one person is reached'],
    ]);
  });

  it('expects no costs, which nobody knows yet', async () => {
    expect(await objectionsOf({ maxCostPerDay: 0.01 }, phones)).toEqual([
      ...[undefined, undefined, undefined],
    ]);
  });
});

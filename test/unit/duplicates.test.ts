import type { IDataObject } from 'n8n-workflow';
import { DuplicateKeys } from '../../nodes/OutboundAiCalling/rules/duplicateKeys';
import {
  duplicates,
  readDuplicates,
  scheduledOnce,
} from '../../nodes/OutboundAiCalling/rules/duplicates';
import { LoggedDuplicates } from '../../nodes/OutboundAiCalling/rules/loggedDuplicates';
import type { DuplicateSetting, RuledCall } from '../../nodes/OutboundAiCalling/rules/rule';
import { callTo, executionWithHints, RuleSettings } from './ruleSettings';

const USUAL = 'A-1 +12025550100';
const DUPLICATE = { reason: 'duplicate' };
const readIn = (rules: IDataObject, isExpression = true) => {
  const settings = new RuleSettings(rules);
  settings.isExpression = (path) => path === 'rules.duplicateKey' && isExpression;
  settings.dependsOnItem = settings.isExpression;
  return { setting: readDuplicates(settings, USUAL), mistakes: settings.mistakes };
};

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('the setting of duplicates', () => {
  it.each<[IDataObject, DuplicateSetting]>([
    [{}, { key: USUAL, isUsual: true, isPrevented: false }],
    [{ preventDuplicates: true }, { key: USUAL, isUsual: true, isPrevented: true }],
    [{ preventDuplicates: false }, { key: USUAL, isUsual: true, isPrevented: false }],
    [{ duplicateKey: ' A-7 ' }, { key: 'A-7', isUsual: false, isPrevented: true }],
    [
      { duplicateKey: 'A-7', preventDuplicates: true },
      { key: 'A-7', isUsual: false, isPrevented: true },
    ],
    [
      { duplicateKey: 'A-7', preventDuplicates: false },
      { key: USUAL, isUsual: true, isPrevented: false },
    ],
    [{ duplicateKey: 7 }, { key: '7', isUsual: false, isPrevented: true }],
    [{ duplicateKey: ['A', ''] }, { key: '["A",""]', isUsual: false, isPrevented: true }],
  ])('%j is read', (rules, setting) => {
    expect(readIn(rules)).toEqual({ setting, mistakes: [] });
  });

  it.each<unknown>([
    ...['', ' ', '-', ' -- ', '\u2014', 'null', 'NaN', 'N/A', ' n/a ', 'None', '(null)', '\\N'],
    ...[null, NaN, true, false, [], [''], { order: null }, [{ order: ' ' }]],
    new Date(NaN),
  ])('a key %j tells no orders apart', (duplicateKey) => {
    const why = 'is empty: its expression gives nothing that tells orders apart';
    expect(readIn({ duplicateKey } as IDataObject).mistakes[0]?.slice(0, 2)).toEqual([
      ...['Duplicate Key', why],
    ]);
    const [first] = readIn({ duplicateKey } as IDataObject, false).mistakes;
    expect(first?.slice(0, 2)).toEqual(['Duplicate Key', 'is empty']);
  });

  it.each<unknown>([
    ...[
      '0',
      'A-',
      'nullable',
      'nothing',
      'a nan',
      'None such',
      'N',
      '(7)',
      'not n/a',
      'n/a 5',
      '-5',
      0,
    ],
    ...[['', 'A'], { order: 0 }, new Date(0)],
  ])('a key %j may', (duplicateKey) => {
    expect(readIn({ duplicateKey } as IDataObject).mistakes).toEqual([]);
  });

  it.each([
    ...["'1001", '#1001', '1001.0', '000001001', 'Order #1001'].map((key) => [key, '1001']),
    ...[
      ['#1001b', '1001b'],
      ['A-1', 'A-1'],
      ['a-1', 'a-1'],
    ],
  ])('a key %j is compared as %j', (duplicateKey, key) => {
    expect(readIn({ duplicateKey }).setting.key).toBe(key);
  });

  it('with a key that no expression gives is refused, because it is that of every order', () => {
    expect(readIn({ duplicateKey: 'A-7' }, false).mistakes).toEqual([
      [
        'Duplicate Key',
        'is the same for every order',
        'All items with the same key count as one order, in later executions too. Give a key by an expression, e.g. {{ $json.orderNumber }}, or replace it by Prevent Duplicates, which uses the order number and the phone number.',
      ],
    ]);
  });

  it('with a key whose expression uses no data of the order is refused', () => {
    const settings = new RuleSettings({ duplicateKey: '2027-03-10' });
    settings.dependsOnItem = () => false;
    readDuplicates(settings, USUAL);
    expect(settings.mistakes[0]?.slice(0, 2)).toEqual([
      ...['Duplicate Key', 'is the same for every order: its expression uses no data of the order'],
    ]);
  });

  it('that is neither on nor off is refused', () => {
    expect(readIn({ preventDuplicates: 'maybe' }).mistakes[0]?.slice(0, 2)).toEqual([
      ...['Prevent Duplicates', 'is neither true nor false'],
    ]);
  });

  it('with a key of unsound text is refused', () => {
    expect(readIn({ duplicateKey: 'order [object Object]' }).mistakes).toEqual([
      ['Duplicate Key', expect.stringContaining('[object Object]')],
    ]);
  });
});

/** A call with a key, as the rule knows it. */
const keyedCall = (key: string, phone: string, more: Partial<RuledCall> = {}): RuledCall => ({
  ...callTo(phone),
  duplicates: { key, isUsual: false, isPrevented: true },
  ...more,
});

/** Remembers keys as n8n does. */
function executionWithKeys() {
  const keys = new Set<unknown>();
  const helpers = {
    checkProcessedAndRecord: async (asked: unknown[]) => {
      const fresh = asked.filter((key) => !keys.has(key));
      for (const key of fresh) keys.add(key);
      return await Promise.resolve({ new: fresh, processed: [] });
    },
    removeProcessed: async (asked: unknown[]) => {
      for (const key of asked) keys.delete(key);
      await Promise.resolve();
    },
  };
  return { keys, execution: executionWithHints({ helpers } as object) };
}
type Opened = ReturnType<typeof executionWithKeys>['execution'];

const open = async (call: RuledCall, execution: Opened) => {
  const rule = await duplicates.read(new RuleSettings({}), call)?.(execution);
  if (rule === undefined) throw new Error('no rule');
  return rule;
};
async function inTime<T>(work: Promise<T> | undefined): Promise<T | undefined> {
  await jest.advanceTimersByTimeAsync(1_000);
  return await work;
}

describe('the rule against duplicates', () => {
  it('is none for a call whose duplicates are allowed, and for a test call', () => {
    const allowed = { key: 'A', isUsual: true, isPrevented: false };
    for (const call of [callTo('+12025550100'), { ...callTo('+1'), duplicates: allowed }]) {
      expect(duplicates.read(new RuleSettings({}), call)).toBeUndefined();
    }
  });

  it('lets one call of a key through, until its claim is given back', async () => {
    const { execution, keys } = executionWithKeys();
    const one = await open(keyedCall('A', '+12025550100'), execution);
    const other = await open(keyedCall('A', '+12025550100'), execution);
    expect(await inTime(one.objection(false))).toBeUndefined();
    expect(await inTime(other.objection(false))).toEqual(DUPLICATE);
    // Asked again, it still has its claim.
    expect(await inTime(one.objection(false))).toBeUndefined();
    await inTime(other.giveBack?.());
    expect([...keys]).toEqual(['A']);
    await inTime(one.giveBack?.());
    expect([...keys]).toEqual([]);
    expect(await inTime(other.objection(false))).toBeUndefined();
    // What was given back once is not its own any more.
    await inTime(one.giveBack?.());
    expect([...keys]).toEqual(['A']);
  });

  it('claims in memory for a dry run, until that is given back', async () => {
    const { execution, keys } = executionWithKeys();
    const one = await open(keyedCall('A', '+12025550100'), execution);
    const other = await open(keyedCall('A', '+12025550100'), execution);
    expect(await inTime(one.objection(true))).toBeUndefined();
    expect(await inTime(one.objection(true))).toBeUndefined();
    expect(await inTime(other.objection(true))).toEqual(DUPLICATE);
    await inTime(other.giveBack?.());
    expect(await inTime(other.objection(true))).toEqual(DUPLICATE);
    await inTime(one.giveBack?.());
    expect(await inTime(other.objection(true))).toBeUndefined();
    await inTime(one.giveBack?.());
    const third = await open(keyedCall('A', '+12025550100'), execution);
    expect(await inTime(third.objection(true))).toEqual(DUPLICATE);
    expect([...keys]).toEqual([]);
  });

  const rowThat = (isMarked: boolean) => ({ isMarked }) as RuledCall['row'];
  it.each<[string, Partial<RuledCall>, boolean, string[]]>([
    ['waits until its row is marked', { row: rowThat(false) }, false, []],
    ['claims once its row is marked', { row: rowThat(true) }, false, ['A']],
    [
      'claims before when the call is counted',
      { row: rowThat(false), isCounted: true },
      false,
      ['A'],
    ],
    ['claims without a row', {}, false, ['A']],
  ])('%s', async (_, more, isDryRun, claimed) => {
    const { execution, keys } = executionWithKeys();
    const rule = await open(keyedCall('A', '+12025550100', more), execution);
    expect(await inTime(rule.objection(isDryRun))).toBeUndefined();
    expect([...keys]).toEqual(claimed);
  });

  it('tries a key in a dry run although the row is not marked', async () => {
    const { execution, keys } = executionWithKeys();
    keys.add('A');
    const rule = await open(keyedCall('A', '+12025550100', { row: rowThat(false) }), execution);
    expect(await inTime(rule.objection(true))).toEqual(DUPLICATE);
  });

  it('decides calls of one key in turn', async () => {
    const { execution } = executionWithKeys();
    const inTurn = jest.spyOn(DuplicateKeys.prototype, 'inTurn');
    const rule = await open(keyedCall('A', '+12025550100'), execution);
    expect(await inTime(rule.inTurn?.(async () => await Promise.resolve('decided')))).toBe(
      'decided',
    );
    expect(inTurn).toHaveBeenCalledWith('A', expect.any(Function));
  });

  it('objects first to a call that the log has, and claims nothing for it', async () => {
    const { execution, keys } = executionWithKeys();
    const logged = { isClaimed: true, isPending: false, contenders: [] };
    const has = jest.fn(
      async (_call: RuledCall, claims: (like: never) => boolean) =>
        await Promise.resolve(claims(logged as never)),
    );
    const lastSaid = async () => await Promise.resolve(undefined);
    const fake = { has, lastSaid } as unknown as LoggedDuplicates;
    jest.spyOn(LoggedDuplicates, 'of').mockReturnValue(fake);
    const call = keyedCall('A', '+12025550100');
    const rule = await open(call, execution);
    expect(await inTime(rule.objection(false))).toEqual(DUPLICATE);
    expect([...keys]).toEqual([]);
    logged.isClaimed = false;
    expect(await inTime(rule.objection(false))).toBeUndefined();
  });
});

describe('the hint that several people have one key', () => {
  const hintsOf = async (calls: RuledCall[]) => {
    const { execution } = executionWithKeys();
    for (const call of calls) await open(call, execution);
    return execution.hints;
  };

  it('comes once, and names the key', async () => {
    const calls = [1, 2, 3].map((last) => keyedCall('A', `+1202555010${last}`));
    expect(await hintsOf(calls)).toEqual([
      'warning: Several phone numbers have the Duplicate Key "A", so only one of them is called. If they are several orders, mend the expression of Duplicate Key.',
    ]);
  });

  it('does not come for one person, for several keys, or for the usual key', async () => {
    const usual = { key: 'A', isUsual: true, isPrevented: true };
    expect(
      await hintsOf([
        ...[keyedCall('A', '+12025550101'), keyedCall('A', '+12025550101')],
        keyedCall('B', '+12025550102'),
        ...['3', '4'].map((last) => ({ ...callTo(`+1202555010${last}`), duplicates: usual })),
      ]),
    ).toEqual([]);
  });
});

describe('a call that may be scheduled although it is a duplicate', () => {
  it.each([
    ['it waits or rings already', { isClaimed: false, isPending: true }, DUPLICATE],
    ['another of its kind has ended', { isClaimed: true, isPending: false }, undefined],
  ])('when %s', async (_, like, objection) => {
    const has = jest.fn(
      async (_call: RuledCall, claims: (one: never) => boolean) =>
        await Promise.resolve(claims(like as never)),
    );
    jest.spyOn(LoggedDuplicates, 'of').mockReturnValue({ has } as unknown as LoggedDuplicates);
    const rule = await scheduledOnce(callTo('+12025550100'))(executionWithHints());
    expect(await rule.objection(false)).toEqual(objection);
  });

  it('is allowed without a log', async () => {
    const rule = await scheduledOnce(callTo('+12025550100'))(executionWithHints());
    expect(await rule.objection(false)).toBeUndefined();
  });
});

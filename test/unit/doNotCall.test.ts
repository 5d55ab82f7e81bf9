import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { doNotCall, readDoNotCallTable } from '../../nodes/OutboundAiCalling/rules/doNotCall';
import { DoNotCallLists } from '../../nodes/OutboundAiCalling/rules/doNotCallLists';
import { callTo, executionWithHints, RuleSettings } from './ruleSettings';

const PHONE = '+12025550100';
const TABLE = { mode: 'name', value: 'No' };

const mistakesIn = (rules: IDataObject, others: IDataObject = {}) => {
  const settings = new RuleSettings(rules, others);
  doNotCall.read(settings, callTo(PHONE));
  return settings.mistakes;
};

describe('the table of the do-not-call rule', () => {
  it('is read with the country of its national numbers', () => {
    const read = (options: IDataObject) =>
      readDoNotCallTable(new RuleSettings({ doNotCallTable: TABLE }, { options }));
    expect(read({ defaultCountry: ' us ' })).toEqual({ locator: TABLE, defaultCountry: 'US' });
    for (const options of [{}, { defaultCountry: 'XY' }, { defaultCountry: '' }]) {
      expect(read(options)).toEqual({ locator: TABLE, defaultCountry: undefined });
    }
  });

  it('is not needed without the rule', () => {
    expect(readDoNotCallTable(new RuleSettings({}))).toBeUndefined();
    expect(doNotCall.read(new RuleSettings({}), callTo(PHONE))).toBeUndefined();
    expect(mistakesIn({})).toEqual([]);
  });

  it.each([
    [{ mode: 'name', value: ' ' }, 'is empty'],
    ['', 'is empty'],
    [null, 'is empty'],
    [{ mode: 'name', value: { id: 1 } }, 'names no data table'],
    ['No', 'names no data table'],
  ])('%j is refused, because it would protect nobody', (doNotCallTable, why) => {
    const settings = new RuleSettings({ doNotCallTable });
    expect(doNotCall.read(settings, callTo(PHONE))).toBeUndefined();
    expect(settings.mistakes).toEqual([
      [
        'Do-Not-Call List',
        why,
        'Choose a data table under "Do-Not-Call List", or remove the rule.',
      ],
    ]);
  });
});

describe('the outcomes after which a person is put on the list', () => {
  const rules = { doNotCallTable: TABLE, doNotCallOutcomes: 'do_not_call' };

  it.each([{ callLog: 'dataTable' }, { operation: 'triggerAndWait' }])(
    'are learned by %j',
    (others) => {
      expect(mistakesIn(rules, others)).toEqual([]);
    },
  );

  it.each<[string, IDataObject, IDataObject, string[]]>([
    [
      'nobody learns how the call ends',
      rules,
      { callLog: 'none', operation: 'trigger' },
      ['need a call log, or Call Customer and Wait', 'Only these learn how the call has ended.'],
    ],
    [
      'there is no list',
      { doNotCallOutcomes: 'do_not_call' },
      { callLog: 'dataTable' },
      ['need the rule Do-Not-Call List', 'People are added to the table of this rule.'],
    ],
    [
      'there are none',
      { ...rules, doNotCallOutcomes: ' , ' },
      { callLog: 'dataTable' },
      ['are empty', 'Enter outcomes, or remove the rule.'],
    ],
    [
      'they are no list',
      { ...rules, doNotCallOutcomes: { key: 'do_not_call' } },
      { callLog: 'dataTable' },
      ['are empty', 'Enter outcomes, or remove the rule.'],
    ],
  ])('are refused when %s', (_, set, others, mistake) => {
    expect(mistakesIn(set, others)).toEqual([['Do-Not-Call Outcomes', ...mistake]]);
  });
});

describe('the do-not-call rule of a call', () => {
  const reasonFor = jest.spyOn(DoNotCallLists.prototype, 'reasonFor');
  afterEach(() => void reasonFor.mockReset());
  afterAll(() => void reasonFor.mockRestore());

  const openFor = async (phone = PHONE) =>
    await doNotCall.read(
      new RuleSettings({ doNotCallTable: TABLE }),
      callTo(phone),
    )?.(executionWithHints({} as IExecuteFunctions));

  it.each([
    ['Asked for it', { reason: 'doNotCall' }],
    // The row of the list gives no reason.
    ['', { reason: 'doNotCall' }],
    [undefined, undefined],
  ])('objects to who is listed, also without a reason: %j', async (reason, objection) => {
    reasonFor.mockResolvedValue(reason);
    expect(await (await openFor())?.objection(false)).toEqual(objection);
    const setting = { locator: TABLE, defaultCountry: undefined };
    expect(reasonFor).toHaveBeenCalledWith(setting, PHONE);
  });

  it('does not call a person who was listed when the execution began, or since', async () => {
    reasonFor.mockResolvedValue(undefined);
    const rule = await openFor();
    reasonFor.mockResolvedValueOnce('Asked for it');
    expect(await rule?.objection(false)).toEqual({ reason: 'doNotCall' });
    expect(await rule?.objection(false)).toEqual({ reason: 'doNotCall' });
  });

  it('cannot be opened while its list cannot be read: nobody is called', async () => {
    reasonFor.mockRejectedValue(new Error('n8n is away'));
    await expect(openFor()).rejects.toThrow('n8n is away');
  });
});

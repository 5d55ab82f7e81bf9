import type { IDataObject } from 'n8n-workflow';
import { StoredParameters } from '../../nodes/OutboundAiCalling/rules/storedParameters';

const stored = (rules: IDataObject, isDue = true, defaultCountry?: string) =>
  new StoredParameters(
    rules,
    { timezone: 'Asia/Kolkata', ...(defaultCountry === undefined ? {} : { defaultCountry }) },
    () => undefined,
    { isDue },
  );

describe('the rules stored with a scheduled call', () => {
  it('are read where the panel has them', () => {
    const rules = { callingHours: { hours: { start: '09:00' } }, maxCallsPerDay: 0 };
    const parameters = stored(rules, true, 'US');
    expect(parameters.value('rules.callingHours.hours.start')).toBe('09:00');
    expect(parameters.value('rules.callingHours.hours.start.minute')).toBeUndefined();
    expect(parameters.value('options.defaultCountry')).toBe('US');
    expect(parameters.has('rules.maxCallsPerDay')).toBe(true);
    expect(parameters.has('rules.maxCostPerDay')).toBe(false);
    expect(stored({}).has('options.defaultCountry')).toBe(false);
  });

  it('belong to a call in a log, by the clock of its workflow, that nobody tries out', () => {
    expect(stored({}).value('callLog')).toBe('dataTable');
    expect(stored({})).toMatchObject({ isManual: false, workflowTimezone: 'Asia/Kolkata' });
    expect([stored({}, true).isDue, stored({}, false).isDue]).toEqual([true, false]);
  });
});

import type { IDataObject } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import { execute } from './engine';

let service: CallingService;
beforeEach(async () => {
  service = await startCallingService();
});
afterEach(async () => await service.close());

async function refusalOf(rules: IDataObject, more: IDataObject = { callLog: 'dataTable' }) {
  const { error } = await execute({
    parameters: {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '={{ "+12025550123" }}',
      callLogTable: { __rl: true, mode: 'name', value: 'Calls' },
      rules,
      ...more,
    },
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
  });
  expect(service.seen.received).toEqual([]);
  return error?.message;
}

const CAPS = [
  ['maxCallsPerDay', 'Max Calls per Day'],
  ['maxCallsPerPersonPerDay', 'Max Calls per Person per Day'],
  ['maxCostPerDay', 'Max Cost per Day'],
] as const;

describe('caps for a day', () => {
  it.each(CAPS)('%s needs a call log, told before anything is sent', async (name, displayName) => {
    expect(await refusalOf({ [name]: 5 }, { callLog: 'none' })).toBe(
      `Nobody was called. ${displayName} needs a call log: choose Data Table under Call Log`,
    );
  });

  it.each(
    CAPS.flatMap(([name, displayName]) =>
      [-1, 0, '', 'many', null, NaN, '={{ undefined }}', '={{ Infinity }}', true, [], {}].map(
        (value) => [name, value, displayName] as const,
      ),
    ),
  )('%s does not take %j', async (name, value, displayName) => {
    const rules = { [name]: value } as IDataObject;
    expect(await refusalOf(rules)).toMatch(
      new RegExp(`^Nobody was called.*${displayName} is not `),
    );
  });

  it.each(['maxCallsPerDay', 'maxCallsPerPersonPerDay'])('%s is a whole number', async (name) => {
    expect(await refusalOf({ [name]: 1.5 })).toContain('is not a whole number of at least 1');
  });

  it.each([
    [{ maxCallsPerDay: '={{ "200" }}' }],
    [{ maxCallsPerPersonPerDay: 1 }],
    [{ maxCostPerDay: 0.01 }],
    [{ maxCostPerDay: '12.5' }],
  ])('%j is read: only the log is not there', async (rules) => {
    expect(await refusalOf(rules)).toContain('The credential has no n8n API key');
  });
});

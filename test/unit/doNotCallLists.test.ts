import type { IExecuteFunctions } from 'n8n-workflow';
import { DoNotCallList } from '../../nodes/OutboundAiCalling/rules/doNotCallList';
import { DoNotCallLists } from '../../nodes/OutboundAiCalling/rules/doNotCallLists';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const SETTING = { locator: { mode: 'name', value: 'No' }, defaultCountry: undefined };

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('the do-not-call list of an execution', () => {
  it('is read once for calls prepared together, and anew after a minute or a failure', async () => {
    const hints: string[] = [];
    const list = { length: 0, isExact: true, hints: () => ['1 row cannot be read'] };
    const reading = jest
      .spyOn(DoNotCallList, 'read')
      .mockResolvedValue(list as unknown as DoNotCallList);
    const columns = [{ name: 'phone', type: 'string' }];
    const body = { data: [{ id: 'list', name: 'No', columns }] };
    const answer = async () => await Promise.resolve({ statusCode: 200, headers: {}, body });
    const lists = new DoNotCallLists({
      getCredentials: async () => await Promise.resolve({ n8nApiKey: 'key' }),
      getInstanceBaseUrl: () => 'http://localhost:5678',
      addExecutionHints: ({ message }: { message: string }) => hints.push(message),
      helpers: { httpRequestWithAuthentication: answer },
    } as unknown as IExecuteFunctions);
    await Promise.all([lists.exact(SETTING), lists.exact(SETTING)]);
    expect(reading).toHaveBeenCalledTimes(1);
    jest.setSystemTime(NOON + 61_000);
    await lists.exact(SETTING);
    expect(reading).toHaveBeenCalledTimes(2);
    expect(hints).toHaveLength(1);
    jest.setSystemTime(NOON + 122_000);
    reading.mockRejectedValueOnce(new Error('n8n is busy'));
    await expect(lists.exact(SETTING)).rejects.toThrow('n8n is busy');
    await lists.exact(SETTING);
    expect(reading).toHaveBeenCalledTimes(4);
  });
});

import type { IDataObject } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import { keyExpiringAt } from '../n8nKeys';
import { execute, jsonOf } from './engine';
import { hintsOf } from './hints';

const DAY_MS = 86_400_000;

let service: CallingService;
beforeAll(async () => {
  service = await startCallingService();
});
afterAll(async () => await service.close());

const hintsWith = async (parameters: IDataObject, days: number) => {
  const n8nApiKey = keyExpiringAt(Date.now() + days * DAY_MS);
  const credential = { baseUrl: service.baseUrl, apiKey: 'test-key', n8nApiKey };
  const execution = await execute({ parameters, credential, items: [{ json: {} }, { json: {} }] });
  jsonOf(execution);
  expect(JSON.stringify(execution.run)).not.toContain(n8nApiKey);
  return hintsOf(execution).filter((hint) => hint.includes('n8n API key'));
};

describe('an n8n API key that expires', () => {
  it.each<[string, IDataObject]>([
    [
      'calls',
      { resource: 'call', operation: 'trigger', scriptId: 7, customerPhone: '+12025550101' },
    ],
    [
      'campaigns',
      {
        resource: 'campaign',
        operation: 'create',
        scriptId: 7,
        contactsSource: 'json',
        contactsJson: '[{"phone":"+12025550101"}]',
      },
    ],
  ])('is told with executions of %s, once each, from seven days before', async (_, parameters) => {
    expect(await hintsWith(parameters, 8)).toEqual([]);
    expect(await hintsWith(parameters, 6)).toEqual([
      expect.stringMatching(
        /^The n8n API key of the credential expires on \d{4}-\d\d-\d\d.* Settings > n8n API/,
      ),
    ]);
  });
});

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import { execute, jsonOf } from './engine';

let service: CallingService;
beforeAll(async () => {
  service = await startCallingService({ answerDelayMs: 20 });
});
afterAll(async () => await service.close());

afterEach(() => service.reset());

async function refusedOnce(operation: string) {
  service.faults.add({ kind: 'status', status: 400, route: 'controlCampaign' });
  return await execute({
    parameters: { resource: 'campaign', operation, campaignId: '={{ $json.id }}' },
    items: Array.from({ length: 30 }, (_, index) => ({ json: { id: 900_001 + index } })),
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
  });
}

it.each(['pause', 'stop'])(
  'asks to %s all campaigns, also after one was refused',
  async (operation) => {
    const { error } = await refusedOnce(operation);
    expect(error?.message).toMatch(/^The campaigns may still be calling people/);
    expect(service.seen.received).toHaveLength(30);
  },
);

it('starts no further campaign after one was refused', async () => {
  const { error } = await refusedOnce('start');
  expect(error?.message).toMatch(/^Nobody was called/);
  expect(service.seen.received).toHaveLength(10); // so many were under way
});

it('resumes the others when one has called everybody', async () => {
  const run = async (parameters: IDataObject, items: INodeExecutionData[]) =>
    jsonOf(
      await execute({
        parameters: { resource: 'campaign', ...parameters },
        items,
        credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
      }),
    );
  const control = { campaignId: '={{ $json.campaignId }}' };
  const create = {
    ...{ operation: 'create', scriptId: 7, contactsSource: 'inputItems', startImmediately: true },
    ...{ contactPhone: '={{ $json.phone }}', options: { contactsPerCampaign: 1 } },
  };
  const phones = Array.from({ length: 3 }, (_, index) => ({
    json: { phone: `+1202555100${index}` },
  }));
  const created = (await run(create, phones)).map((json) => ({ json }));
  await run({ ...control, operation: 'pause' }, created);
  const body = { success: false, message: 'Cannot resume a campaign in state completed' };
  service.faults.add({ kind: 'status', status: 400, body, route: 'controlCampaign', times: 1 });
  const resumed = await run({ ...control, operation: 'resume' }, created);
  expect(resumed.map(({ state }) => state)).toEqual(['completed', 'running', 'running']);
  expect(resumed[0]?.message).toBe('The campaign has ended (completed): nobody else is called.');
});

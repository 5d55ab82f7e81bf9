import { startCallingService, type CallingService } from '../service';
import { execute } from './engine';

let service: CallingService;
beforeAll(async () => {
  service = await startCallingService({ answerDelayMs: 20 });
});
afterAll(async () => await service.close());

it('starts no further campaign after one was refused', async () => {
  service.faults.add({ kind: 'status', status: 400, route: 'controlCampaign' });
  const { error } = await execute({
    parameters: {
      resource: 'campaign',
      operation: 'start',
      campaignId: '={{ $json.id }}',
    },
    items: Array.from({ length: 30 }, (_, index) => ({ json: { id: 900_001 + index } })),
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
  });
  expect(error?.message).toMatch(/^Nobody was called/);
  expect(service.seen.received).toHaveLength(10); // so many were under way
});

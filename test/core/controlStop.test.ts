import { startCallingService, type CallingService } from '../service';
import { execute } from './engine';

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

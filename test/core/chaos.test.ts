import type { INodeExecutionData } from 'n8n-workflow';
import { runs, seed } from '../generators';
import { startCallingService, type CallingService, type Fault } from '../service';
import { execute } from './engine';
import { toldBy } from './told';

const EXECUTIONS = runs(5, 30);
const ITEMS = 100;

const phoneOf = (index: number) =>
  `+1${202 + Math.floor(index / 8000)}555${String(1000 + (index % 8000))}`;

/** What can befall one of fifty requests, as long as the test lasts. */
const faults: Fault[] = (
  [
    { kind: 'reset', when: 'before' },
    { kind: 'reset', when: 'after' },
    { kind: 'status', status: 503, when: 'before' },
    { kind: 'status', status: 502, when: 'after' },
    { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
    { kind: 'status', status: 400 },
    { kind: 'html', when: 'after' },
    { kind: 'hang', when: 'after' },
  ] as const
).map((fault) => ({
  ...fault,
  times: Infinity,
  probability: fault.kind === 'hang' ? 0.002 : 0.01,
}));

describe(`${EXECUTIONS * ITEMS} calls through faults drawn from seed ${seed}`, () => {
  let service: CallingService;
  beforeAll(async () => {
    service = await startCallingService({ seed });
    service.faults.add(...faults);
  });
  afterAll(async () => await service.close());

  it('call nobody twice, and no call stays untold', async () => {
    const orderIds = new Set<unknown>();
    const maybe = new Set<unknown>();
    const one = async (index: number) => {
      const phones = Array.from({ length: ITEMS }, (_, item) => phoneOf(index * ITEMS + item));
      const items: INodeExecutionData[] = phones.map((phone) => ({ json: { phone } }));
      const execution = await execute({
        parameters: {
          resource: 'call',
          operation: 'trigger',
          scriptId: 7,
          customerPhone: '={{ $json.phone }}',
          options: { concurrency: 20, requestTimeoutSeconds: 1 },
        },
        items,
        credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
        settings: {
          retryOnFail: true,
          maxTries: 5,
          waitBetweenTries: 1,
          ...(index % 2 === 0 ? { onError: 'continueRegularOutput' } : {}),
        },
      });
      const heard = toldBy(execution, phones);
      for (const id of heard.orderIds) orderIds.add(id);
      for (const phone of heard.maybe) maybe.add(phone);
    };
    for (let index = 0; index < EXECUTIONS; index += 4) {
      await Promise.all([0, 1, 2, 3].map(async (more) => await one(index + more)));
    }

    const twice = [...service.seen.callsByPhone].filter(([, count]) => count > 1);
    expect(twice).toEqual([]);
    const untold = service.seen.calls.filter(
      ({ orderId, phone }) => !orderIds.has(orderId) && !maybe.has(phone),
    );
    expect(untold).toEqual([]);
    expect(service.seen.calls.length).toBeGreaterThan(EXECUTIONS * ITEMS * 0.4);
    expect(maybe.size).toBeGreaterThan(0);
  });
});

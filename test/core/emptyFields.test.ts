import type { IDataObject } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import { execute, jsonOf } from './engine';
import { hintsOf } from './hints';

let service: CallingService;
beforeAll(async () => {
  service = await startCallingService();
});
afterAll(async () => await service.close());

const PHONES = ['+12025550101', '+12025550102'];
const FIELDS = { orderNumber: '=ORD-{{ $json.number }}', customerName: '={{ $json.name }}' };
const OPERATIONS: Record<string, IDataObject> = {
  'Call Customer': {
    ...{ resource: 'call', operation: 'trigger', customerPhone: '={{ $json.phone }}' },
    additionalFields: FIELDS,
  },
  'Create Campaign': {
    ...{ resource: 'campaign', operation: 'create', contactsSource: 'inputItems' },
    ...{ contactPhone: '={{ $json.phone }}', contactFields: FIELDS },
  },
};

describe.each(Object.entries(OPERATIONS))('%s', (_, operation) => {
  const hintsFor = async (items: IDataObject[]) => {
    const execution = await execute({
      parameters: { scriptId: 7, ...operation },
      items: items.map((json) => ({ json })),
      credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
    });
    jsonOf(execution);
    return hintsOf(execution).filter((hint) => hint.includes('have nothing for'));
  };

  it('hints at fields that all items leave empty, as after a column was renamed', async () => {
    const items = PHONES.map((phone) => ({ phone, orderNo: '17' }));
    expect(await hintsFor(items)).toEqual([
      'The 2 items have nothing for "Customer Name", "Order Number": check the expressions there',
    ]);
  });

  it('does not where one item has them, nor for a single item', async () => {
    const [phone, other] = PHONES;
    expect(await hintsFor([{ phone }, { phone: other, number: 17, name: 'Lee' }])).toEqual([]);
    expect(await hintsFor([{ phone }])).toEqual([]);
  });
});

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { SCOPES } from '../../nodes/OutboundAiCalling/dataTables/n8nApi';
import { startCallingService, type CallingService } from '../service';
import {
  jsonOf,
  sharedN8n,
  type Credential,
  type Execution,
  type SharedN8n,
  type WorkflowNode,
} from '../../scripts/n8n';
import { logTable } from './triggerWorkflows';
import { callingNode, saveCredential, workflowOf } from './workflows';

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;

beforeAll(async () => {
  service = await startCallingService();
  n8n = await sharedN8n();
  const n8nApiKey = await n8n.client.createApiKey('Pairs', SCOPES);
  calling = await saveCredential(n8n.client, service, { n8nApiKey });
});

afterAll(async () => {
  await service?.close();
});

beforeEach(() => {
  service.reset();
});

const ORDERS = [1, 2, 3].map((number) => ({
  phone: `+1202555012${number}`,
  order: `B-${number}`,
}));

const noOp = (name: string): WorkflowNode => ({
  name,
  type: 'n8n-nodes-base.noOp',
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
});

/** Adds to each item the order number that the item of the node "Order" has. */
const readOrder: WorkflowNode = {
  name: 'Read order',
  type: 'n8n-nodes-base.set',
  typeVersion: 3.4,
  position: [0, 0],
  parameters: {
    assignments: {
      assignments: [
        { id: 'a', name: 'read', type: 'string', value: "={{ $('Order').item.json.order }}" },
      ],
    },
    includeOtherFields: true,
    options: {},
  },
  onError: 'continueRegularOutput',
};

const CREATE: INodeParameters = {
  scriptId: 7,
  contactsSource: 'inputItems',
  contactPhone: '={{ $json.phone }}',
  contactFields: { orderNumber: '={{ $json.order }}' },
};

async function run(items: IDataObject[], ...nodes: WorkflowNode[]): Promise<Execution> {
  const workflow = workflowOf('Orders', items, noOp('Order'), ...nodes);
  return await n8n.client.runManually(await n8n.client.createWorkflow(workflow));
}

describe('the items of Place Scheduled Calls', () => {
  it('never lead to the order of somebody else', async () => {
    const callLogTable = logTable('Log of pairs');
    const execution = await run(
      ORDERS,
      callingNode('Schedule', 'call.schedule', calling, {
        scriptId: 7,
        customerPhone: '={{ $json.phone }}',
        additionalFields: { orderNumber: '={{ $json.order }}' },
        callLogTable,
        callAt: '',
      }),
      callingNode('Place', 'call.placeScheduled', calling, {
        callLogTable,
        options: { keepOnSeconds: 0 },
      }),
      readOrder,
    );
    expect(jsonOf(execution, 'Place')).toHaveLength(3);
    const wrong = jsonOf(execution, 'Read order').filter(
      ({ orderNumber, read }) => read !== undefined && read !== orderNumber,
    );
    expect(wrong.map(({ orderNumber, read }) => ({ orderNumber, read }))).toEqual([]);
  });
});

describe('a campaign that is not created', () => {
  it.each([
    ['a service that fails', ORDERS],
    ['a phone number that is none', [...ORDERS, { phone: 'x', order: 'B-4' }]],
  ])('because of %s: its error output has every order, with its fields', async (_, orders) => {
    service.faults.add({ kind: 'status', status: 500, route: 'createCampaign' });
    const create = callingNode('Create', 'campaign.create', calling, CREATE, {
      onError: 'continueErrorOutput',
    });
    const execution = await run(orders, create);
    expect(service.seen.campaigns).toEqual([]);
    const errors = jsonOf(execution, 'Create', { output: 1 });
    expect(errors.map(({ order }) => order)).toEqual(orders.map(({ order }) => order));
  });
});

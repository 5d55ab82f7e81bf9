import { Workflow, type IDataObject, type INode, type INodeTypes } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import { Publication, type PublicationOptions } from './triggerEngine';

const HOUR_MS = 3_600_000;
let service: CallingService;
let clock = Date.UTC(2030, 0, 1);
beforeAll(async () => {
  service = await startCallingService({ clock: () => clock });
});
afterAll(async () => await service.close());
afterEach(() => jest.restoreAllMocks());

/** Places a call that goes on until the service's clock moves. */
async function dial(): Promise<number> {
  const response = await fetch(`${service.baseUrl}/api/v1/calls/trigger`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'test-key' },
    body: JSON.stringify({ scriptId: 7, customerPhone: '+12025550101' }),
  });
  return ((await response.json()) as { order_id: number }).order_id;
}

const publish = (orderId: number, more: Partial<PublicationOptions>) =>
  new Publication({
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
    budgetMs: 10_000,
    parameters: { watch: 'orderIds', orderIds: [orderId], options: { fastChecks: false } },
    ...more,
  });
const copyOf = (data: IDataObject) => JSON.parse(JSON.stringify(data)) as IDataObject;
const minutesLater = (minutes: number) => {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now + minutes * 60_000);
};

/** What n8n gives the node of that name, out of the static data that it has saved with the workflow. */
function staticDataOf(name: string, staticData: IDataObject): IDataObject {
  const node: INode = {
    id: 'trigger',
    name,
    type: 'trigger',
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
  };
  const type = { description: { properties: [] } };
  const nodeTypes = {
    getByName: () => type,
    getByNameAndVersion: () => type,
    getKnownTypes: () => ({}),
  } as unknown as INodeTypes;
  const workflow = new Workflow({
    id: 'renamed',
    nodes: [node],
    connections: {},
    active: true,
    nodeTypes,
    staticData,
  });
  return workflow.getStaticData('node', node);
}

describe('Call IDs at the Service, published again', () => {
  it('fire once when a look of the old publication was under way', async () => {
    const orderId = await dial();
    const staticData = {};
    const options = { workflowId: 'look under way', budgetMs: 300_000 };
    const before = publish(orderId, { ...options, staticData });
    await before.poll();
    clock += HOUR_MS;
    const release = service.faults.hold({ route: 'outcome' });
    minutesLater(1);
    const polling = before.poll();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const after = publish(orderId, { ...options, staticData: copyOf(staticData) });
    await after.poll();
    release();
    await polling;
    expect(before.fired).toHaveLength(1);
    minutesLater(1);
    await after.poll();
    expect(after.fired).toEqual([]);
  });

  it('fire once when a person has renamed the node, by whose name n8n saves what is done', async () => {
    const orderId = await dial();
    clock += HOUR_MS;
    const staticData = {};
    const options = { workflowId: 'renamed' };
    const before = publish(orderId, { ...options, staticData: staticDataOf('Before', staticData) });
    await before.poll();
    expect(before.fired).toHaveLength(1);
    const renamed = staticDataOf('After', copyOf(staticData));
    const after = publish(orderId, { ...options, staticData: renamed });
    await after.poll();
    expect(after.fired).toEqual([]);
  });

  it('lose no outcome that n8n had saved as done before it refused the execution', async () => {
    const orderId = await dial();
    clock += HOUR_MS;
    const staticData = {};
    const options = { workflowId: 'refused' };
    const before = publish(orderId, { ...options, staticData });
    let inDatabase: IDataObject = {};
    Object.defineProperty(before, 'start', {
      get: () => {
        inDatabase = copyOf(staticData);
        return 'never';
      },
    });
    await before.poll();
    expect(inDatabase).toMatchObject({ done: { [orderId]: true } });
    const after = publish(orderId, { ...options, staticData: inDatabase });
    await after.poll();
    expect(after.fired).toMatchObject([{ orderId }]);
  });
});

import { NodeConnectionTypes, type INodeParameters } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import {
  errorOf,
  jsonOf,
  sharedN8n,
  type Credential,
  type SharedN8n,
  type WorkflowNode,
} from '../../scripts/n8n';
import { callingNode, saveCredential, START, workflowOf } from './workflows';

const FIRST = '+12025550171';
const SECOND = '+12025550172';
const THIRD = '+12025550173';
const ORDERS = [
  { phone: FIRST, order: 'L-1' },
  { phone: SECOND, order: 'L-2' },
];

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;

beforeAll(async () => {
  service = await startCallingService();
  n8n = await sharedN8n();
  calling = await saveCredential(n8n.client, service);
});
beforeEach(() => service.reset());
afterAll(async () => await service?.close());

const node = (name: string, type: string, version: number, parameters: INodeParameters) =>
  ({
    name,
    type: `n8n-nodes-base.${type}`,
    typeVersion: version,
    position: [0, 0],
    parameters,
  }) satisfies WorkflowNode;
const nothing = (name: string) => node(name, 'noOp', 1, {});
const loop = (name: string, batchSize = 1) =>
  node(name, 'splitInBatches', 3, { batchSize, options: {} });
/** Leads to its first output when the expression gives true, else to its second. */
const when = (name: string, expression: string) =>
  node(name, 'if', 2.2, {
    conditions: {
      options: { version: 2, caseSensitive: true, typeValidation: 'loose' },
      combinator: 'and',
      conditions: [
        {
          id: 'a',
          leftValue: `={{ ${expression} }}`,
          rightValue: '',
          operator: { type: 'boolean', operation: 'true', singleValue: true },
        },
      ],
    },
    options: {},
  });

/** The node's own output leads back to it, too. */
const call = (more: INodeParameters = {}) =>
  callingNode('Call', 'call.trigger', calling, {
    scriptId: 7,
    customerPhone: '={{ $json.phone ?? $json.customerPhone }}',
    additionalFields: { orderNumber: '={{ $json.order ?? $json.orderNumber }}' },
    ...more,
  });

/** Nodes by the names of those to which each of their outputs leads; n8n follows the upper branch first. */
async function run(leads: Record<string, string[][]>, ...nodes: WorkflowNode[]) {
  const placed = nodes.map((one, place) => ({
    ...one,
    position: [200, place * 200] as [number, number],
  }));
  const type = NodeConnectionTypes.Main;
  const connections = Object.fromEntries(
    Object.entries(leads).map(([name, outputs]) => [
      name,
      { main: outputs.map((to) => to.map((one) => ({ node: one, type, index: 0 }))) },
    ]),
  );
  const file = { ...workflowOf('Runs', ORDERS, ...placed), connections };
  return await n8n.client.runManually(await n8n.client.createWorkflow(file));
}
const rung = () => Object.fromEntries(service.seen.callsByPhone);
const ONCE = { [FIRST]: 1, [SECOND]: 1 };
const TWICE = { [FIRST]: 2, [SECOND]: 2 };

const branches = { A: [['Call']], B: [['Call']] };

describe('two branches that lead to the node call each person once', () => {
  it('behind a loop that has ended', async () => {
    const leads = { [START]: [['Loop']], Loop: [['A', 'B'], ['Look up']], 'Look up': [['Loop']] };
    const nodes = [loop('Loop'), nothing('Look up'), nothing('A'), nothing('B'), call()];
    const execution = await run({ ...leads, ...branches }, ...nodes);
    expect(rung()).toEqual(ONCE);
    const [, second] = [0, 1].map((index) => jsonOf(execution, 'Call', { run: index }));
    expect(second).toMatchObject([{ reason: 'earlierTry' }, { reason: 'earlierTry' }]);
  });

  it('within a round of a loop', async () => {
    const leads = { [START]: [['Loop']], Loop: [['End'], ['A', 'B']], Call: [['Loop']] };
    const nodes = [nothing('A'), nothing('B'), call(), loop('Loop', 2), nothing('End')];
    await run({ ...leads, ...branches }, ...nodes);
    expect(rung()).toEqual(ONCE);
  });

  it('in a retry by hand of the second run', async () => {
    const leads = { [START]: [['Loop']], Loop: [['A', 'B'], ['Look up']], 'Look up': [['Loop']] };
    const nodes = [loop('Loop'), nothing('Look up'), nothing('A'), nothing('B')];
    const customerPhone = `={{ $runIndex === 1 && $itemIndex === 1 ? '${THIRD}' : $json.phone }}`;
    const refused = { success: false, message: 'Concurrency pool exhausted' };
    const match = ({ body }: { body: unknown }) => JSON.stringify(body).includes(THIRD);
    service.faults.add({ kind: 'status', status: 400, body: refused, route: 'trigger', match });
    const failed = await run({ ...leads, ...branches }, ...nodes, call({ customerPhone }));
    expect(errorOf(failed)?.message).toContain('2 people were called earlier in this execution');
    const retry = await n8n.client.waitForExecution(await n8n.client.retryExecution(failed.id));
    expect(jsonOf(retry, 'Call', { run: 1 })).toMatchObject([{ reason: 'earlierTry' }, {}]);
    expect(rung()).toEqual({ ...ONCE, [THIRD]: 1 });
  });
});

describe('a loop calls again in each round', () => {
  it('that IF nodes make, within a round of Loop Over Items', async () => {
    const leads = {
      [START]: [['Loop']],
      Loop: [[], ['Call']],
      Call: [['Again?']],
      'Again?': [['Pause'], ['Loop']],
      Pause: [['Call']],
    };
    const again = when('Again?', '$runIndex % 2 === 0');
    await run(leads, loop('Loop'), call(), again, nothing('Pause'));
    expect(rung()).toEqual(TWICE);
  });

  it('that goes on beside the node, and once for two branches', async () => {
    const leads = {
      [START]: [['A', 'B']],
      A: [['Call', 'Again?']],
      B: [['Call']],
      'Again?': [['A', 'B'], []],
    };
    const again = when('Again?', '$runIndex === 0');
    await run(leads, nothing('A'), nothing('B'), call(), again);
    expect(rung()).toEqual(TWICE);
  });
});

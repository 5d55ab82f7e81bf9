import { ExecuteContext } from 'n8n-core';
import {
  createEmptyRunExecutionData,
  Workflow,
  type IDataObject,
  type INode,
  type INodeTypes,
  type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { OutboundAiCalling } from '../../nodes/OutboundAiCalling/OutboundAiCalling.node';
import { OneCredential } from './oneCredential';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables();
const calling = new OutboundAiCalling();
let nodes = 0;

/** Runs the node as `EphemeralNodeExecutor` of n8n does for its agents: each time another node, without an execution. */
async function runForAgent(parameters: IDataObject): Promise<unknown> {
  const node: INode = {
    id: `node ${++nodes}`,
    name: 'Target Node',
    type: 'n8n-nodes-outbound-ai-calling.outboundAiCallingTool',
    typeVersion: 1,
    position: [0, 0],
    parameters: parameters as INode['parameters'],
    credentials: { outboundAiCallingApi: { id: '1', name: 'Calling service' } },
  };
  const nodeTypes: INodeTypes = {
    getByName: () => calling,
    getByNameAndVersion: () => calling,
    getKnownTypes: () => ({}),
  };
  const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
  const additionalData = { credentialsHelper: new OneCredential(world.credential()) };
  const items = [{ json: {} }];
  const context = new ExecuteContext(
    workflow,
    node,
    additionalData as unknown as IWorkflowExecuteAdditionalData,
    'internal',
    createEmptyRunExecutionData(),
    0,
    items,
    { main: [items] },
    { node, data: { main: [items] }, source: null },
    [],
  );
  return await calling.execute.call(context);
}

const CALL = { resource: 'call', operation: 'trigger', customerPhone: '+12025550101' };
const CREATE = { resource: 'campaign', operation: 'create', contactsSource: 'csvText' };
const DRY_RUN = { rules: { manualExecutions: 'dryRun' } };

describe('outside of a workflow, where nothing tells a trial from production', () => {
  it.each([
    ['a call', { ...CALL, ...DRY_RUN }],
    [
      'starts campaigns',
      { ...CREATE, ...DRY_RUN, csvText: 'phone\n+12025550101', phoneColumn: 'phone' },
    ],
  ])('%s is refused', async (_, parameters) => {
    await expect(
      runForAgent({ scriptId: 7, startImmediately: true, ...parameters }),
    ).rejects.toThrow(/^Nobody was called\. n8n runs this node outside of a workflow/);
    expect(world.service.seen.received).toEqual([]);
  });
});

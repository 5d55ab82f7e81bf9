import type { IDataObject, INodeParameters } from 'n8n-workflow';
import {
  jsonOf,
  type Credential,
  type Execution,
  type N8nClient,
  type WorkflowFile,
} from '../../scripts/n8n';
import { callingNode, CALLING_CREDENTIAL, workflowOf } from './workflows';
import { until } from './until';

export const TRIGGER_NODE = 'n8n-nodes-outbound-ai-calling.outboundAiCallingTrigger';
export const TRIGGER = 'Outcome';

/** n8n lets each of these times come once a minute at most; a trigger may have several. */
const EVERY_10_SECONDS = [0, 10, 20, 30, 40, 50].map((second) => ({
  mode: 'custom',
  cronExpression: `${second} * * * * *`,
}));
/** Until another poll of such a trigger has begun and seen what there is to see. */
export const ONE_MORE_POLL_MS = 20_000;

/** A workflow that starts with an outcome and does nothing more. */
export function outcomeWorkflow(
  name: string,
  calling: Credential,
  parameters: INodeParameters = {},
): WorkflowFile {
  return {
    name,
    nodes: [
      {
        name: TRIGGER,
        type: TRIGGER_NODE,
        typeVersion: 1,
        position: [0, 0],
        parameters: { pollTimes: { item: EVERY_10_SECONDS }, ...parameters },
        credentials: { [CALLING_CREDENTIAL]: { id: calling.id, name: calling.name } },
      },
      {
        name: 'Note',
        type: 'n8n-nodes-base.noOp',
        typeVersion: 1,
        position: [220, 0],
        parameters: {},
      },
    ],
    connections: { [TRIGGER]: { main: [[{ node: 'Note', type: 'main', index: 0 }]] } },
  };
}

/** What makes a trigger, or the action node, use the call log of that name. */
export const logTable = (name: string): INodeParameters => ({
  __rl: true,
  mode: 'name',
  value: name,
});

/** The parameters of a trigger that watches the call log of that name. */
export const watching = (table: string): INodeParameters => ({
  watch: 'callLog',
  callLogTable: logTable(table),
});

/** A workflow that places calls to numbers that nobody else calls. */
export function placingWorkflow(
  calls: number,
  calling: Credential,
  more: INodeParameters = {},
): WorkflowFile {
  const items = Array.from({ length: calls }, (_, index) => ({
    phone: `+1202555${String(index).padStart(4, '0')}`,
    name: `Customer ${index}`,
    order: `R${index}`,
  }));
  return workflowOf(
    'Place calls',
    items,
    callingNode('Trigger', 'call.trigger', calling, {
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      additionalFields: { customerName: '={{ $json.name }}', orderNumber: '={{ $json.order }}' },
      ...more,
    }),
  );
}

/** All items with which a workflow was started, newest execution first. */
export async function fired(client: N8nClient, workflowId: string): Promise<IDataObject[]> {
  const executions: Execution[] = await client.executions(workflowId);
  return executions.flatMap((execution) => jsonOf(execution, TRIGGER));
}

/** The order ids of items, ascending. */
export function orderIdsOf(items: IDataObject[]): number[] {
  return items.map(({ orderId }) => Number(orderId)).sort((a, b) => a - b);
}

/** Waits until a workflow was started with so many items. */
export async function waitForFired(
  client: N8nClient,
  workflowId: string,
  count: number,
): Promise<IDataObject[]> {
  let items: IDataObject[] = [];
  await until(async () => (items = await fired(client, workflowId)).length >= count);
  return items;
}

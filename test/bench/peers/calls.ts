import type { WorkflowNode } from '../../../scripts/n8n';
import { logTable } from '../../n8n/triggerWorkflows';
import type { CallingService } from '../../service';

/**
 * Places a call for every item by n8n's own HTTP Request node. It waits between batches by the clock,
 * not for their answers.
 */
export function httpCalls(
  { baseUrl }: CallingService,
  { batchSize, batchInterval }: { batchSize: number; batchInterval: number },
): WorkflowNode {
  return {
    name: 'Calls',
    type: 'n8n-nodes-base.httpRequest',
    typeVersion: 4.2,
    position: [0, 0],
    parameters: {
      method: 'POST',
      url: `${baseUrl}/api/v1/calls/trigger`,
      sendHeaders: true,
      headerParameters: { parameters: [{ name: 'X-API-Key', value: 'test-key' }] },
      sendBody: true,
      specifyBody: 'json',
      jsonBody: '={{ { scriptId: 7, customerPhone: $json.phone } }}',
      options: { batching: { batch: { batchSize, batchInterval } } },
    },
  };
}

const dataTable = (name: string, parameters: WorkflowNode['parameters']): WorkflowNode => ({
  name,
  type: 'n8n-nodes-base.dataTable',
  typeVersion: 1,
  position: [0, 0],
  parameters: { resource: 'row', ...parameters },
});

/** Writes a row for every call that was placed, once all are. */
export function writeCalls(table: string): WorkflowNode {
  const value = { orderId: '={{ String($json.order_id) }}' };
  const schema = [{ id: 'orderId', displayName: 'orderId', type: 'string', display: true }];
  return dataTable('Rows', {
    operation: 'insert',
    dataTableId: logTable(table),
    columns: { mappingMode: 'defineBelow', value, matchingColumns: [], schema },
    options: {},
  } as WorkflowNode['parameters']);
}

/** Lets through whose number, spelled like this, is not in a table. */
export function notListed(table: string): WorkflowNode {
  return dataTable('Not listed', {
    operation: 'rowNotExists',
    dataTableId: logTable(table),
    matchType: 'allConditions',
    filters: {
      conditions: [{ keyName: 'phone', condition: 'eq', keyValue: '={{ $json.phone }}' }],
    },
  });
}

/** Deletes the rows of calls that were placed before a time, and gives them out as it always does. */
export function deleteBefore(table: string, time: string): WorkflowNode {
  return dataTable('Log', {
    operation: 'deleteRows',
    dataTableId: logTable(table),
    matchType: 'allConditions',
    filters: { conditions: [{ keyName: 'triggeredAt', condition: 'lt', keyValue: time }] },
    options: {},
  });
}

/** Reads the rows of calls that were placed since a time. */
export function callsSince(table: string, time: string): WorkflowNode {
  return dataTable('Rows', {
    operation: 'get',
    dataTableId: logTable(table),
    matchType: 'allConditions',
    filters: { conditions: [{ keyName: 'triggeredAt', condition: 'gte', keyValue: time }] },
    returnAll: true,
  });
}

/** Counts calls by outcome, and sums what they cost. */
export const summarize: WorkflowNode = {
  name: 'Log',
  type: 'n8n-nodes-base.summarize',
  typeVersion: 1.1,
  position: [0, 0],
  parameters: {
    fieldsToSummarize: {
      values: [
        { aggregation: 'count', field: 'callId' },
        { aggregation: 'sum', field: 'cost' },
      ],
    },
    fieldsToSplitBy: 'outcomeKey',
    options: {},
  },
};

import type { IConnections } from 'n8n-workflow';
import type { WorkflowNode } from '../../../scripts/n8n';
import type { CallingService } from '../../service';

/**
 * From a CSV file to campaigns with what n8n brings, from the node `Rows` on: numbers are not checked, and
 * bad rows go along.
 */
export function campaignSteps(
  { baseUrl }: CallingService,
  perCampaign: number,
): { nodes: WorkflowNode[]; connections: IConnections } {
  const nodes: WorkflowNode[] = [
    {
      // What Extract from File runs for CSV; that node itself asks for a peer that is not installed.
      name: 'Rows',
      type: 'n8n-nodes-base.spreadsheetFile',
      typeVersion: 2,
      position: [400, 0],
      parameters: { operation: 'fromFile', fileFormat: 'csv', options: {} },
    },
    {
      name: 'Loop',
      type: 'n8n-nodes-base.splitInBatches',
      typeVersion: 3,
      position: [600, 0],
      parameters: { batchSize: perCampaign, options: {} },
    },
    {
      name: 'Create',
      type: 'n8n-nodes-base.httpRequest',
      typeVersion: 4.2,
      position: [800, 0],
      executeOnce: true,
      parameters: {
        method: 'POST',
        url: `${baseUrl}/api/v1/campaigns`,
        sendHeaders: true,
        headerParameters: { parameters: [{ name: 'X-API-Key', value: 'test-key' }] },
        sendBody: true,
        specifyBody: 'json',
        jsonBody:
          '={{ { scriptId: 7, contacts: $input.all().map((item) => ({ customerPhone: item.json.phone_number, customerName: item.json.name, orderNumber: item.json.orderNumber })) } }}',
        options: {},
      },
    },
  ];
  const connections: IConnections = {
    Rows: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
    Loop: { main: [[], [{ node: 'Create', type: 'main', index: 0 }]] },
    Create: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
  };
  return { nodes, connections };
}

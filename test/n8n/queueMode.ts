import type { INodeParameters } from 'n8n-workflow';
import {
  QueueModeN8n,
  type Credential,
  type DataTableRow,
  type N8nClient,
  type WorkflowFile,
} from '../../scripts/n8n';
import type { CallingService } from '../service';
import { logTable } from './triggerWorkflows';
import { callingNode, saveCredential } from './workflows';

/** n8n in queue mode with two workers, and a credential with which all of them reach the call log. */
export class QueueMode {
  private constructor(
    readonly n8n: QueueModeN8n,
    readonly calling: Credential,
    readonly apiKey: string,
  ) {}

  static async start(service: CallingService): Promise<QueueMode> {
    const n8n = await QueueModeN8n.start(2);
    const { client } = n8n.main;
    const apiKey = await client.createApiKey('Call log');
    // The address at which this n8n knows itself is the main process's, for workers too.
    const calling = await saveCredential(client, service, {
      n8nApiKey: apiKey,
      n8nApiUrl: `${client.baseUrl}/api/v1`,
    });
    return new QueueMode(n8n, calling, apiKey);
  }

  get client(): N8nClient {
    return this.n8n.main.client;
  }

  /** The rows of a data table; none when it is not there yet. */
  async rowsOf(table: string): Promise<DataTableRow[]> {
    const tables = this.client.dataTables(this.apiKey);
    const found = await tables.find(table);
    return found === undefined ? [] : await tables.rows(found.id);
  }

  /**
   * A workflow into which orders `{ phone, order }` come by a webhook, as many as a shop sends at once;
   * they are called with a call log.
   *
   * @param table the call log; the workflow and the path of its webhook have the same name
   */
  orders(table: string, parameters: INodeParameters = {}): WorkflowFile {
    const call = callingNode('Call', 'call.trigger', this.calling, {
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      additionalFields: { orderNumber: '={{ $json.order }}' },
      callLog: 'dataTable',
      callLogTable: logTable(table),
      options: { concurrency: 2 },
      ...parameters,
    });
    const link = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
    return {
      name: table,
      nodes: [
        {
          name: 'Webhook',
          type: 'n8n-nodes-base.webhook',
          typeVersion: 2,
          position: [0, 0],
          parameters: { httpMethod: 'POST', path: table, options: {} },
          webhookId: table,
        },
        {
          name: 'Each order',
          type: 'n8n-nodes-base.splitOut',
          typeVersion: 1,
          position: [220, 0],
          parameters: { fieldToSplitOut: 'body.orders', options: {} },
        },
        { ...call, position: [440, 0] },
      ],
      connections: { Webhook: link('Each order'), 'Each order': link('Call') },
    };
  }
}

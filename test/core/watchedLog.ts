import type { IDataObject } from 'n8n-workflow';
import type { CallingService } from '../service';
import type { DataTablesServer } from '../dataTables/dataTablesServer';
import { Publication, type PublicationOptions } from './triggerEngine';

/** A call log, the n8n that keeps it, and the service that places its calls. */
export interface WatchedLog {
  service: CallingService;
  tables: DataTablesServer;
  /** The name of the log. */
  table: string;
}

/** A published workflow whose trigger watches a call log, and looks at its calls once a poll. */
export function publishWatch(
  { service, tables, table }: WatchedLog,
  parameters: IDataObject = {},
  more: Partial<PublicationOptions> = {},
): Publication {
  return new Publication({
    credential: {
      baseUrl: service.baseUrl,
      apiKey: 'test-key',
      n8nApiKey: 'key',
      n8nApiUrl: `${tables.baseUrl}/api/v1`,
    },
    parameters: {
      watch: 'callLog',
      callLogTable: { __rl: true, mode: 'name', value: table },
      options: { fastChecks: false },
      ...parameters,
    },
    workflowId: `workflow of ${table}`,
    ...more,
  });
}

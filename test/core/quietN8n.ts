import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';
import { ProcessedKeys } from './processedKeys';

/** What n8n keeps through the executions of a test file; its warnings are heard, not printed. */
export interface QuietN8n {
  keys: ProcessedKeys;
  tables: DataTablesServer;
  warn: jest.SpyInstance;
  close(): Promise<void>;
}

export async function startQuietN8n(): Promise<QuietN8n> {
  const keys = await ProcessedKeys.install();
  const tables = await startDataTablesServer();
  const warn = jest.spyOn(Container.get(Logger), 'warn').mockImplementation(() => undefined);
  const close = async () => {
    warn.mockRestore();
    await tables.close();
  };
  return { keys, tables, warn, close };
}

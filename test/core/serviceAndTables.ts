import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';
import { startCallingService, type CallingService, type CallingServiceOptions } from '../service';
import { ProcessedKeys } from './processedKeys';

/** What operations that keep a call log work with. */
export interface ServiceAndTables {
  service: CallingService;
  tables: DataTablesServer;
  keys: ProcessedKeys;
  /** @param apiKey of the account that calls */
  credential(apiKey?: string): Record<'baseUrl' | 'apiKey' | 'n8nApiKey' | 'n8nApiUrl', string>;
}

/**
 * Gives the tests of a file a calling service, the data tables of n8n and its store of claimed keys. Each test finds
 * them empty, and without faults.
 */
export function useServiceAndTables(options: CallingServiceOptions = {}): ServiceAndTables {
  const world = {
    credential: (apiKey = 'test-key') => ({
      baseUrl: world.service.baseUrl,
      apiKey,
      n8nApiKey: 'n8n-key',
      n8nApiUrl: world.tables.url,
    }),
  } as ServiceAndTables;
  beforeAll(async () => {
    world.keys = await ProcessedKeys.install();
    world.tables = await startDataTablesServer();
    world.service = await startCallingService(options);
  });
  beforeEach(() => {
    world.keys.clear();
    Object.assign(world.keys, { isAway: false, isMute: false, latency: 0 });
    world.tables.reset();
    world.service.reset();
    world.service.faults.clear();
  });
  afterAll(async () => {
    await world.tables.close();
    await world.service.close();
  });
  return world;
}

import { startCallingService, type CallingService } from '../service';
import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';
import { openLogOf, placeLogged } from '../n8n/loggedFromOutside';
import { publishWatch } from './watchedLog';

let tables: DataTablesServer;
let service: CallingService;
let table = '';
beforeAll(async () => {
  tables = await startDataTablesServer();
  service = await startCallingService({ speed: 100_000 });
});
afterAll(async () => {
  await tables.close();
  await service.close();
});

/** A database that does not store some summary, whatever it has against it. */
function refuseSummary(): void {
  const handle = tables.api.handle.bind(tables.api);
  tables.api.handle = (request) =>
    JSON.stringify(request.body ?? '').includes('said yes')
      ? { status: 400, body: { message: 'invalid byte sequence' } }
      : handle(request);
}

describe('an end whose summary n8n cannot store', () => {
  it.each(['Confirmed', 'पुष्टि की गई', 'Bestätigt'])('keeps its outcome: %s', async (label) => {
    table = `Log ${label}`;
    service.reset();
    refuseSummary();
    await openLogOf(service, tables.baseUrl, 'key', table);
    const trigger = publishWatch({ service, tables, table });
    await trigger.poll();
    const log = await openLogOf(service, tables.baseUrl, 'key', table);
    const [orderId] = await placeLogged(log, service, 1);
    for (const row of tables.rowsOf(table)) if (row.status === 'in_progress') row.runAt = 1;
    const body = {
      ...{ success: true, orderId, callStatus: 'completed', callDurationSec: 40 },
      ...{ callOutcome: label, totalCallCost: 0.1, summary: 'The customer said yes' },
    };
    service.faults.add({ kind: 'json', body, route: 'outcome', times: 2 });
    await trigger.poll();
    expect(trigger.fired[0]).toMatchObject({ callOutcome: label });
  });
});

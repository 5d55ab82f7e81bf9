import type { INodeParameters } from 'n8n-workflow';
import {
  errorOf,
  jsonOf,
  sharedN8n,
  type Credential,
  type DataTables,
  type SharedN8n,
} from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { logTable } from './triggerWorkflows';
import { callingNode, saveCredential, workflowOf } from './workflows';

const CALLS = 100;
const TABLE = 'Refused calls';
/** What the service says for a while, none of it about one call. */
const REFUSALS: Array<[status: number, message: string]> = [
  [400, 'No free channels'],
  [400, 'Concurrency limit reached'],
  [402, 'Insufficient wallet balance'],
  [403, 'Your plan has no calls left'],
  [404, 'Customer not found'],
  [409, 'Try again tomorrow'],
  [422, 'We do not like this'],
  [200, 'Something went wrong'],
];

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;
let tables: DataTables;

beforeAll(async () => {
  service = await startCallingService();
  n8n = await sharedN8n();
  const n8nApiKey = await n8n.client.createApiKey('Refusals');
  tables = n8n.client.dataTables(n8nApiKey);
  calling = await saveCredential(n8n.client, service, { n8nApiKey });
});
afterAll(async () => {
  await service?.close();
});

it('a list is called in full, each once, after the service has refused everything for a while', async () => {
  const items = Array.from({ length: CALLS }, (_, index) => ({
    order: `R-${index}`,
    phone: `+1202555${1000 + index}`,
  }));
  const schedule: INodeParameters = {
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    additionalFields: { orderNumber: '={{ $json.order }}' },
    callLogTable: logTable(TABLE),
    rules: { preventDuplicates: true },
  };
  const node = callingNode('Schedule', 'call.schedule', calling, schedule);
  const scheduling = await n8n.client.createWorkflow(workflowOf('Schedules', items, node));
  expect(jsonOf(await n8n.client.runManually(scheduling), 'Schedule')).toHaveLength(CALLS);
  const log = await tables.find(TABLE);
  if (log === undefined) throw new Error('The log is missing');
  const rows = async () => await tables.rows(log.id);

  const place = callingNode('Place', 'call.placeScheduled', calling, {
    callLogTable: logTable(TABLE),
    options: { maxInProgress: 100, firstCheckAfterSeconds: 300, keepOnSeconds: 0, concurrency: 5 },
  });
  const placing = await n8n.client.createWorkflow(workflowOf('Places', [{}], place));
  for (const [status, message] of REFUSALS) {
    service.faults.add({
      kind: 'status',
      status,
      body: { success: false, message },
      route: 'trigger',
      times: Infinity,
    });
    const error = errorOf(await n8n.client.runManually(placing), 'Place');
    expect(error?.message).toMatch(/^Nobody was called\. /);
    expect(error?.message).toContain(message);
    service.faults.clear();
  }
  expect(new Set((await rows()).map(({ status }) => status))).toEqual(new Set(['scheduled']));

  const waiting = { column: 'status', equals: 'scheduled' };
  // As a person who cannot wait.
  await tables.update(log.id, waiting, { dueAt: new Date().toISOString() });
  expect(jsonOf(await n8n.client.runManually(placing), 'Place')).toHaveLength(CALLS);
  expect((await rows()).map(({ status }) => status)).toEqual(Array(CALLS).fill('in_progress'));
  expect([...service.seen.callsByPhone.values()]).toEqual(Array(CALLS).fill(1));
});

import { setTimeout as delay } from 'node:timers/promises';
import type { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { SCOPES } from '../../nodes/OutboundAiCalling/dataTables/n8nApi';
import {
  sharedN8n,
  type Credential,
  type DataTableRow,
  type SavedWorkflow,
  type SharedN8n,
} from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { openCallLog } from './callLogFromOutside';
import { openLogOf, placeLogged } from './loggedFromOutside';
import { fired, orderIdsOf, outcomeWorkflow, waitForFired, watching } from './triggerWorkflows';
import { saveCredential } from './workflows';

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;
let apiKey: string;

beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 5, max: 15 } });
  n8n = await sharedN8n();
  apiKey = await n8n.client.createApiKey('Call log of triggers', SCOPES);
  calling = await saveCredential(n8n.client, service, { n8nApiKey: apiKey });
});

afterAll(async () => {
  await service?.close();
});

const openLog = async (table: string) =>
  await openLogOf(service, n8n.client.baseUrl, apiKey, table);

/** Publishing makes the log. */
async function publish(name: string, log: string): Promise<SavedWorkflow> {
  const workflow = outcomeWorkflow(name, calling, watching(log));
  return await n8n.client.publish(await n8n.client.createWorkflow(workflow));
}

async function rowsOf(log: CallLog): Promise<DataTableRow[]> {
  const key = await n8n.client.createApiKey(`Reader ${Math.random()}`);
  return await n8n.client.dataTables(key).rows(log.tableId);
}

const firedIn = async ({ id }: SavedWorkflow) => orderIdsOf(await fired(n8n.client, id));
const sorted = (ids: number[]) => [...ids].sort((a, b) => a - b);

describe('a table of clients', () => {
  it('is refused by name when a workflow is published that watches it, and left as it is', async () => {
    const tables = n8n.client.dataTables(apiKey);
    const columns = ['name', 'phone'].map((name) => ({ name, type: 'string' as const }));
    const { id } = await tables.create('Clients that a trigger watches', columns);
    await tables.insert(id, [{ name: 'Ada', phone: '+12025550100' }]);
    await expect(publish('Mistake', 'Clients that a trigger watches')).rejects.toThrow(
      'The data table "Clients that a trigger watches" is no call log',
    );
    const after = await tables.find('Clients that a trigger watches');
    expect(after?.columns.map(({ name }) => name)).toEqual(['name', 'phone']);
    expect(await tables.rows(id)).toEqual([expect.objectContaining({ name: 'Ada' })]);
  });
});

describe('a call log', () => {
  // Those that wait for polls wait together.
  it.concurrent(
    'is made by the trigger, filled ahead, and shows how every call ended',
    async () => {
      const workflow = await publish('Reads Calls', 'Calls of triggers');
      const other = await publish('Reads Calls too', 'Calls of triggers');
      const log = await openLog('Calls of triggers');
      const orderIds = await placeLogged(log, service, 20);
      const items = await waitForFired(n8n.client, workflow.id, 20);
      await waitForFired(n8n.client, other.id, 20);
      await delay(8_000);
      expect(await firedIn(workflow)).toEqual(orderIds);
      expect(await firedIn(other)).toEqual(orderIds);
      expect(items[0]).toMatchObject({
        event: 'outcomeAvailable',
        customerPhone: expect.stringMatching(/^\+1202555/),
        customerName: 'Ada',
        finished: true,
      });
      const rows = await rowsOf(log);
      expect(sorted(rows.map(({ orderId }) => Number(orderId)))).toEqual(orderIds);
      for (const row of rows) {
        expect(row).toMatchObject({
          status: expect.stringMatching(/completed|failed/),
          outcome: expect.any(String),
          finishedAt: expect.any(String),
        });
      }
      await n8n.client.unpublish(workflow);
      await n8n.client.unpublish(other);
    },
  );

  it.concurrent(
    'fires once for an outcome that is open again later, and for an order that is known late',
    async () => {
      // Two triggers ask, so that the first look at the outcome is not the last.
      const readers = [
        await publish('Tempted', 'Tempting'),
        await publish('Tempted too', 'Tempting'),
      ];
      const log = await openLog('Tempting');
      const orderIds = await placeLogged(log, service, 2);
      const [openAgain, knownLate] = orderIds;
      const asksFor = (orderId: number | undefined) => (request: { url: string }) =>
        request.url.includes(`/${orderId}/`);
      const endsAt = service.seen.calls.find(({ orderId }) => orderId === openAgain)?.endsAt ?? NaN;
      let readings = 0;
      const asksAgain = (request: { url: string }) =>
        asksFor(openAgain)(request) && Date.now() > endsAt && ++readings > 1;
      const notFound = { kind: 'status', status: 404 } as const;
      const refusal = (message: string) => ({ body: { success: false, message } });
      service.faults.add(
        { ...notFound, times: 2, match: asksAgain, ...refusal('Call is still in progress') },
        { ...notFound, times: 3, match: asksFor(knownLate), ...refusal('Order not found') },
      );
      for (const { id } of readers) await waitForFired(n8n.client, id, 2);
      await delay(8_000);
      for (const workflow of readers) {
        expect(await firedIn(workflow)).toEqual(orderIds);
        await n8n.client.unpublish(workflow);
      }
      for (const row of await rowsOf(log)) {
        expect(row).toMatchObject({ status: expect.stringMatching(/completed|failed/) });
      }
      expect(readings).toBe(3); // one that was complete, then two that were not
      service.faults.clear();
    },
  );

  it.concurrent(
    'gives each trigger what ended since its publication: unpublished meanwhile, deleted, added anew',
    async () => {
      const steady = await publish('Steady', 'Readers');
      const pausing = await publish('Pausing', 'Readers');
      const deleted = await publish('Deleted', 'Readers');
      const log = await openLog('Readers');
      const first = await placeLogged(log, service, 3);
      for (const { id } of [steady, pausing, deleted]) await waitForFired(n8n.client, id, 3);
      await n8n.client.unpublish(pausing);
      await n8n.client.unpublish(deleted);
      const second = await placeLogged(log, service, 3);
      await waitForFired(n8n.client, steady.id, 6);
      const added = await publish('Added anew', 'Readers');
      await n8n.client.publish(await n8n.client.readWorkflow(pausing.id));
      const third = await placeLogged(log, service, 3);
      await waitForFired(n8n.client, steady.id, 9);
      await waitForFired(n8n.client, pausing.id, 9);
      await waitForFired(n8n.client, added.id, 3);
      await delay(8_000);
      const all = sorted([...first, ...second, ...third]);
      expect(await firedIn(steady)).toEqual(all);
      expect(await firedIn(pausing)).toEqual(all);
      expect(await firedIn(added)).toEqual(third);
      // A poll that is under way when its workflow is unpublished goes on to its end, for up to a minute:
      // how much of the rest it fires depends on how quick n8n is.
      const ofDeleted = await firedIn(deleted);
      expect(ofDeleted).toEqual(expect.arrayContaining(first));
      expect(new Set(ofDeleted).size).toBe(ofDeleted.length);
      for (const one of [steady, pausing, added]) await n8n.client.unpublish(one);
    },
  );

  it('names the scope that an API key lacks', async () => {
    const weak = await n8n.client.createApiKey(
      'Weak',
      SCOPES.filter((scope) => scope !== 'dataTable:list'),
    );
    const locator = { mode: 'name', value: 'Calls of triggers' };
    await expect(openCallLog(n8n.client.baseUrl, weak, locator)).rejects.toThrow(
      /lacks the scope "dataTable:list"/,
    );
  });
});

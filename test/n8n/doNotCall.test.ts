import type { INodeParameters } from 'n8n-workflow';
import {
  errorOf,
  jsonOf,
  runsOf,
  sharedN8n,
  type Credential,
  type DataTables,
  type Execution,
  type SharedN8n,
} from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { callPhones, phoneWorkflow } from './phoneWorkflow';
import { callingNode, saveCredential, workflowOf } from './workflows';

const [A, B, C, D] = ['+12025550101', '+12025550102', '+12025550103', '+12025550104'] as const;

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;
let tables: DataTables;
beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 1, max: 1 } });
  n8n = await sharedN8n();
  const n8nApiKey = await n8n.client.createApiKey('Do-not-call lists');
  tables = n8n.client.dataTables(n8nApiKey);
  calling = await saveCredential(n8n.client, service, { n8nApiKey });
});
afterAll(async () => {
  await service?.close();
});
beforeEach(() => {
  service.reset();
  service.faults.clear();
});

const byName = (value: string): INodeParameters => ({ __rl: true, mode: 'name', value });
const byId = (value: string): INodeParameters => ({ __rl: true, mode: 'id', value });

/** Makes a list in which the phones stand. */
async function listOf(name: string, phones: string[], columns = ['phone', 'reason', 'until']) {
  const table = await tables.create(
    name,
    columns.map((column) => ({ name: column, type: 'string' })),
  );
  if (phones.length > 0) {
    await tables.insert(
      table.id,
      phones.map((phone) => ({ phone })),
    );
  }
  return table;
}

/** A workflow that calls the phones one after the other and spares those on the list. */
async function createWorkflow(
  phones: string[],
  doNotCallTable: INodeParameters,
  parameters: INodeParameters = {},
) {
  const node = callingNode('Call', 'call.trigger', calling, {
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    options: { concurrency: 1, defaultCountry: 'US' },
    rules: { doNotCallTable },
    ...parameters,
  });
  const items = phones.map((phone) => ({ phone }));
  return await n8n.client.createWorkflow(workflowOf('Do not call', items, node));
}

async function call(phones: string[], doNotCallTable: INodeParameters): Promise<Execution> {
  return await n8n.client.runManually(await createWorkflow(phones, doNotCallTable));
}

const phonesCalled = () => service.seen.calls.map(({ phone }) => phone);
const hintsOf = (execution: Execution) =>
  (runsOf(execution, 'Call')[0]?.hints ?? []).map(({ message }) => message);
const skippedOf = (execution: Execution) =>
  jsonOf(execution, 'Call').flatMap((item) => (item.skipped === true ? [item] : []));

/** Waits until the service has received so many requests for calls. */
async function requestsFor(calls: number): Promise<void> {
  while (service.seen.requests.trigger < calls) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Nobody was called, and the person reads why and what to do. */
function expectRefusal(execution: Execution, message: string, advice: string): void {
  const error = errorOf(execution);
  expect(error?.message).toContain(message);
  expect(error?.message).toMatch(/^Nobody was called\. /);
  expect(error?.description).toContain(advice);
  expect(service.seen.received).toEqual([]);
}

describe('the do-not-call list', () => {
  it('is found by name, by id and by choice, and read in any spelling', async () => {
    const { id } = await listOf('spared', ['(202) 555-0102', '001 202 555 0103', 'Mrs Smith']);
    const chosen = { __rl: true, mode: 'list', value: id, cachedResultName: 'spared' };
    for (const locator of [byName('spared'), byId(id), chosen]) {
      service.reset();
      const execution = await call([A, B, C, D], locator);
      expect(errorOf(execution)).toBeUndefined();
      expect(skippedOf(execution)).toEqual(
        [B, C].map((customerPhone) => ({ skipped: true, reason: 'doNotCall', customerPhone })),
      );
      expect(phonesCalled()).toEqual([A, D]);
      expect(hintsOf(execution)).toEqual([
        expect.stringMatching(/^1 row of the do-not-call list "spared" .*"Mrs Smith"/),
        '2 of 4 not called: 2 on the do-not-call list',
      ]);
    }
  });

  it('edited while calls are placed, is what it was to them, and new to the next execution', async () => {
    const { id } = await listOf('edited', [B]);
    const workflow = await createWorkflow([A, B, C, D], byName('edited'));
    const answer = service.faults.hold({ route: 'trigger' });
    const running = await n8n.client.startManually(workflow);
    await requestsFor(1);
    const [row] = await tables.rows(id);
    await tables.insert(id, [{ phone: D }]);
    await tables.deleteRow(id, row?.id ?? 0);
    answer();
    const first = await n8n.client.waitForExecution(running);
    expect(skippedOf(first).map(({ customerPhone }) => customerPhone)).toEqual([B]);
    expect(phonesCalled()).toEqual([A, C, D]);

    service.reset();
    const next = await n8n.client.runManually(workflow);
    expect(skippedOf(next).map(({ customerPhone }) => customerPhone)).toEqual([D]);
    expect(phonesCalled()).toEqual([A, B, C]);
  });

  it('deleted while calls are placed, is what it was to them; then nobody is called', async () => {
    const { id } = await listOf('deleted', [D]);
    const workflow = await createWorkflow([A, B, D], byId(id));
    const answer = service.faults.hold({ route: 'trigger' });
    const running = await n8n.client.startManually(workflow);
    await requestsFor(1);
    await tables.drop(id);
    answer();
    const first = await n8n.client.waitForExecution(running);
    expect(errorOf(first)).toBeUndefined();
    expect(skippedOf(first).map(({ customerPhone }) => customerPhone)).toEqual([D]);
    expect(phonesCalled()).toEqual([A, B]);

    service.reset();
    const advice = 'It was deleted, or the n8n API key cannot see it';
    expectRefusal(await n8n.client.runManually(workflow), `There is no data table "${id}"`, advice);
    const named = await call([A], byName('deleted'));
    expectRefusal(named, 'The do-not-call list could not be read: There is no', advice);
    expect(errorOf(named)?.description).toContain('or remove the rule');
  });

  it('deleted, lets nobody be called in production either', async () => {
    const { id } = await listOf('deleted in production', [B]);
    const { client } = n8n;
    const rules = { doNotCallTable: byName('deleted in production') };
    const published = await client.publish(
      await client.createWorkflow(phoneWorkflow('do-not-call', calling, { rules })),
    );
    const before = await callPhones(client, published, [A, B]);
    expect(skippedOf(before)).toHaveLength(1);
    expect(phonesCalled()).toEqual([A]);
    await tables.drop(id);
    service.reset();
    const after = await callPhones(client, published, [A, C], 2);
    expectRefusal(after, 'could not be read: There is no data table', 'It was deleted');
  });

  it('without a column "phone" lets nobody be called', async () => {
    const { id } = await listOf('without phones', [], ['number', 'reason']);
    for (const locator of [byName('without phones'), byId(id)]) {
      expectRefusal(
        await call([A, B], locator),
        'The data table "without phones" has no column "phone"',
        'It has the columns number, reason. Name the column with the phone numbers "phone"',
      );
    }
  });

  it.each(['={{ $json.list }}', '={{ "" }}', '={{ null }}', '={{ "  " }}'])(
    'that %s leaves empty lets nobody be called',
    async (value) => {
      for (const mode of ['name', 'id']) {
        const execution = await call([A], { __rl: true, mode, value });
        const advice = 'Choose a data table under "Do-Not-Call List", or remove the rule.';
        expectRefusal(execution, 'Do-Not-Call List is empty', advice);
      }
    },
  );

  it('without rows spares nobody', async () => {
    await listOf('empty', []);
    const execution = await call([A, B], byName('empty'));
    expect(hintsOf(execution)).toEqual([]);
    expect(phonesCalled()).toEqual([A, B]);
  });
});

describe('a campaign with a do-not-call list', () => {
  const create = async (phones: string[], doNotCallTable: INodeParameters) => {
    const node = callingNode('Create', 'campaign.create', calling, {
      scriptId: 7,
      campaignName: 'Orders',
      contactsSource: 'inputItems',
      contactPhone: '={{ $json.phone }}',
      startImmediately: true,
      rules: { doNotCallTable },
      options: { defaultCountry: 'US' },
    });
    const items = phones.map((phone) => ({ phone }));
    const workflow = await n8n.client.createWorkflow(workflowOf('Campaign', items, node));
    return await n8n.client.runManually(workflow);
  };

  it('leaves out who is on it, and lists them with the reason', async () => {
    const { id } = await listOf('spared by campaigns', ['202-555-0104']);
    await tables.insert(id, [{ phone: B, reason: 'Asked on 3 May' }]);
    await tables.insert(id, [{ phone: C, until: '2020-01-31' }]);
    const execution = await create([A, B, C, D], byName('spared by campaigns'));
    expect(errorOf(execution)).toBeUndefined();
    expect(jsonOf(execution, 'Create')).toEqual([
      expect.objectContaining({
        started: true,
        contactCount: 2,
        skippedContacts: [
          { row: 2, phone: B, reason: 'The number is on the do-not-call list: Asked on 3 May' },
          { row: 4, phone: D, reason: 'The number is on the do-not-call list' },
        ],
      }),
    ]);
    const [campaign] = service.seen.campaigns;
    expect(campaign?.contacts.map(({ phone }) => phone)).toEqual([A, C]);
  });

  it('is not created when everybody is on it, nor when it is gone', async () => {
    await listOf('everybody', [A, B]);
    const advice = 'Nothing was sent.';
    expectRefusal(
      await create([A, B], byName('everybody')),
      'the list has nobody who can be called (on the do-not-call list: 2)',
      advice,
    );
    expectRefusal(
      await create([A], byName('nowhere')),
      'There is no data table "nowhere"',
      'or remove the rule',
    );
  });
});

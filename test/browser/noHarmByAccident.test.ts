import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import {
  PROJECT,
  sharedN8n,
  withCredential,
  type Credential,
  type DataTables,
  type SavedWorkflow,
  type SharedN8n,
  type WorkflowFile,
} from '../../scripts/n8n';
import { HEADER } from '../n8n/exampleWorkflows';
import { logTable, outcomeWorkflow, TRIGGER, watching } from '../n8n/triggerWorkflows';
import { CALLING_CREDENTIAL, callingNode, saveCredential, workflowOf } from '../n8n/workflows';
import { startCallingService, type CallingService } from '../service';
import { Editor } from './editor';

const CUSTOMER = '+12025550101';
const OTHER_CUSTOMER = '+12025550102';
const TEST_PHONE = '+12025550199';

let n8n: SharedN8n;
let service: CallingService;
let tables: DataTables;
let calling: Credential;
let editor: Editor;
beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 1, max: 1 } });
  n8n = await sharedN8n();
  const { client } = n8n;
  const n8nApiKey = await client.createApiKey('Harm by accident');
  tables = client.dataTables(n8nApiKey);
  calling = await saveCredential(client, service, { n8nApiKey });
  editor = await Editor.open(n8n);
});
afterAll(async () => {
  await editor?.close();
  await service?.close();
});
beforeEach(() => service.reset());

const ORDERS = [
  { phone: CUSTOMER, order: 'A-1' },
  { phone: OTHER_CUSTOMER, order: 'A-2' },
];

const EACH_ONCE = ORDERS.map(({ phone }) => [phone, 1]);

/** What a call is about that its item says. */
const OF_ITEM: INodeParameters = {
  scriptId: 7,
  customerPhone: '={{ $json.phone }}',
  additionalFields: { orderNumber: '={{ $json.order }}' },
};

async function openCall(
  operation: string,
  parameters: INodeParameters,
  items: IDataObject[] = ORDERS,
  credential = calling,
): Promise<SavedWorkflow> {
  const node = callingNode('Call', operation, credential, { ...OF_ITEM, ...parameters });
  const workflow = await n8n.client.createWorkflow(workflowOf('By accident', items, node));
  await editor.openNode(workflow, 'Call');
  return workflow;
}

const outputShows = async (text: string | RegExp) =>
  await editor.page.locator('[data-test-id="output-panel"]').getByText(text).first().waitFor();

const columnsOf = async (table: string) =>
  (await tables.find(table))?.columns.map(({ name }) => name).sort();

const numbersRung = () => [...service.seen.callsByPhone];

/** Saves an example with its credentials and nothing else filled in. */
async function importUnedited(name: string): Promise<SavedWorkflow> {
  const text = await readFile(join(PROJECT, 'examples', `${name}.json`), 'utf8');
  const named = text
    .replaceAll('"orders-to-schedule"', '"unedited"')
    .replaceAll('"Calls"', '"Calls of an example"');
  const header = await n8n.client.createCredential('Header', 'httpHeaderAuth', HEADER);
  const file = withCredential(JSON.parse(named) as WorkflowFile, CALLING_CREDENTIAL, calling);
  return await n8n.client.createWorkflow(withCredential(file, 'httpHeaderAuth', header));
}

describe('no harm comes to customers of whoever', () => {
  it('adds Manual Executions and leaves it as it arrives', async () => {
    await openCall('call.trigger', {});
    await editor.add('Add rule', 'Manual Executions');
    await editor.executeStep();
    await outputShows('wouldCall');
    await editor.add('Add rule', 'Test Phone');
    await editor.field('testPhone').locator('input').fill(TEST_PHONE);
    await editor.openList('manualExecutions');
    await editor.choose('Call');
    expect(await editor.failedStep()).toContain('"Call", and there is a test phone');
    await editor.screenshot('Call beside a test phone');
    expect(numbersRung()).toEqual([]);
  });

  it('executes Schedule Call twice', async () => {
    await openCall('call.schedule', { callLogTable: logTable('Scheduled twice') });
    await editor.executeStep();
    await outputShows('scheduled');
    await editor.executeStep();
    await outputShows('duplicate');
    await editor.screenshot('Scheduled twice');
    const table = await tables.find('Scheduled twice');
    const rows = await tables.rows(table?.id ?? '');
    expect(rows.map(({ orderNumber }) => orderNumber)).toEqual(['A-1', 'A-2']);
  });

  it('calls a list in which an order stands twice, and calls it again', async () => {
    const callLogTable = logTable('Called twice');
    const twice = [...ORDERS, { phone: '001 202 555 0101', order: 'a-1' }];
    await openCall('call.trigger', { callLog: 'dataTable', callLogTable }, twice);
    await editor.executeStep();
    await outputShows('in_progress');
    expect(numbersRung()).toEqual(EACH_ONCE);
    await editor.executeStep();
    await outputShows('in this log already: add "Prevent Duplicates"');
    await editor.screenshot('Orders that the log knows');
  });

  it('loads a campaign in which a number stands twice', async () => {
    const twice = [...ORDERS, { phone: '001 202 555 0101', order: 'A-3' }];
    const set = { campaignName: 'Twice', contactPhone: '={{ $json.phone }}' };
    await openCall('campaign.create', set, twice);
    await editor.executeStep();
    await outputShows('1 number stands more than once in the list');
    await editor.screenshot('A number twice in a campaign');
    expect(numbersRung()).toEqual([]);
  });

  it('imports the same workflow again and executes the copy', async () => {
    const callLogTable = logTable('Called by copies');
    const rules = { preventDuplicates: true };
    const node = callingNode('Call', 'call.trigger', calling, {
      ...OF_ITEM,
      callLog: 'dataTable',
      callLogTable,
      rules,
    });
    const file = workflowOf('Original', ORDERS, node);
    const original = await n8n.client.createWorkflow(file);
    expect((await n8n.client.runManually(original)).status).toBe('success');
    await editor.importWorkflow(file);
    await editor.openCard('Call');
    await editor.executeStep();
    await outputShows('duplicate');
    await editor.screenshot('An imported copy');
    expect(numbersRung()).toEqual(EACH_ONCE);
  });

  it('stops Call Customer and Wait and presses again', async () => {
    await openCall('call.triggerAndWait', {}, ORDERS.slice(0, 1));
    await editor.panel.getByText('stopping n8n does not hang up').waitFor();
    await editor.executeStep();
    while (numbersRung().length === 0) await editor.page.waitForTimeout(50);
    await editor.screenshot('Waiting for the end of a call');
    await editor.stopStep();
    await editor.screenshot('Stopped while waiting');
    const [called] = service.seen.calls;
    expect(await editor.failedStep()).toContain(
      `${CUSTOMER} was called about order A-1 (call ID at the service: ${called?.orderId})`,
    );
    await editor.screenshot('Stopped and pressed again');
    expect(numbersRung()).toEqual([[CUSTOMER, 1]]);
  });

  it('leaves Call At empty, mistypes a column or a time', async () => {
    await openCall('call.schedule', { callLogTable: logTable('Due when') });
    await editor.field('callAt').locator('input').click();
    await editor.page.keyboard.type('tomorrow 10am'); // which n8n drops
    await editor.page.keyboard.press('Tab');
    await editor.panel.getByText('Empty: as soon as possible').waitFor();
    await editor.executeStep();
    await outputShows('2 of 2 calls are due at once');
    await editor.screenshot('Due at once');

    const callAt = '={{ $json.callAtt }}';
    await openCall('call.schedule', { callLogTable: logTable('Due never'), callAt });
    expect(await editor.failedStep()).toContain('has an expression that gives nothing');
    await editor.screenshot('Call At of a column that is not there');
    expect(await tables.find('Due never')).toBeUndefined();
  });

  it('writes outcomes in a spelling of their own, and misspells one', async () => {
    await openCall('call.schedule', { callLogTable: logTable('Spellings') });
    await editor.add('Add option', 'Second Attempts');
    const outcomes = editor.field('outcomes').locator('input');
    await outcomes.fill('No Answer; Voice mail');
    await editor.executeStep();
    await outputShows('due at once');
    expect((await editor.hints()).join()).not.toContain('spelling');
    await outcomes.fill('No Anwser; Voice mail');
    await editor.executeStep();
    await outputShows('No call of this log has ended with "no_anwser" lately: check the spelling');
    await editor.screenshot('A misspelled outcome');
  });

  it('uses an n8n API key that expires soon', async () => {
    const expiresAt = Math.floor(Date.now() / 1000) + 3 * 86_400;
    const n8nApiKey = await n8n.client.createApiKey('Expires soon', undefined, expiresAt);
    const soon = await saveCredential(n8n.client, service, { n8nApiKey });
    await openCall('call.schedule', { callLogTable: logTable('Stops soon') }, ORDERS, soon);
    await editor.executeStep();
    await outputShows(/API key of the credential expires on .* under Settings > n8n API/);
    await editor.screenshot('A key that expires soon');
  });

  it('fetches a test event from a table of something else', async () => {
    const table = await tables.create('My clients', [{ name: 'client', type: 'string' }]);
    const workflow = await n8n.client.createWorkflow(
      outcomeWorkflow('Wrong table', calling, watching('My clients')),
    );
    await editor.openNode(workflow, TRIGGER);
    expect(await editor.failedStep()).toContain('"My clients" is no call log');
    await editor.screenshot('Test event from a wrong table');
    await editor.pressPublish();
    const refused = /published[\s\S]*"My clients" is no call log/;
    await editor.page.locator('.el-notification', { hasText: refused }).waitFor();
    await editor.screenshot('Publishing with a wrong table');
    expect(await columnsOf('My clients')).toEqual(table.columns.map(({ name }) => name));
  });

  it('publishes before the first call', async () => {
    const workflow = await n8n.client.createWorkflow(
      outcomeWorkflow('Published first', calling, watching('Not there yet')),
    );
    await editor.openWorkflow(workflow);
    await editor.publish();
    await n8n.client.unpublish(await n8n.client.readWorkflow(workflow.id));
    expect(await columnsOf('Not there yet')).toEqual(LOG_COLUMNS.map(({ name }) => name).sort());
    expect(await editor.errorMessages()).toEqual([]);
  });

  it('executes and publishes an example with nothing but its credentials filled in', async () => {
    const { client } = n8n;
    const workflow = await importUnedited('order-call-with-attempts');
    await editor.openWorkflow(workflow);
    await editor.page.locator('[data-test-id="execute-workflow-button"]').click();
    await editor.page.getByText('Workflow executed successfully').waitFor();
    await editor.screenshot('An example executed unedited');
    await editor.publish();
    const order = { phone: CUSTOMER, orderNumber: 'A-1', brand: 'Acme', amount: 1 };
    const headers = { [HEADER.name]: HEADER.value };
    const { body } = await client.postToWebhook('unedited', order, { headers });
    await client.unpublish(await client.readWorkflow(workflow.id));
    expect(body).toMatchObject({ why: 'Nobody was called. Script ID is missing' });
    expect(numbersRung()).toEqual([]);
    const table = await tables.find('Calls of an example');
    expect(await tables.rows(table?.id ?? '')).toEqual([]);
  });
});

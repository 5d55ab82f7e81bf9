import type { INodePropertyOptions } from 'n8n-workflow';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { trigger as callCustomer } from '../../nodes/OutboundAiCalling/actions/call/trigger.operation';
import { OutboundAiCallingTrigger } from '../../nodes/OutboundAiCalling/OutboundAiCallingTrigger.node';
import { sharedN8n, type SharedN8n } from '../../scripts/n8n';
import { logTable } from '../n8n/triggerWorkflows';
import { CALLING_CREDENTIAL, callingNode, workflowOf } from '../n8n/workflows';
import { startCallingService, type CallingService } from '../service';
import { Editor } from './editor';

const NODE = 'Outbound AI Calling';
const CUSTOMER = '+12025550101';
const TEST_PHONE = '+12025550199';
const LOG = 'Calls of a new user';
/** The shared n8n has credentials of this kind already: a person finds this one by its name. */
const CREDENTIAL = 'Account of a new user';

const { action: CALL } = callCustomer.option;
const [firstEvent] = (new OutboundAiCallingTrigger().description.properties.find(
  ({ name }) => name === 'events',
)?.options ?? []) as INodePropertyOptions[];
/** As n8n names the action of an event. */
const ON_OUTCOME = `On ${firstEvent?.name.toLowerCase()}`;

let n8n: SharedN8n;
let service: CallingService;
let editor: Editor;
let n8nApiKey: string;
beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 1, max: 1 } });
  n8n = await sharedN8n();
  n8nApiKey = await n8n.client.createApiKey('Call log of a new user');
  await n8n.client.createCredential(CREDENTIAL, CALLING_CREDENTIAL, {
    baseUrl: service.baseUrl,
    apiKey: 'test-key',
    n8nApiKey,
  });
  editor = await Editor.open(n8n);
});
afterAll(async () => {
  await editor?.close();
  await service?.close();
});
beforeEach(() => service.reset());

const byTestId = (id: string) => editor.page.locator(`[data-test-id="${id}"]`);

/** Adds the first node to a new workflow: finds it by words and chooses what it is to do. */
async function addNode(words: string, what: string): Promise<void> {
  await editor.newWorkflow();
  expect(await editor.searchNodes(words)).toContain(NODE);
  const items = byTestId('node-creator-item-name');
  await items.filter({ hasText: NODE }).first().click();
  const actions = byTestId('node-creator-category-item').filter({ hasText: 'Actions' });
  await actions.waitFor();
  const wanted = items.getByText(what, { exact: true });
  if (!(await wanted.isVisible())) await actions.click();
  await wanted.click();
  await editor.panel.waitFor();
}

/** Chooses from the credentials in the open panel. */
async function chooseCredential(name: string): Promise<void> {
  await byTestId('node-credentials-select').click();
  await editor.choose(name);
}

describe('a new user', () => {
  it('finds the node, makes the credential, tries a script with a test phone and reads what came of it', async () => {
    await addNode('phone call', CALL);
    await byTestId('node-credentials-select').click();
    await byTestId('node-credentials-select-item-new').click();

    // A wrong key is told in red, with the way out.
    const dialog = editor.credentialDialog;
    await editor.saveCredential({ baseUrl: service.baseUrl, apiKey: 'mistyped' });
    await dialog.getByText('More details').click();
    await dialog.getByText('The calling service refused the API key').waitFor();
    await dialog.getByText('Copy the API key again from the dashboard').waitFor();
    await editor.screenshot('A wrong key');

    // n8n closes the dialog when the credential is good, and says so when it is opened again.
    await editor.saveCredential({ apiKey: 'test-key' });
    await dialog.waitFor({ state: 'hidden' });
    await byTestId('credential-edit-button').click();
    await dialog.getByText('Connection tested successfully').waitFor();
    await editor.screenshot('An accepted key');
    await dialog.getByRole('button', { name: 'Close' }).first().click();
    await dialog.waitFor({ state: 'hidden' });

    await editor.field('scriptId').locator('input').fill('12');
    await editor.page.keyboard.press('Tab');
    await editor.field('brand_name').locator('input').fill('Acme');
    await editor.field('order_amount').locator('input').fill('49.90');
    await editor.field('customerPhone').locator('input').fill(CUSTOMER);
    await editor.add('Add rule', 'Manual Executions');
    const chosen = editor.field('manualExecutions').locator('input').first();
    expect(await chosen.inputValue()).toBe('Dry Run');
    await editor.openList('manualExecutions');
    await editor.choose('Call Test Phone');
    await editor.add('Add rule', 'Test Phone');
    await editor.field('testPhone').locator('input').fill(TEST_PHONE);
    await editor.executeStep();
    const output = await editor.output();
    await editor.screenshot('A first call');
    expect(output).toMatch(/^1 item$/m);
    expect(output).toContain(TEST_PHONE);
    expect(output).toContain('in_progress');
    expect([...service.seen.callsByPhone]).toEqual([[TEST_PHONE, 1]]);
    expect(service.seen.calls[0]?.body).toMatchObject({
      brand_name: 'Acme',
      order_amount: '49.90',
    });
    expect(await editor.errorMessages()).toEqual([]);
  });

  it('starts a workflow with outcomes: chooses the call log, fetches a test event and publishes', async () => {
    const { client } = n8n;
    await client.dataTables(n8nApiKey).create(LOG, LOG_COLUMNS);
    const credential = await client.createCredential('Places calls', CALLING_CREDENTIAL, {
      baseUrl: service.baseUrl,
      apiKey: 'test-key',
      n8nApiKey,
    });
    const node = callingNode('Call', 'call.trigger', credential, {
      scriptId: 7,
      customerPhone: CUSTOMER,
      callLog: 'dataTable',
      callLogTable: logTable(LOG),
    });
    const placing = await client.createWorkflow(workflowOf('A logged call', [{}], node));
    expect((await client.runManually(placing)).status).toBe('success');
    await new Promise((resolve) => setTimeout(resolve, 1_500));

    await addNode('AI calling', ON_OUTCOME);
    await chooseCredential(CREDENTIAL);
    await editor.openList('watch');
    await editor.choose('Call Log');
    await editor.openLocator();
    await editor.chooseLocated(LOG);
    expect(await editor.locatorShows()).toBe(LOG);
    await editor.executeStep();
    const output = await editor.output();
    await editor.screenshot('A first test event');
    expect(output).toContain(CUSTOMER);
    expect(output).toMatch(/\d+-outcomeAvailable/);

    await editor.publish();
    const published = await client.readWorkflow(editor.workflowId);
    await client.unpublish(published);
    expect(published.active).toBe(true);
    expect(await editor.errorMessages()).toEqual([]);
  });

  it('calls a test phone without a mouse', async () => {
    const { keyboard } = editor.page;
    const activeItem = editor.page.locator('[data-test-id="node-creator"] [class*="_active_"]');
    const active = async () => (await activeItem.allTextContents()).join();
    /** Waits after each step until the editor has taken it: a slow one would be left behind. */
    const downTo = async (text: string) => {
      for (let steps = 0; steps < 40 && !(await active()).includes(text); steps++) {
        const before = await active();
        await keyboard.press('ArrowDown');
        for (let wait = 0; wait < 20 && (await active()) === before; wait++) {
          await editor.page.waitForTimeout(50);
        }
      }
      await activeItem.filter({ hasText: text }).first().waitFor();
    };
    const tabTo = async (parameter: string) =>
      await editor.pressUntilIn('Tab', editor.field(parameter));

    await editor.newWorkflow();
    await keyboard.press('n');
    await editor.page.locator('[data-test-id="node-creator-search-bar"]:focus').waitFor();
    await keyboard.type('phone call');
    await activeItem.filter({ hasText: NODE }).waitFor();
    await keyboard.press('Enter');
    await byTestId('node-creator-category-item').first().waitFor();
    await downTo('Actions');
    await keyboard.press('Enter');
    await downTo(CALL);
    await keyboard.press('Enter');
    await editor.panel.waitFor();

    await editor.pressUntilIn('Tab', byTestId('node-credentials-select'));
    await editor.chooseByKeyboard(CREDENTIAL);
    await tabTo('scriptId');
    await keyboard.type('12');
    await tabTo('customerPhone');
    await keyboard.type(CUSTOMER);
    await editor.field('brand_name').waitFor();
    await tabTo('brand_name');
    await keyboard.type('Acme');
    await tabTo('order_amount');
    await keyboard.type('49.90');
    const addRule = editor.panel.getByPlaceholder('Add rule', { exact: true });
    await editor.pressUntilIn('Tab', addRule);
    await editor.chooseByKeyboard('Test Phone');
    await editor.field('testPhone').waitFor();
    await editor.pressUntilIn('Shift+Tab', editor.field('testPhone'));
    await keyboard.type(TEST_PHONE);
    await editor.pressUntilIn('Shift+Tab', byTestId('node-execute-button'));
    await keyboard.press('Enter');
    const output = await editor.output();
    await editor.screenshot('A call by keyboard');
    expect(output).toContain(TEST_PHONE);
    expect([...service.seen.callsByPhone]).toEqual([[TEST_PHONE, 1]]);
  });
});

import type { INodeParameters } from 'n8n-workflow';
import { sharedN8n, type Credential, type SavedWorkflow, type SharedN8n } from '../../scripts/n8n';
import { callingNode, saveCredential, workflowOf } from '../n8n/workflows';
import { startCallingService, type CallingService } from '../service';
import { Editor } from './editor';

const HEAD = ['Credential', 'Resource', 'Operation'];
const VARIABLES = ['Script Variables', 'brand_name', 'order_amount'];
const TAIL = ['Simplify', 'Additional Fields', 'Rules', 'Options'];
const PLACING = [
  ...HEAD,
  'Script ID',
  'Customer Phone',
  'Additional Fields',
  'Order Number',
  ...VARIABLES,
  'Simplify',
  'Call Log',
  ...TAIL.slice(-2),
];
const CONTROL = [...HEAD, 'Campaign ID', 'Simplify', 'Options'];
const STARTING = [...CONTROL.slice(0, -1), 'Rules', 'Options'];
const PRUNING = [...HEAD, 'Call Log Table', 'Prune By'];
const creating = (...contacts: string[]) => [
  ...[...HEAD, 'Script ID', 'Campaign Name', 'Kind', 'Contacts Source'],
  ...[...contacts, ...VARIABLES, 'Start Immediately', ...TAIL],
];

/** What each operation shows when it is new and a script with two variables is chosen. */
const PANELS: Array<[name: string, operation: string, INodeParameters, labels: string[]]> = [
  ['Trigger', 'call.trigger', { scriptId: 12 }, PLACING],
  ['Trigger and wait', 'call.triggerAndWait', { scriptId: 12 }, PLACING],
  [
    'Get outcome',
    'call.getOutcome',
    {},
    [...HEAD, 'Call ID at the Service', 'If Call Is in Progress', 'Simplify', 'Options'],
  ],
  [
    'Create from items',
    'campaign.create',
    { scriptId: 12 },
    creating('Contact Phone', 'Contact Fields'),
  ],
  [
    'Create from JSON',
    'campaign.create',
    { scriptId: 12, contactsSource: 'json' },
    creating('Contacts'),
  ],
  [
    'Create from CSV text',
    'campaign.create',
    { scriptId: 12, contactsSource: 'csvText' },
    creating('CSV Text', 'Phone Column'),
  ],
  [
    'Create from a CSV file',
    'campaign.create',
    { scriptId: 12, contactsSource: 'csvFile' },
    creating('Input Binary Field', 'Phone Column'),
  ],
  ['Start', 'campaign.start', {}, STARTING],
  ['Pause', 'campaign.pause', {}, CONTROL],
  ['Resume', 'campaign.resume', {}, STARTING],
  ['Stop', 'campaign.stop', {}, CONTROL],
  [
    'Report',
    'callLog.report',
    {},
    [...HEAD, 'Call Log Table', 'From', 'To', 'Group By', 'Options'],
  ],
  ['Prune by age', 'callLog.prune', {}, [...PRUNING, 'Older Than (Days)']],
  [
    'Prune by phone',
    'callLog.prune',
    { pruneBy: 'phone' },
    [...PRUNING, 'Customer Phone', 'Options'],
  ],
];

let n8n: SharedN8n;
let service: CallingService;
let credential: Credential;
let editor: Editor;
let workflow: SavedWorkflow;

beforeAll(async () => {
  service = await startCallingService();
  n8n = await sharedN8n();
  credential = await saveCredential(n8n.client, service);
  const nodes = PANELS.map(([name, operation, parameters]) =>
    callingNode(name, operation, credential, parameters),
  );
  workflow = await n8n.client.createWorkflow(workflowOf('Panels', [{}], ...nodes));
  editor = await Editor.open(n8n);
});

afterAll(async () => {
  await editor?.close();
  await service?.close();
});

describe('the panel of the node', () => {
  it.each(PANELS)('shows what "%s" needs, and no more', async (name, _operation, _set, labels) => {
    await editor.openNode(workflow, name);
    expect(await editor.labelsOnce(labels.length)).toEqual(labels);
    expect(await editor.errorMessages()).toEqual([]);
    await editor.screenshot(name);
  });

  it('warns that stopping a campaign is final', async () => {
    await editor.openNode(workflow, 'Stop');
    await editor.panel.getByText('Stopping is final').waitFor();
  });

  it('says what pruning deletes and what stays', async () => {
    await editor.openNode(workflow, 'Prune by age');
    await editor.panel.getByText('Deletes rows for good').waitFor();
  });

  /** Opens a node that triggers calls and gets one item. */
  async function openTrigger(parameters: INodeParameters): Promise<void> {
    const node = callingNode('Trigger', 'call.trigger', credential, parameters);
    const single = workflowOf('One trigger', [{ script: 12 }], node);
    await editor.openNode(await n8n.client.createWorkflow(single), 'Trigger');
  }

  it('asks for a script ID before it shows fields for variables', async () => {
    await openTrigger({});
    await editor.panel.getByText('Enter a script ID').waitFor();
    await editor.screenshot('No script yet');
  });

  it('shows the variables of the script that an expression gives for the data at hand', async () => {
    await openTrigger({ scriptId: '={{ $json.script }}' });
    expect(await editor.labelsOnce(PLACING.length)).toEqual(PLACING);
  });

  it('keeps what is filled in when another script ID is entered by mistake', async () => {
    await openTrigger({ scriptId: 12 });
    await editor.labelsOnce(PLACING.length);
    const script = editor.field('scriptId').locator('input');
    const brand = editor.panel.locator('[data-test-id*="brand_name"] input').first();
    await brand.fill('Acme');
    for (const id of ['21', '12']) {
      await script.fill(id);
      await script.press('Tab');
      await editor.page.waitForTimeout(1_500); // the editor asks the service meanwhile
    }
    expect(await editor.labels()).toEqual(PLACING);
    expect(await brand.inputValue()).toBe('Acme');
    await editor.screenshot('Variables kept');
  });

  it('shows the variables of a script whose ID is entered after a wrong one', async () => {
    await openTrigger({});
    const script = editor.field('scriptId').locator('input');
    for (const id of ['7', '12']) {
      await script.fill(id);
      await script.press('Tab');
      await editor.page.waitForTimeout(500);
    }
    expect(await editor.labelsOnce(PLACING.length)).toEqual(PLACING);
  });

  it('says so when the service names no variables for a script', async () => {
    await openTrigger({ scriptId: 7 });
    await editor.panel.getByText('This script seems to need no variables').waitFor();
  });

  it('tells what went wrong, and what to do, after a failed execution', async () => {
    await openTrigger({ scriptId: 7, customerPhone: 'not a number' });
    const error = await editor.failedStep();
    await editor.screenshot('Mistake');
    expect(error).toMatch(/Customer Phone "not a number" is not a phone number/);
    expect(error).toMatch(/Nothing was sent/);
  });

  it('opens the credential with its fields in order', async () => {
    await editor.openNode(workflow, 'Trigger');
    await editor.page.locator('[data-test-id="credential-edit-button"]').click();
    const modal = editor.page.locator('[data-test-id="editCredential-modal"]');
    await modal.getByText('Allow HTTP').waitFor();
    await editor.screenshot('Credential');
    const text = await modal.innerText();
    const places = ['Base URL', 'API Key', 'Header Form', 'Path Form', 'Allow HTTP'].map((label) =>
      text.indexOf(label),
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(text).not.toContain('test-key');
    await editor.page.keyboard.press('Escape');
    await modal.waitFor({ state: 'hidden' });
  });
});

describe('the node', () => {
  it.each([
    'phone',
    'phone call',
    'voice call',
    'cash on delivery',
    'outbound',
    'call outcome',
    'schedule call',
  ])('is found by searching for "%s"', async (words) => {
    await editor.closeNode();
    await editor.openWorkflow(workflow);
    const found = await editor.searchNodes(words);
    await editor.screenshot(`Search ${words}`);
    expect(found).toContain('Outbound AI Calling');
  });

  it('has an icon for light and one for dark surroundings', async () => {
    const sourceOfIcon = async () =>
      await editor.card('Trigger').locator('img').first().getAttribute('src');
    await editor.page.emulateMedia({ colorScheme: 'light' });
    await editor.page.reload();
    await editor.openWorkflow(workflow);
    expect(await sourceOfIcon()).toMatch(/outboundAiCalling\.svg$/);
    await editor.page.emulateMedia({ colorScheme: 'dark' });
    await editor.page.reload();
    await editor.openWorkflow(workflow);
    await editor.screenshot('Dark');
    expect(await sourceOfIcon()).toMatch(/outboundAiCalling\.dark\.svg$/);
  });
});

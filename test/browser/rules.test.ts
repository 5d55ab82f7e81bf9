import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { sharedN8n, type Credential, type SavedWorkflow, type SharedN8n } from '../../scripts/n8n';
import { callingNode, saveCredential, workflowOf } from '../n8n/workflows';
import { startCallingService, type CallingService } from '../service';
import { Editor } from './editor';

const LIST = 'Asked not to be called';
const OTHER_LIST = 'Moved away';
const SPARED = '+12025550101';
const CALLED = '+12025550102';

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;
let editor: Editor;
let listId: string;

beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 1, max: 1 } });
  n8n = await sharedN8n();
  const { client } = n8n;
  const n8nApiKey = await client.createApiKey('Rules in the editor');
  const tables = client.dataTables(n8nApiKey);
  await tables.create(OTHER_LIST, [{ name: 'phone', type: 'string' }]);
  const list = await tables.create(LIST, [{ name: 'phone', type: 'string' }]);
  await tables.insert(list.id, [{ phone: SPARED }]);
  listId = list.id;
  calling = await saveCredential(client, service, { n8nApiKey });
  editor = await Editor.open(n8n);
});

afterAll(async () => {
  await editor?.close();
  await service?.close();
});
beforeEach(() => service.reset());

async function open(
  operation: string,
  parameters: INodeParameters,
  items: IDataObject[] = [{}],
  credential = calling,
): Promise<SavedWorkflow> {
  const node = callingNode('Call', operation, credential, parameters);
  const workflow = await n8n.client.createWorkflow(workflowOf('Rules', items, node));
  await editor.openNode(workflow, 'Call');
  return workflow;
}

const CUSTOMER = { scriptId: 7, customerPhone: '={{ $json.phone }}' };

describe('the do-not-call list that is added in the editor', () => {
  it.each<[string, INodeParameters]>([
    ['call.trigger', { scriptId: 7, customerPhone: CALLED }],
    ['campaign.create', { scriptId: 7, contactPhone: CALLED }],
  ])('offers the data tables, and keeps the one that is chosen: %s', async (operation, set) => {
    const workflow = await open(operation, set);
    await editor.add('Add rule', 'Do-Not-Call List');
    await editor.screenshot(`Do-not-call list of ${operation}`);
    expect(await editor.openLocator()).toEqual(expect.arrayContaining([LIST, OTHER_LIST]));
    await editor.screenshot(`Do-not-call lists of ${operation}`);
    await editor.chooseLocated(LIST);
    await editor.screenshot(`Do-not-call list chosen in ${operation}`);
    expect(await editor.savedRules(workflow, 'Call', listId)).toMatchObject({
      doNotCallTable: { __rl: true, mode: 'list', value: listId, cachedResultName: LIST },
    });
    await editor.page.reload();
    await editor.openNode(workflow, 'Call');
    expect(await editor.locatorShows()).toBe(LIST);
    expect(await editor.errorMessages()).toEqual([]);
  });

  it('says what the credential lacks when the data tables cannot be listed', async () => {
    const credential = await saveCredential(n8n.client, service);
    await open('call.trigger', { scriptId: 7, customerPhone: CALLED }, [{}], credential);
    await editor.add('Add rule', 'Do-Not-Call List');
    await editor.panel.locator('[data-test-id="rlc-input"]').click();
    const error = editor.page.locator('[data-test-id="rlc-error-container"]');
    await error.waitFor();
    await editor.screenshot('No data tables without a key');
    expect(await error.innerText()).toContain('The credential has no n8n API key');
  });

  it('says how many it has kept from being called, above the items', async () => {
    const doNotCallTable = { __rl: true, mode: 'list', value: listId, cachedResultName: LIST };
    const items = [{ phone: SPARED }, { phone: CALLED }];
    await open('call.trigger', { ...CUSTOMER, rules: { doNotCallTable } }, items);
    await editor.executeStep();
    const output = await editor.output();
    await editor.screenshot('Hint about people not called');
    expect(await editor.hints()).toEqual(['1 of 2 not called: 1 on the do-not-call list']);
    expect(output).toContain('doNotCall');
    expect([...service.seen.callsByPhone]).toEqual([[CALLED, 1]]);
  });

  it('says in a dry run how many it would keep from being called', async () => {
    const doNotCallTable = { __rl: true, mode: 'list', value: listId, cachedResultName: LIST };
    const items = [{ phone: SPARED }, { phone: CALLED }];
    const rules = { doNotCallTable, manualExecutions: 'dryRun' };
    await open('call.trigger', { ...CUSTOMER, rules }, items);
    await editor.executeStep();
    await editor.output();
    await editor.screenshot('Hint of a dry run');
    expect(await editor.hints()).toEqual(['1 of 2 would not be called: 1 on the do-not-call list']);
    expect(service.seen.calls).toEqual([]);
  });
});

describe('"Not Called Output"', () => {
  it('gives the node two outputs on the canvas, and goes with the option', async () => {
    const doNotCallTable = { __rl: true, mode: 'id', value: listId };
    const items = [{ phone: SPARED }, { phone: CALLED }];
    const set = { ...CUSTOMER, rules: { doNotCallTable } };
    const workflow = await open('call.trigger', set, items);
    await editor.closeNode();
    expect(await editor.outputs('Call')).toEqual(['']);
    await editor.openNode(workflow, 'Call');
    await editor.add('Add option', 'Not Called Output');
    await editor.closeNode();
    expect(await editor.outputs('Call')).toEqual(['Called', 'Not Called']);
    await editor.screenshot('Two outputs');
    await editor.openNode(workflow, 'Call');
    await editor.executeStep();
    await editor.output();
    await editor.screenshot('Two outputs executed');
    await editor.closeNode();
    await editor.screenshot('Two outputs with items');
    expect(await editor.errorMessages()).toEqual([]);
  });

  it('is not there for operations that read only', async () => {
    await open('call.getOutcome', { orderId: '4001', options: { notCalledOutput: true } });
    await editor.closeNode();
    expect(await editor.outputs('Call')).toEqual(['']);
  });
});

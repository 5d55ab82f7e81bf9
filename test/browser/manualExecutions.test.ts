import type { INodeParameters } from 'n8n-workflow';
import type { Locator } from 'playwright-core';
import { sharedN8n, type Credential, type SharedN8n } from '../../scripts/n8n';
import { callingNode, saveCredential, workflowOf } from '../n8n/workflows';
import { startCallingService, type CallingService } from '../service';
import { Editor } from './editor';

const CUSTOMER = '+12025550101';
const TEST_PHONE = '+12025550199';
const CALL_NOTICE = /^Execute step rings this phone now, and stopping n8n does not hang up/;
const SCHEDULE_NOTICE = /^Execute step schedules calls to these customers/;
const PLACE_NOTICE = /^Execute step calls the customers whose scheduled calls are due now/;
const CREATE_NOTICE = /^Execute step makes the campaign call these people now/;
const CAMPAIGN_NOTICE = /^Execute step makes this campaign call people now/;

let n8n: SharedN8n;
let service: CallingService;
let credential: Credential;
let editor: Editor;
beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 1, max: 1 } });
  n8n = await sharedN8n();
  credential = await saveCredential(n8n.client, service);
  editor = await Editor.open(n8n);
});
afterAll(async () => {
  await editor?.close();
  await service?.close();
});

async function open(operation: string, parameters: INodeParameters): Promise<void> {
  const node = callingNode('Call', operation, credential, parameters);
  const workflow = workflowOf('By hand', [{ phone: CUSTOMER }], node);
  await editor.openNode(await n8n.client.createWorkflow(workflow), 'Call');
}

const call = (rules: INodeParameters): INodeParameters => ({
  scriptId: 7,
  customerPhone: '={{ $json.phone }}',
  rules,
});
const notice = (text: RegExp) => editor.panel.getByText(text);

describe('the notice that somebody is called now', () => {
  it('stands above Customer Phone, and goes with another choice', async () => {
    await open('call.trigger', call({ manualExecutions: 'call' }));
    await notice(CALL_NOTICE).waitFor();
    const top = async (element: Locator) => (await element.first().boundingBox())?.y ?? NaN;
    const label = editor.panel.locator('label', { hasText: 'Customer Phone' });
    expect(await top(notice(CALL_NOTICE))).toBeLessThan(await top(label));
    await editor.screenshot('Calls now');
    for (const [choice, count] of [
      ['Dry Run', 0],
      ['Call', 1],
      ['Call Test Phone', 0],
    ] as const) {
      expect(await editor.openList('manualExecutions')).toEqual([
        'Call',
        'Call Test Phone',
        'Dry Run',
        'Simulate',
      ]);
      await editor.choose(choice);
      await notice(CALL_NOTICE).waitFor({ state: count === 0 ? 'hidden' : 'visible' });
      expect(await notice(CALL_NOTICE).count()).toBe(count);
    }
    await editor.screenshot('Calls a test phone');
    await editor.panel.getByText('Has no effect in production executions').waitFor();
  });

  const start = { campaignId: '317' };
  const create = { scriptId: 7, contactPhone: CUSTOMER };
  const dryRun = { rules: { manualExecutions: 'dryRun' } };
  it.each<[string, INodeParameters, RegExp, boolean]>([
    ['call.trigger', call({}), CALL_NOTICE, true],
    ['call.triggerAndWait', call({}), CALL_NOTICE, true],
    ['call.triggerAndWait', call({ testPhone: TEST_PHONE }), CALL_NOTICE, false],
    ['call.trigger', call({ testPhone: '' }), CALL_NOTICE, true],
    // It is refused.
    ['call.trigger', call({ manualExecutions: 'call', testPhone: TEST_PHONE }), CALL_NOTICE, false],
    ['call.schedule', call({}), SCHEDULE_NOTICE, true],
    ['call.schedule', call({ manualExecutions: 'dryRun' }), SCHEDULE_NOTICE, false],
    ['call.placeScheduled', {}, PLACE_NOTICE, true],
    ['campaign.create', { ...create, startImmediately: true }, CREATE_NOTICE, true],
    ['campaign.create', create, CREATE_NOTICE, false],
    ['campaign.create', { ...create, startImmediately: true, ...dryRun }, CREATE_NOTICE, false],
    ['campaign.start', start, CAMPAIGN_NOTICE, true],
    ['campaign.resume', { ...start, rules: { manualExecutions: 'call' } }, CAMPAIGN_NOTICE, true],
    ['campaign.start', { ...start, ...dryRun }, CAMPAIGN_NOTICE, false],
    ['campaign.pause', start, CAMPAIGN_NOTICE, false],
  ])('in %s with %j', async (operation, parameters, text, isShown) => {
    await open(operation, parameters);
    await editor.panel.getByText('Operation', { exact: true }).waitFor();
    if (isShown) await notice(text).waitFor();
    expect(await notice(text).count()).toBe(isShown ? 1 : 0);
    await editor.screenshot(`Notice ${operation} ${Object.keys(parameters).join(' ')}`);
  });
});

describe('"Execute step"', () => {
  it('rings the test phone, and shows that it did', async () => {
    await open('call.trigger', call({ manualExecutions: 'testPhone', testPhone: TEST_PHONE }));
    await editor.executeStep();
    const output = await editor.output();
    await editor.screenshot('Test call');
    expect(output).toMatch(/testCall[\s\S]*orderId[\s\S]*customerPhone/);
    expect(output).toContain(TEST_PHONE);
    expect(output).not.toContain(CUSTOMER);
    expect(output).toMatch(/\btrue\b/);
    const [orderId] = service.seen.calls.map((placed) => placed.orderId);
    expect(output).toContain(String(orderId));
    expect([...service.seen.callsByPhone]).toEqual([[TEST_PHONE, 1]]);
    expect(await editor.errorMessages()).toEqual([]);
  });

  it('rings nobody in a dry run, and shows what would happen', async () => {
    service.reset();
    await open('call.trigger', call({ manualExecutions: 'dryRun' }));
    await editor.executeStep();
    const output = await editor.output();
    await editor.screenshot('Dry run');
    expect(output).toMatch(/dryRun[\s\S]*wouldCall/);
    expect(output).toContain(CUSTOMER);
    expect(service.seen.calls).toEqual([]);
  });
});

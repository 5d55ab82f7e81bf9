import type { INodeParameters } from 'n8n-workflow';
import { sharedN8n, type SharedN8n } from '../../scripts/n8n';
import { callingNode, saveCredential, workflowOf } from '../n8n/workflows';
import { startCallingService, type CallingService } from '../service';
import { Editor } from './editor';

/** What a browser would run if it took it for HTML. */
const SCRIPT = '<img src="data:," onerror="window.isHarmed = true">';
/** What n8n's sanitizer lets through: a link over the whole page. */
const LINK = '<a href="https://evil.example" style="position:fixed;inset:0">Sign in</a>';

let n8n: SharedN8n;
let service: CallingService;
let editor: Editor;
beforeAll(async () => {
  service = await startCallingService({
    callSeconds: { min: 1, max: 1 },
    outcomeFor: () => ({
      status: 'completed',
      label: `Confirmed ${SCRIPT}`,
      talkSec: 1,
      cost: 0.1,
      summary: SCRIPT,
      turns: [{ speaker: 'customer', text: SCRIPT, atSec: 0 }],
    }),
  });
  n8n = await sharedN8n();
  editor = await Editor.open(n8n);
});
afterAll(async () => {
  await editor?.close();
  await service?.close();
});

/** Whether the page has taken the text for HTML: run it, or made an image or a link of it. */
async function isHarmed(): Promise<boolean> {
  return await editor.page.evaluate(
    `'isHarmed' in window || document.querySelector('img[onerror], img[src="data:,"], a[href*="evil.example"]') !== null`,
  );
}

async function open(operation: string, parameters: INodeParameters, phones: string[]) {
  const credential = await saveCredential(n8n.client, service);
  const node = callingNode('Call', operation, credential, { scriptId: 7, ...parameters });
  const items = phones.map((phone) => ({ phone, name: SCRIPT }));
  const workflow = workflowOf('Hostile data', items, node);
  await editor.openNode(await n8n.client.createWorkflow(workflow), 'Call');
}

const openCall = async (phone: string) =>
  await open('call.triggerAndWait', { customerPhone: '={{ $json.phone }}' }, [phone]);

describe("customers' data that is meant to do harm", () => {
  it('is shown as text in an error', async () => {
    await openCall(`${SCRIPT}+12025550101`);
    expect(await editor.failedStep()).toContain('onerror');
    await editor.screenshot('Hostile phone');
    expect(await isHarmed()).toBe(false);
  });

  it('is shown as text in an error about several people', async () => {
    const contacts = { contactsSource: 'inputItems', contactPhone: '={{ $json.phone }}' };
    await open(
      'campaign.create',
      contacts,
      [1, 2, 3, 4].map((number) => `${LINK}${number}`),
    );
    expect(await editor.failedStep()).toContain('and 1 more');
    await editor.screenshot('Hostile contacts');
    expect(await isHarmed()).toBe(false);
  });

  it('is shown as text in what comes out of a call', async () => {
    await openCall('+12025550101');
    await editor.executeStep();
    expect(await editor.output()).toContain(SCRIPT);
    await editor.screenshot('Hostile outcome');
    expect(await isHarmed()).toBe(false);
  });

  it('would be noticed if it did harm', async () => {
    const html = JSON.stringify(SCRIPT);
    await editor.page.evaluate(
      `document.body.append(document.createRange().createContextualFragment(${html}))`,
    );
    expect(await isHarmed()).toBe(true);
  });
});

import { sharedN8n, type SharedN8n } from '../../scripts/n8n';
import { callingNode, saveCredential, workflowOf } from '../n8n/workflows';
import { startCallingService, type CallingService } from '../service';
import { Editor } from './editor';

/** What a browser would run if it took it for HTML. */
const SCRIPT = '<img src="data:," onerror="window.isHarmed = true">';

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

/** Whether the page has taken the text for HTML: run it, or made an image of it. */
async function isHarmed(): Promise<boolean> {
  return await editor.page.evaluate(
    `'isHarmed' in window || document.querySelector('img[onerror], img[src="data:,"]') !== null`,
  );
}

async function open(customerPhone: string): Promise<void> {
  const credential = await saveCredential(n8n.client, service);
  const node = callingNode('Call', 'call.triggerAndWait', credential, {
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
  });
  const workflow = workflowOf('Hostile data', [{ phone: customerPhone, name: SCRIPT }], node);
  await editor.openNode(await n8n.client.createWorkflow(workflow), 'Call');
}

describe("customers' data that is meant to do harm", () => {
  it('is shown as text in an error', async () => {
    await open(`${SCRIPT}+12025550101`);
    expect(await editor.failedStep()).toContain('onerror');
    await editor.screenshot('Hostile phone');
    expect(await isHarmed()).toBe(false);
  });

  it('is shown as text in what comes out of a call', async () => {
    await open('+12025550101');
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

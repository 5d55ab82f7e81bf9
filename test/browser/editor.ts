import { chromium, type Browser, type Page } from 'playwright-core';
import type { PreparedN8n, SavedWorkflow } from '../n8n/runtime';

/** Debian's Chromium, kept from talking to anybody but this machine. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** n8n's editor in a browser, logged in as the owner. */
export class Editor {
  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
    private readonly baseUrl: string,
  ) {}

  static async open({ client }: PreparedN8n): Promise<Editor> {
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
    const context = await browser.newContext({ viewport: { width: 1400, height: 1500 } });
    const [name = '', value = ''] = (client.session.loginCookie ?? '').split('=');
    await context.addCookies([{ name, value, url: client.baseUrl }]);
    const page = await context.newPage();
    return new Editor(browser, page, client.baseUrl);
  }

  /** Opens the panel of a node of a saved workflow. */
  async openNode(workflow: SavedWorkflow, node: string): Promise<void> {
    const { page } = this;
    await page.goto(`${this.baseUrl}/workflow/${workflow.id}`);
    const card = page.locator(`[data-test-id="canvas-node"][data-node-name="${node}"]`);
    await card.waitFor({ timeout: 30_000 });
    await card.dblclick();
    await page.locator('[data-test-id="node-parameters"]').waitFor({ timeout: 20_000 });
  }

  /** The labels of the fields that the open panel shows, from top to bottom. */
  async labels(): Promise<string[]> {
    const labels = this.page.locator(
      '[data-test-id="node-parameters"] [data-test-id="parameter-input-label"], [data-test-id="node-parameters"] label',
    );
    return (await labels.allInnerTexts()).map((text) => text.trim()).filter((text) => text !== '');
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

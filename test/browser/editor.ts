import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { PROJECT, type SavedWorkflow, type SharedN8n, type WorkflowFile } from '../../scripts/n8n';

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

/** Only for what never comes: on a busy machine a panel may take minutes. */
const PATIENCE_MS = 240_000;

/** A panel that opens takes less. Otherwise its card or button is pressed once more. */
const OPENS_WITHIN_MS = 10_000;

/** When nothing has changed for so long, nothing will. */
const STILL_MS = 400;

/** A panel has fewer stops for the keyboard, also when the focus goes back to the top because fields were drawn again. */
const MOST_KEYS = 150;

/** The page that lists all workflows: no canvas is on it. */
const OVERVIEW = '/home/workflows';

/** What a list shows that n8n asks the node for. */
const LOADING = 'Loading options...';

/** Where screenshots are left for people to look at. */
const SCREENSHOTS = join(PROJECT, '.screenshots');

const byTestId = (id: string) => `[data-test-id="${id}"]`;

/** n8n's editor in a browser, logged in as the owner. */
export class Editor {
  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
    private readonly client: SharedN8n['client'],
  ) {}

  /** @param pixels of the screen in one of the page, for finer screenshots */
  static async open({ client }: SharedN8n, pixels = 1): Promise<Editor> {
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
    const context = await browser.newContext({
      viewport: { width: 1400, height: 1500 },
      deviceScaleFactor: pixels,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const [name = '', value = ''] = (client.session.loginCookie ?? '').split('=');
    await context.addCookies([{ name, value, url: client.baseUrl }]);
    const page = await context.newPage();
    return new Editor(browser, page, client);
  }

  /** Opens a saved workflow, unless it is open already. */
  async openWorkflow(workflow: SavedWorkflow): Promise<void> {
    const path = `/workflow/${workflow.id}`;
    if (!this.page.url().startsWith(`${this.client.baseUrl}${path}`)) await this.goTo(path);
    await this.page.locator(byTestId('canvas-node')).first().waitFor();
  }

  /** Goes to a page of the editor, from within it as people do: to load the editor takes ten times as long. */
  private async goTo(path: string): Promise<void> {
    const { page, client } = this;
    if (!page.url().startsWith(client.baseUrl)) {
      await page.goto(`${client.baseUrl}${path}`);
      return;
    }
    await this.closeNode();
    // What has been published is told in a dialog.
    await page.keyboard.press('Escape');
    await this.follow(OVERVIEW);
    const left = page.locator(`body:not(:has(${byTestId('canvas-wrapper')}))`);
    const leave = page.getByRole('button', { name: 'Leave without saving' });
    await left.or(leave).first().waitFor();
    if (await leave.isVisible()) await leave.click();
    await left.waitFor();
    await this.follow(path);
  }

  /** Has the editor show another of its pages, as a link within it does. */
  private async follow(path: string): Promise<void> {
    await this.page.evaluate(
      `history.pushState({}, '', '${path}'); dispatchEvent(new PopStateEvent('popstate', { state: {} }))`,
    );
  }

  /** Waits until nothing on the page changes any more: fonts, icons, lists, movements. */
  async settled(): Promise<void> {
    const { page } = this;
    await page.waitForFunction(
      'document.fonts.status === "loaded" && [...document.images].every((one) => one.complete)',
    );
    for (let before: Buffer | undefined; ;) {
      const now = await page.screenshot({ caret: 'initial' });
      if (before?.equals(now)) return;
      before = now;
      await page.waitForTimeout(STILL_MS);
    }
  }

  /** Opens a new, empty workflow. */
  async newWorkflow(): Promise<void> {
    await this.page.goto(`${this.client.baseUrl}/workflow/new`);
    await this.page.locator(byTestId('canvas-add-button')).waitFor();
  }

  /** The id of the workflow that is open. */
  get workflowId(): string {
    return /\/workflow\/(\w+)/.exec(this.page.url())?.[1] ?? '';
  }

  /** Opens a new workflow and imports a file into it. */
  async importWorkflow(file: WorkflowFile): Promise<void> {
    await this.newWorkflow();
    const buffer = Buffer.from(JSON.stringify(file));
    const upload = { name: 'workflow.json', mimeType: 'application/json', buffer };
    await this.page.locator(byTestId('workflow-import-input')).setInputFiles(upload);
    await this.page.locator(byTestId('canvas-node')).first().waitFor();
  }

  /** Presses what publishes the open workflow. */
  async pressPublish(): Promise<Locator> {
    await this.closeNode();
    await this.page.locator(byTestId('workflow-open-publish-modal-button')).click();
    const publish = this.page.locator(byTestId('workflow-publish-button'));
    await publish.click();
    return publish;
  }

  /** Publishes the open workflow, which polls once. */
  async publish(): Promise<void> {
    await (await this.pressPublish()).waitFor({ state: 'hidden' });
  }

  /** The dialog in which a credential is made and changed. */
  get credentialDialog(): Locator {
    return this.page.locator(byTestId('editCredential-modal'));
  }

  /** Fills in fields of the credential that is open, by their names, and saves it. */
  async saveCredential(fields: Record<string, string>): Promise<void> {
    for (const [name, value] of Object.entries(fields)) {
      await this.credentialDialog
        .locator(`${byTestId(`parameter-input-${name}`)} input`)
        .fill(value);
    }
    await this.credentialDialog.locator(byTestId('credential-save-button')).click();
  }

  /** Presses a key until the element that has the focus is within another; the next time when the focus has moved. */
  async pressUntilIn(key: string, element: Locator): Promise<void> {
    const { page } = this;
    await element.waitFor();
    const focused = element.locator('css=:scope:focus, :focus');
    for (let times = 0; times < MOST_KEYS; times++) {
      if ((await focused.count()) > 0) return;
      const before = await page.evaluateHandle('document.activeElement');
      await page.keyboard.press(key);
      // A list that is open takes the first key for itself.
      await page
        .waitForFunction('(before) => document.activeElement !== before', before, {
          timeout: STILL_MS,
        })
        .catch(() => undefined);
    }
    throw new Error(`${key} does not lead there.`);
  }

  /** A node of the open workflow as it lies on the canvas. */
  card(node: string): Locator {
    return this.page.locator(`${byTestId('canvas-node')}[data-node-name="${node}"]`);
  }

  /** Opens the panel of a node of a saved workflow. */
  async openNode(workflow: SavedWorkflow, node: string): Promise<void> {
    await this.closeNode();
    await this.openWorkflow(workflow);
    await this.openCard(node);
  }

  /** Opens the panel of a node of the open workflow. */
  async openCard(node: string): Promise<void> {
    await this.open(this.panel, () => this.card(node).dblclick());
  }

  /** Opens what a press on the canvas opens. */
  private async open(element: Locator, press: () => Promise<void>): Promise<void> {
    await press();
    await element.waitFor({ timeout: OPENS_WITHIN_MS }).catch(async () => {
      // What still moves to its place is missed.
      if (!(await element.isVisible())) await press();
      await element.waitFor();
    });
  }

  /** Closes the panel that is open, if any. */
  async closeNode(): Promise<void> {
    if (!(await this.panel.isVisible())) return;
    await this.page.locator(byTestId('ndv-close-button')).click();
    await this.panel.waitFor({ state: 'hidden' });
  }

  /** The outputs of a node as they lie on the canvas, by what is written beside them. */
  async outputs(node: string): Promise<string[]> {
    const handle = `${byTestId('canvas-node-output-handle')}[data-node-name="${node}"]`;
    await this.page.locator(handle).first().waitFor();
    const texts = await this.page.locator(handle).allInnerTexts();
    return texts.map((text) => text.trim());
  }

  /**
   * Closes the panel and saves the workflow; gives the rules of a node once they hold what was set last:
   * the editor also saves on its own, a while after each change.
   */
  async savedRules(workflow: SavedWorkflow, node: string, setLast: string): Promise<IDataObject> {
    await this.closeNode();
    await this.page.keyboard.press('Control+s');
    for (;;) {
      const { nodes } = await this.client.readWorkflow(workflow.id);
      const rules = nodes.find(({ name }) => name === node)?.parameters.rules as IDataObject;
      if (JSON.stringify(rules ?? {}).includes(setLast)) return rules;
      await this.page.waitForTimeout(200);
    }
  }

  /** The parameters in the open panel. */
  get panel(): Locator {
    return this.page.locator(byTestId('node-parameters'));
  }

  /** The labels of the parameters that the open panel shows, from top to bottom. */
  async labels(): Promise<string[]> {
    const labels = await this.panel.locator('label:visible').allInnerTexts();
    return labels.map((text) => text.trim().split('\n')[0] ?? '').filter((text) => text !== '');
  }

  /** The labels, once they are so many: those of script variables come after a request. */
  async labelsOnce(count: number): Promise<string[]> {
    const deadline = Date.now() + PATIENCE_MS / 2;
    for (;;) {
      const labels = await this.labels();
      if (labels.length === count || Date.now() > deadline) return labels;
      await this.page.waitForTimeout(100);
    }
  }

  /** What the list that is open offers. */
  private get offers(): Locator {
    return this.page.locator('.el-select-dropdown__item:visible');
  }

  /** Opens the list of a parameter in the open panel, and gives the names that it offers. */
  async openList(parameter: string): Promise<string[]> {
    await this.shownIn(parameter); // until then a click does nothing
    await this.panel.locator(byTestId(`parameter-input-${parameter}`)).click();
    return await this.namesOnOffer();
  }

  /** Opens the list of options that can be added in the open panel, and gives their names. */
  async openOptions(): Promise<string[]> {
    await this.panel.locator(byTestId('collection-parameter-add')).click();
    return await this.namesOnOffer();
  }

  /** Adds an entry by the button of a collection in the open panel, e.g. "Add rule". */
  async add(button: string, entry: string): Promise<void> {
    await this.panel.getByPlaceholder(button, { exact: true }).click();
    await this.namesOnOffer();
    await this.choose(entry);
  }

  /** Opens the list of the resource locator in the open panel, and gives the names that it offers. */
  async openLocator(): Promise<string[]> {
    await this.panel.locator(byTestId('rlc-input')).click();
    const items = this.page.locator(`${byTestId('rlc-item')}:visible`);
    await items.first().waitFor();
    return (await items.allInnerTexts()).map((text) => text.trim());
  }

  /** What the resource locator in the open panel shows. */
  async locatorShows(): Promise<string> {
    return await this.panel.locator(byTestId('rlc-input')).inputValue();
  }

  /** Chooses from the list of the resource locator that is open. */
  async chooseLocated(name: string): Promise<void> {
    const text = this.page.getByText(name, { exact: true });
    await this.page
      .locator(`${byTestId('rlc-item')}:visible`)
      .filter({ has: text })
      .click();
  }

  /** The field of a parameter in the open panel. */
  field(parameter: string): Locator {
    return this.panel.locator(byTestId(`parameter-input-${parameter}`));
  }

  /** What a field for text, or a list, shows, once the list is loaded. */
  async shownIn(parameter: string): Promise<string> {
    for (;;) {
      const shown = await this.field(parameter).locator('input').first().inputValue();
      if (shown !== LOADING) return shown;
      await this.page.waitForTimeout(100);
    }
  }

  /** Chooses from the list that is open. */
  async choose(name: string): Promise<void> {
    await this.offers.filter({ has: this.page.getByText(name, { exact: true }) }).click();
  }

  /** Opens the list that has the focus and chooses from it, without a mouse. */
  async chooseByKeyboard(name: string): Promise<void> {
    const { page } = this;
    await page.keyboard.press('Enter');
    await this.offers.first().waitFor();
    await page.keyboard.type(name);
    await page.waitForTimeout(500); // the list is filtered a moment after typing
    const marked = page.locator('.el-select-dropdown__item.hover:visible', { hasText: name });
    for (let times = 0; times < MOST_KEYS && (await marked.count()) === 0; times++) {
      await page.keyboard.press('ArrowDown');
      await page.waitForTimeout(100);
    }
    await page.keyboard.press('Enter');
  }

  private async namesOnOffer(): Promise<string[]> {
    await this.offers.first().waitFor();
    const texts = await this.offers.allInnerTexts();
    return texts.map((text) => text.trim().split('\n')[0] ?? '');
  }

  /** Presses "Execute step", which is "Fetch Test Event" in a trigger, in the open panel. */
  async executeStep(): Promise<void> {
    await this.page.locator(byTestId('node-execute-button')).click();
  }

  /** Stops the step that is being executed in the open panel. */
  async stopStep(): Promise<void> {
    const stop = this.page.locator(byTestId('ndv-stop-execution-button'));
    await stop.click();
    await stop.waitFor({ state: 'hidden' });
  }

  /** The items that an execution has given to the open panel, as its table shows them. */
  async output(): Promise<string> {
    const output = this.page.locator(byTestId('output-panel'));
    await output.locator('td').first().waitFor(); // the table comes after the number of its items
    return await output.innerText();
  }

  /** The lines that the output panel shows above the items that an execution has given. */
  async hints(): Promise<string[]> {
    const notices = this.page.locator(`${byTestId('output-panel')} ${byTestId('node-hint')}`);
    await notices.first().waitFor();
    const texts = await notices.allInnerTexts();
    return texts.map((text) => text.trim());
  }

  /** Executes the step and gives the error that the open panel shows then. */
  async failedStep(): Promise<string> {
    await this.executeStep();
    const message = this.page.locator(byTestId('node-error-message'));
    await message.waitFor();
    const description = this.page.locator(byTestId('node-error-description'));
    return [await message.innerText(), await description.innerText()].join('\n');
  }

  /** Searches the list of all nodes for words, and gives the names that it shows. */
  async searchNodes(words: string): Promise<string[]> {
    const { page } = this;
    const search = page.locator(byTestId('node-creator-search-bar'));
    if (!(await search.isVisible())) {
      // An empty canvas has the one button, any other the other.
      const first = page.locator(byTestId('canvas-add-button'));
      const next = page.locator(byTestId('node-creator-plus-button'));
      await this.open(search, () => first.or(next).first().click());
    }
    await search.fill(words);
    const names = page.locator(byTestId('node-creator-item-name'));
    await names
      .first()
      .or(page.locator(byTestId('node-creator-no-results')))
      .first()
      .waitFor();
    await page.waitForTimeout(500); // the list is filtered a moment after typing
    return (await names.allInnerTexts()).map((name) => name.trim());
  }

  /** The pop-ups by which the editor tells of errors. */
  async errorMessages(): Promise<string[]> {
    return await this.page.locator('.el-notification:has(.el-notification--error)').allInnerTexts();
  }

  /** Leaves a picture for people. */
  async screenshot(name: string): Promise<void> {
    await mkdir(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

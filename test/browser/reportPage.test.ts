import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type Page } from 'playwright-core';
import { PAGES } from '../reportPages';

const SCREENSHOTS = join(__dirname, '..', '..', '.screenshots');
/** The widths and the colours know nothing of each other: two variants show both of each. */
const NARROW = { width: 360, colorScheme: 'dark' } as const;
const WIDE = { width: 1100, colorScheme: 'light' } as const;
type Variant = typeof NARROW | typeof WIDE;

let browser: Browser;
/** By their widths: to open a tab takes longer than to look at most reports. */
const tabs = new Map<number, Page>();
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  for (const { width, colorScheme } of [NARROW, WIDE]) {
    const viewport = { width, height: 800 };
    tabs.set(width, await browser.newPage({ viewport, colorScheme }));
  }
  await mkdir(SCREENSHOTS, { recursive: true });
});
afterAll(async () => await browser?.close());

/** Opens a page and gives what the browser complains about and loads. */
async function opened(
  html: string,
  { width }: Variant,
  look: (page: Page) => Promise<void>,
): Promise<string[]> {
  const page = tabs.get(width);
  if (page === undefined) throw new Error(`No tab is ${width} pixels wide`);
  // Nothing is left of the report before.
  await page.goto('about:blank');
  const told: string[] = [];
  page.on('console', (message) => told.push(message.text()));
  page.on('pageerror', ({ message }) => told.push(message));
  page.on('dialog', (dialog) => {
    told.push(dialog.message());
    void dialog.dismiss();
  });
  page.on('request', (request) => told.push(request.url()));
  try {
    await page.setContent(html);
    await page.locator('details').evaluateAll((all) => {
      for (const one of all) one.setAttribute('open', '');
    });
    await look(page);
    return told;
  } finally {
    page.removeAllListeners();
  }
}

const CASES = Object.entries(PAGES).flatMap(([name, html]) =>
  [NARROW, WIDE].map((variant) => ({ name, html, variant, ...variant })),
);

describe('the page of a report in a browser', () => {
  it.each(CASES)(
    'shows $name at $width pixels, $colorScheme, without a side scroll or a complaint',
    async ({ name, html, variant }) => {
      const told = await opened(html, variant, async (page) => {
        const { width, colorScheme } = variant;
        expect(await page.locator('html').evaluate((one) => one.scrollWidth)).toBeLessThanOrEqual(
          width,
        );
        const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        expect(ground).toBe(colorScheme === 'dark' ? 'rgb(13, 17, 23)' : 'rgb(246, 248, 250)');
        // Labels under the bars stand apart.
        const labels = await page.locator('svg[role=img] text').evaluateAll((all) =>
          all.map((one) => {
            const { left, right, top } = one.getBoundingClientRect();
            return { left, right, top };
          }),
        );
        const below = labels.slice(1);
        below.forEach(({ left, right }, index) => {
          expect(left).toBeGreaterThanOrEqual(0);
          expect(right).toBeLessThanOrEqual(width);
          if (index > 0) expect(left).toBeGreaterThan((below[index - 1]?.right ?? 0) + 4);
        });
        await page.screenshot({
          path: join(SCREENSHOTS, `Report ${name} ${width} ${colorScheme}.png`),
          fullPage: true,
        });
      });
      expect(told).toEqual([]);
    },
  );

  it.each(CASES)(
    'keeps nobody out of $name in $colorScheme colours, as axe judges',
    async ({ html, variant }) => {
      await opened(html, variant, async (page) => {
        // The rows that follow are like those before; axe takes a minute for 400 of them.
        const some = new AxeBuilder({ page }).exclude('tbody tr:nth-child(n+20)');
        // Otherwise it opens a tab for what the frames of a page tell, and a report has none.
        some.setLegacyMode(true);
        const { violations, passes } = await some.analyze();
        const serious = violations.filter(
          ({ impact }) => impact === 'serious' || impact === 'critical',
        );
        expect(serious.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
        expect(passes.map(({ id }) => id)).toContain('color-contrast');
      });
    },
  );

  it('fits the tables of a usual month into a telephone', async () => {
    await opened(PAGES.month ?? '', NARROW, async (page) => {
      const cut = await page
        .locator('.scroll')
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
      expect(cut).toBe(0);
    });
  });

  it('tells people who do not see its charts what they show', async () => {
    await opened(PAGES.month ?? '', WIDE, async (page) => {
      await page.getByRole('img', { name: 'Calls by day' }).waitFor();
      await page.getByRole('table').first().waitFor();
      await page.getByRole('rowheader', { name: 'Order confirmed' }).waitFor();
      await page.getByRole('columnheader', { name: 'Per reached' }).first().waitFor();
    });
  });
});

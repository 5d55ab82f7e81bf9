import type { Editor } from '../../test/browser/editor';
import { takePicture } from './picture';
import { PICTURED_REPORT } from './subjects';

const WIDTH = 1000;

/** Pictures the page of a report, as a mail or a webhook shows it. */
export async function pictureReport({ page }: Editor, name: string): Promise<void> {
  await page.setViewportSize({ width: WIDTH, height: 600 });
  await page.goto('about:blank');
  await page.setContent(PICTURED_REPORT);
  const root = page.locator('body');
  const height = await root.evaluate((body) => body.scrollHeight);
  await page.setViewportSize({ width: WIDTH, height });
  await takePicture({ page, name, area: { x: 0, y: 0, width: WIDTH, height }, root });
}

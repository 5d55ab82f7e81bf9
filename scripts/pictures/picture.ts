import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { PROJECT } from '../n8n';
import { type Area, faultsOf } from './faults';
import { LARGEST_PICTURE, PICTURES } from './subjects';

/** What is wrong with a picture; it was left where people can look at it. */
export class FaultyPicture extends Error {}

/** Where pictures are left that are not good enough. */
const FAULTY = join(PROJECT, '.screenshots', 'pictures');

/** As wide as a README is shown on a fine screen, and narrower until the file is small enough. */
const WIDTHS = [1660, 1440, 1240, 1080, 960];

/** What an editor draws needs no more. */
const COLOURS = 128;

export interface Taken {
  page: Page;
  name: string;
  /** What is seen of the page. */
  area: Area;
  /** The element whose texts have to be whole. */
  root: Locator;
  /** What the caller has found wrong already. */
  faults?: string[];
}

/**
 * Takes a picture of a part of a page, as a PNG of few colours.
 *
 * @throws FaultyPicture when anything on it is cut off, covered, empty or still loading
 */
export async function takePicture({ page, name, area, root, faults = [] }: Taken): Promise<void> {
  const found = [...faults, ...(await faultsOf(page, area, root))];
  const png = await smallPng(await page.screenshot({ clip: area, fullPage: false }));
  if (png.length >= LARGEST_PICTURE) found.push(`it takes ${png.length} bytes`);
  const folder = found.length === 0 ? PICTURES : FAULTY;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.png`), png);
  if (found.length > 0) {
    throw new FaultyPicture(`${name}.png, left in ${FAULTY}:\n  ${found.join('\n  ')}`);
  }
}

async function smallPng(screenshot: Buffer): Promise<Buffer> {
  let png = screenshot;
  for (const width of WIDTHS) {
    png = await sharp(screenshot)
      .resize({ width, withoutEnlargement: true })
      .removeAlpha()
      .png({ palette: true, colours: COLOURS, effort: 10, dither: 0 })
      .toBuffer();
    if (png.length < LARGEST_PICTURE) break;
  }
  return png;
}

/** The smallest area around others, with a margin. */
export function around(areas: Area[], margin: number): Area {
  const left = Math.min(...areas.map(({ x }) => x)) - margin;
  const top = Math.min(...areas.map(({ y }) => y)) - margin;
  const right = Math.max(...areas.map(({ x, width }) => x + width)) + margin;
  const bottom = Math.max(...areas.map(({ y, height }) => y + height)) + margin;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Where an element is. */
export async function areaOf(element: Locator): Promise<Area> {
  const area = await element.boundingBox();
  if (area === null) throw new Error('What is to be pictured is not there.');
  return area;
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { Editor } from '../../test/browser/editor';
import {
  type Credential,
  type N8nClient,
  PROJECT,
  type WorkflowFile,
  withCredential,
  withScript,
} from '../n8n';
import { type Area, covering } from './faults';
import { areaOf, around, takePicture } from './picture';

const MARGIN = 24;
const SCRIPT = 12;

/** What the editor shows around the canvas, and what it leaves free around the nodes. */
const AROUND = { width: 500, height: 460 };

interface Placed {
  name: string;
  area: Area;
}

/** Imports an example as a person does: the file, then the credentials in its nodes. */
async function imported(client: N8nClient, example: string, calling: Credential) {
  const text = await readFile(join(PROJECT, 'examples', `${example}.json`), 'utf8');
  // Without a script its nodes would show that something is missing.
  const filledIn = withScript(JSON.parse(text) as WorkflowFile, SCRIPT);
  let workflow = withCredential(filledIn, calling.type, calling);
  const others = new Set(workflow.nodes.flatMap((node) => Object.keys(node.credentials ?? {})));
  others.delete(calling.type);
  for (const type of others) {
    const credential = await client.createCredential(type, type, {});
    workflow = withCredential(workflow, type, credential);
  }
  return await client.createWorkflow(workflow);
}

/** Where elements are, by their texts. */
async function placesOf(elements: Locator): Promise<Placed[]> {
  const places = (await elements.all()).map(async (one) => ({
    name: ((await one.textContent()) ?? '').trim(),
    area: await areaOf(one),
  }));
  return await Promise.all(places);
}

/** Pictures the canvas of an example, with its notes, and nothing else. */
export async function pictureCanvas(
  editor: Editor,
  client: N8nClient,
  calling: Credential,
  { name, example, isDark }: { name: string; example: string; isDark: boolean },
): Promise<void> {
  const { page } = editor;
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light', reducedMotion: 'reduce' });
  const workflow = await imported(client, example, calling);
  const [xs, ys] = [0, 1].map((axis) => workflow.nodes.map(({ position }) => position[axis] ?? 0));
  const span = (all: number[] = []) => Math.max(...all) - Math.min(...all);
  await page.setViewportSize({
    width: Math.ceil((span(xs) + AROUND.width) * 1.25),
    height: Math.ceil((span(ys) + AROUND.height) * 1.25),
  });
  await editor.openWorkflow(workflow);
  await page.mouse.move(0, 0);
  await page.keyboard.press('1');
  await editor.settled();
  await page.addStyleTag({ content: '.vue-flow__background { display: none }' });
  const canvas = page.locator('.vue-flow__transformationpane');
  const nodes = await placesOf(page.locator('[data-test-id="canvas-node"]'));
  const labels = await placesOf(canvas.locator('[class*="_description_"]:visible'));
  const notes = page.locator('[data-test-id="sticky"]');
  const texts = await placesOf(notes.locator('p, li, h1, h2, h3, h4'));
  const ends = await placesOf(page.locator('[data-test-id="canvas-handle-plus"]:visible'));
  const drawn = [...nodes, ...labels, ...ends, ...(await placesOf(notes))];
  await takePicture({
    page,
    name,
    area: around(
      drawn.map(({ area }) => area),
      MARGIN,
    ),
    root: canvas,
    faults: [...covering(nodes, nodes), ...covering([...nodes, ...labels], texts)],
  });
  if (isDark) await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}

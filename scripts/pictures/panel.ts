import type { Editor } from '../../test/browser/editor';
import { outcomeWorkflow, TRIGGER } from '../../test/n8n/triggerWorkflows';
import { callingNode, workflowOf } from '../../test/n8n/workflows';
import type { Credential, DataTable, N8nClient, WorkflowFile } from '../n8n';
import { filledIn, ORDER } from './filledIn';
import { areaOf, around, takePicture } from './picture';
import type { Operation } from './subjects';

const MARGIN = 12;

/** Wide enough that no label breaks, and higher than any panel. */
const WINDOW = { width: 1500, height: 2400 };

/** What pictures of panels are taken with. */
export interface Desktop {
  editor: Editor;
  client: N8nClient;
  calling: Credential;
  table: DataTable;
}

/** Pictures the panel of an operation, filled in, with an order at hand. */
export async function pictureOperation(
  desktop: Desktop,
  name: string,
  operation: Operation,
): Promise<void> {
  const { calling, table } = desktop;
  const { resource, operation: action, properties } = operation;
  const parameters = filledIn(properties, table, { resource, operation: action });
  const node = callingNode('Outbound AI Calling', `${resource}.${action}`, calling, parameters);
  await picturePanel(desktop, name, workflowOf(name, [ORDER], node), node.name);
}

/** Pictures the panel of the trigger, filled in. */
export async function pictureTrigger(
  desktop: Desktop,
  name: string,
  { properties }: Pick<Operation, 'properties'>,
): Promise<void> {
  const pollTimes = { item: [{ mode: 'everyMinute' }] };
  const parameters = { ...filledIn(properties, desktop.table), pollTimes };
  const workflow = outcomeWorkflow(name, desktop.calling, parameters);
  await picturePanel(desktop, name, workflow, TRIGGER);
}

async function picturePanel(
  { editor, client }: Desktop,
  name: string,
  workflow: WorkflowFile,
  node: string,
): Promise<void> {
  const { page, panel } = editor;
  await page.setViewportSize(WINDOW);
  await editor.openNode(await client.createWorkflow(workflow), node);
  await page.mouse.move(0, 0);
  await editor.settled();
  const tabs = await areaOf(page.locator('[data-test-id="tab-params"]'));
  const frame = await areaOf(panel);
  const items = panel.locator('[data-test-id="parameter-item"]:visible');
  const collections = panel.locator('[data-test-id^="collection-"]:visible');
  const shown = await Promise.all((await items.or(collections).all()).map(areaOf));
  const inside = around([tabs, ...shown], MARGIN);
  await takePicture({
    page,
    name,
    area: { x: frame.x, y: inside.y, width: frame.width, height: inside.height },
    root: panel,
  });
}

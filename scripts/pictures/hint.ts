import { callingNode, workflowOf } from '../../test/n8n/workflows';
import { areaOf, takePicture } from './picture';
import type { Desktop } from './panel';
import { PICTURED_HINT } from './subjects';

const WINDOW = { width: 2000, height: 700 };

const MARGIN = 16;

const FIRST_PHONE = 12025550140;

/** Eight orders, of which the last two were there before, and one is of somebody on the list. */
const ORDERS = [1, 2, 3, 4, 5, 6, 1, 2].map((number) => ({
  orderNumber: `B-${number}`,
  phone: `+${FIRST_PHONE + number}`,
}));

/** Pictures what an execution gives that has not called everybody. */
export async function pictureHint(
  { editor, client, calling }: Desktop,
  name: string,
  n8nApiKey: string,
): Promise<void> {
  const { page } = editor;
  const tables = client.dataTables(n8nApiKey);
  const list = await tables.create('Do not call', [{ name: 'phone', type: 'string' }]);
  await tables.insert(list.id, [{ phone: ORDERS[2]?.phone }]);
  const node = callingNode('Outbound AI Calling', 'call.trigger', calling, {
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    additionalFields: { orderNumber: '={{ $json.orderNumber }}' },
    rules: {
      preventDuplicates: true,
      doNotCallTable: { __rl: true, mode: 'name', value: list.name },
    },
    options: { notCalledOutput: true },
  });
  await page.setViewportSize(WINDOW);
  await editor.openNode(await client.createWorkflow(workflowOf(name, ORDERS, node)), node.name);
  await editor.executeStep();
  await editor.output();
  const faults = (await editor.hints()).includes(PICTURED_HINT ?? '')
    ? []
    : [`it does not say "${PICTURED_HINT}"`];
  await page.mouse.move(0, 0);
  await page.locator('.el-notification').waitFor({ state: 'hidden' });
  await editor.settled();
  const output = page.locator('[data-test-id="output-panel"]');
  const frame = await areaOf(output);
  const items = await areaOf(output.locator('table').first());
  const area = { ...frame, height: items.y + items.height + MARGIN - frame.y };
  await takePicture({ page, name, area, root: output, faults });
}

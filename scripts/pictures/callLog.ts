import { join } from 'node:path';
import { callingNode, workflowOf } from '../../test/n8n/workflows';
import { PROJECT } from '../n8n';
import { readOrders } from '../start/orders';
import { areaOf, takePicture } from './picture';
import type { Desktop } from './panel';

const SAMPLE_ORDERS = join(PROJECT, 'examples', 'data', 'orders.json');

const DAY_MS = 86_400_000;

const MARGIN = 16;

const WINDOW = { width: 2400, height: 1000 };

/** The columns that people look at first; behind them is what they scroll to. */
const LAST_COLUMN = 'durationSec';

/** How many of the orders are called another day. */
const LATER = 2;

/**
 * Schedules calls for the sample orders and places those that are due, and with them the next attempts
 * of those who do not answer.
 *
 * @returns the id of the execution that places them
 */
export async function startCalls({ client, calling, table }: Desktop): Promise<string> {
  const log = { __rl: true, mode: 'id', value: table.id };
  const orders = await readOrders(SAMPLE_ORDERS);
  const [now, tomorrow] = [0, DAY_MS].map((later) => new Date(Date.now() + later).toISOString());
  const items = orders.map((order, index) => ({
    ...order,
    callAt: index < orders.length - LATER ? now : tomorrow,
  }));
  const schedule = callingNode('Schedule', 'call.schedule', calling, {
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    callAt: '={{ $json.callAt }}',
    additionalFields: {
      customerName: '={{ $json.customerName }}',
      orderNumber: '={{ $json.orderNumber }}',
    },
    callLogTable: log,
    options: { retry: { plan: { outcomes: 'no_answer, voicemail', afterMinutes: '30' } } },
  });
  const scheduling = workflowOf('Scheduled calls', items, schedule);
  await client.runManually(await client.createWorkflow(scheduling));
  const place = callingNode('Place', 'call.placeScheduled', calling, {
    callLogTable: log,
    options: { keepOnSeconds: 20, firstCheckAfterSeconds: 1 },
  });
  return await client.startManually(
    await client.createWorkflow(workflowOf('Calls that are due', [{}], place)),
  );
}

/** Pictures the data table of calls, once they have ended. */
export async function pictureCallLog(
  { editor, client, table }: Desktop,
  name: string,
  calls: string,
): Promise<void> {
  const { page } = editor;
  await client.waitForExecution(calls);
  await page.setViewportSize(WINDOW);
  await page.goto(`${client.baseUrl}/home/datatables`);
  await page.getByText(table.name, { exact: true }).first().click();
  const headers = page.locator('.ag-header-cell');
  const last = headers.filter({ hasText: LAST_COLUMN });
  await last.waitFor();
  for (const header of await headers.all()) {
    // As wide as what is in it.
    const edge = header.locator('.ag-header-cell-resize:visible');
    if (await edge.count()) await edge.dblclick();
  }
  const { x, width } = await areaOf(last);
  await page.setViewportSize({ ...WINDOW, width: Math.ceil(x + width) });
  await page.mouse.move(0, 0);
  await editor.settled();
  const view = page.locator('[data-test-id="data-table-details-view"]');
  const frame = await areaOf(view);
  const pages = await areaOf(page.locator('[data-test-id="data-table-content-pagination"]'));
  const area = { ...frame, height: pages.y + pages.height + MARGIN - frame.y };
  const faults = (await view.locator('.ag-row').count()) === 0 ? ['it has no rows'] : [];
  await takePicture({ page, name, area, root: view, faults });
}

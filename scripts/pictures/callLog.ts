import { join } from 'node:path';
import { callingNode, workflowOf } from '../../test/n8n/workflows';
import { PROJECT } from '../n8n';
import { readOrders } from '../start/orders';
import { areaOf, around, takePicture } from './picture';
import type { Desktop } from './panel';

const SAMPLE_ORDERS = join(PROJECT, 'examples', 'data', 'orders.json');

const WINDOW = { width: 2000, height: 900 };

/** The last column that people look at; behind it are those that nodes need. */
const LAST_COLUMN = 'finishedAt';

/** Calls for the sample orders, with the call log; gives the id of the execution. */
export async function startCalls({ client, calling, table }: Desktop): Promise<string> {
  const node = callingNode('Call', 'call.triggerAndWait', calling, {
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    additionalFields: {
      customerName: '={{ $json.customerName }}',
      orderNumber: '={{ $json.orderNumber }}',
    },
    callLog: 'dataTable',
    callLogTable: { __rl: true, mode: 'id', value: table.id },
  });
  const orders = (await readOrders(SAMPLE_ORDERS)).map((order) => ({ ...order }));
  return await client.startManually(
    await client.createWorkflow(workflowOf('Calls', orders, node)),
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
  await page.waitForTimeout(4000);
  await page.screenshot({ path: '/tmp/pk/datatable.png' });
  console.log(page.url(), await page.evaluate(`[...document.querySelectorAll('[data-test-id],[col-id]')].map(e=>(e.dataset.testId||e.getAttribute('col-id'))).join(' ')`), await page.content().then(c=>require('fs').writeFileSync('/tmp/pk/dt.html',c)));
  const last = page.locator(`.ag-header-cell[col-id="${LAST_COLUMN}"]`);
  await last.waitFor();
  await page.mouse.move(0, 0);
  await editor.settled();
  await page.screenshot({ path: '/tmp/pk/datatable.png' });
  const grid = page.locator('.ag-root-wrapper');
  const rows = await Promise.all((await page.locator('.ag-row:visible').all()).map(areaOf));
  const cells = around([await areaOf(page.locator('.ag-header')), ...rows], 0);
  const end = await areaOf(last);
  const area = { ...cells, width: end.x + end.width - cells.x };
  await takePicture({ page, name, area, root: grid });
}

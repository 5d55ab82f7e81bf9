import { callingNode, workflowOf } from '../../test/n8n/workflows';
import { areaOf, takePicture } from './picture';
import type { Desktop } from './panel';

const WINDOW = { width: 1300, height: 2000 };

/** Shows all fields at once, where the editor has people scroll. */
const WHOLE_DIALOG = `
  [data-test-id="editCredential-modal"] { --dialog--height: auto !important; max-height: none !important }
  [data-test-id="editCredential-modal"] * { max-height: none !important }
  [data-test-id="editCredential-modal"] [class*="_mainContent_"],
  [data-test-id="editCredential-modal"] .el-dialog__body,
  [data-test-id="editCredential-modal"] [class*="_container_"] { height: auto !important; overflow: visible !important }
`;

/** Pictures the credential with its keys, as n8n shows it once the service has accepted it. */
export async function pictureCredential(
  { editor, client, calling }: Desktop,
  name: string,
): Promise<void> {
  const { page } = editor;
  await page.setViewportSize(WINDOW);
  const node = callingNode('Outbound AI Calling', 'call.trigger', calling);
  await editor.openNode(await client.createWorkflow(workflowOf(name, [{}], node)), node.name);
  await page.locator('[data-test-id="credential-edit-button"]').click();
  const dialog = page.locator('[data-test-id="editCredential-modal"]');
  await dialog.locator('[data-test-id="credentials-config-container-test-success"]').waitFor();
  await page.mouse.move(0, 0);
  await page.addStyleTag({ content: WHOLE_DIALOG });
  await editor.settled();
  await takePicture({ page, name, area: await areaOf(dialog), root: dialog });
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
}

import { callingNode, workflowOf } from '../../test/n8n/workflows';
import { areaOf, takePicture } from './picture';
import type { Desktop } from './panel';

const WINDOW = { width: 1300, height: 2000 };

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
  await editor.settled();
  await takePicture({ page, name, area: await areaOf(dialog), root: dialog });
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
}

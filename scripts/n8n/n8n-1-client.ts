import { type CredentialTestResult, type ManualRun, N8nClient } from './client';
import type { SavedWorkflow, WorkflowFile } from './workflow';

/** As {@link N8nClient}, for n8n 1, where some requests have another form. */
export class N8n1Client extends N8nClient {
  /** n8n 1 tests saved credentials only. */
  override async testCredential(
    type: string,
    data: Record<string, unknown>,
  ): Promise<CredentialTestResult> {
    const { id, name } = await this.createCredential('Under test', type, data);
    const body = { credentials: { id, name, type, data } };
    return await this.session.rest('POST', '/credentials/test', { body });
  }

  override async createWorkflow(workflow: WorkflowFile): Promise<SavedWorkflow> {
    const body = { settings: {}, active: false, ...workflow };
    return await this.session.rest('POST', '/workflows', { body });
  }

  override async publish(workflow: SavedWorkflow): Promise<SavedWorkflow> {
    return await this.setActive(workflow, true);
  }

  override async unpublish(workflow: SavedWorkflow): Promise<SavedWorkflow> {
    return await this.setActive(workflow, false);
  }

  protected override bodyOfRun(workflow: SavedWorkflow, run: ManualRun): Record<string, unknown> {
    return { ...super.bodyOfRun(workflow, run), workflowData: workflow };
  }

  private async setActive(
    { id, versionId }: SavedWorkflow,
    active: boolean,
  ): Promise<SavedWorkflow> {
    return await this.session.rest('PATCH', `/workflows/${id}`, { body: { active, versionId } });
  }
}

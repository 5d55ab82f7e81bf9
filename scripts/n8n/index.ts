export { N8nClient, OWNER, type Credential, type CredentialTestResult } from './client';
export { DATA_TABLE_SCOPES, DataTables, type DataTable, type DataTableRow } from './data-tables';
export { errorOf, isOver, itemsOf, jsonOf, runsOf, type Execution } from './execution';
export { ensureN8n } from './installation';
export { installPackage } from './package-install';
export { PROJECT, packPackage } from './package-build';
export { firstFreePort, freePort } from './ports';
export { PreparedN8n } from './prepared';
export { familyOf, LiveMemory, residentBytes } from './memory';
export { isOnPath, postgresqlPrograms } from './programs';
export { QueueModeN8n } from './queue-mode';
export { offerSharedN8n, sharedN8n, type SharedN8n } from './shared';
export { RELEASES, isRelease, versionOf, type N8nRelease } from './release';
export { N8nRequestFailed } from './session';
export type { WebhookAnswer } from './webhook';
export {
  withCredential,
  withScript,
  type SavedWorkflow,
  type WorkflowFile,
  type WorkflowNode,
} from './workflow';

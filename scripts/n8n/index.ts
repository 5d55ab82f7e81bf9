export {
  N8nClient,
  OWNER,
  type Credential,
  type CredentialTestResult,
  type EditorQuestion,
  type ManualRun,
} from './client';
export { DATA_TABLE_SCOPES, DataTables, type DataTable, type DataTableRow } from './data-tables';
export {
  errorOf,
  isOver,
  itemsOf,
  jsonOf,
  runsOf,
  type Execution,
  type ExecutionSummary,
} from './execution';
export { ensureN8n, type N8nInstallation } from './installation';
export { DidNotStart } from './guarded';
export { installPackage } from './package-install';
export { PROJECT, packPackage } from './package-build';
export { PortTaken, firstFreePort, freePort, isFree } from './ports';
export { PreparedN8n, type PreparedOptions } from './prepared';
export { familyOf, LiveMemory, residentBytes } from './memory';
export { isOnPath, postgresqlPrograms } from './programs';
export { startN8n, type N8nOptions, type RunningN8n } from './process';
export { QueueModeN8n } from './queue-mode';
export { offerSharedN8n, sharedN8n, type SharedN8n } from './shared';
export { RELEASES, isRelease, versionOf, type N8nRelease } from './release';
export { N8nRequestFailed, Session } from './session';
export type { WebhookAnswer } from './webhook';
export {
  withCredential,
  withScript,
  type SavedWorkflow,
  type WorkflowFile,
  type WorkflowNode,
} from './workflow';

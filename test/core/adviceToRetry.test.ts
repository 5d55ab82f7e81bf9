import type { IWorkflowSettings, WorkflowExecuteMode } from 'n8n-workflow';
import { execute } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables();

const RETRY = 'Then retry this execution: it calls nobody twice.';
const CANNOT =
  'The settings of this workflow do not save this execution, so n8n cannot retry it. A new one calls people again, unless you use Prevent Duplicates.';

/** The advice of an execution that has called one of two people. */
async function adviceOf(
  workflowSettings: IWorkflowSettings,
  mode: WorkflowExecuteMode,
): Promise<string> {
  world.service.faults.add({
    ...{ kind: 'status', status: 400, route: 'trigger' },
    body: { success: false, message: 'Concurrency pool exhausted' },
    match: () => world.service.seen.calls.length > 0,
  });
  const { error } = await execute({
    parameters: {
      ...{ resource: 'call', operation: 'trigger', scriptId: 7 },
      customerPhone: '={{ $json.phone }}',
      options: { concurrency: 1 },
    },
    credential: world.credential(),
    items: [1, 2].map((id) => ({ json: { phone: `+1202555010${id}` } })),
    mode,
    workflowSettings,
  });
  expect(error?.message).toMatch(/^1 person was called\. /);
  return String(error?.description);
}

describe('after somebody was called, an error advises a retry', () => {
  it.each<[WorkflowExecuteMode, IWorkflowSettings]>([
    ['trigger', {}],
    ['trigger', { saveDataErrorExecution: 'all', saveManualExecutions: false }],
    ['manual', { saveDataErrorExecution: 'none', saveManualExecutions: 'DEFAULT' }],
  ])('when n8n saves the execution: %s, %j', async (mode, settings) => {
    const advice = await adviceOf(settings, mode);
    expect(advice).toContain(RETRY);
    expect(advice).not.toContain(CANNOT);
  });

  it.each<[WorkflowExecuteMode, IWorkflowSettings]>([
    ['trigger', { saveDataErrorExecution: 'none' }],
    ['integrated', { saveDataErrorExecution: 'none' }],
    ['manual', { saveManualExecutions: false }],
  ])('but not when the workflow does not save it: %s, %j', async (mode, settings) => {
    const advice = await adviceOf(settings, mode);
    expect(advice).toContain(CANNOT);
    expect(advice).not.toContain(RETRY);
  });
});

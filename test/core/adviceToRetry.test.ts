import type { IWorkflowSettings, WorkflowExecuteMode } from 'n8n-workflow';
import type { FaultKind } from '../service';
import { execute } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables();

const RETRY = 'Then retry this execution: it calls nobody twice.';
const CANNOT =
  'n8n cannot retry this execution: the settings of the workflow do not save it. A new execution does everything again.';
const CALLS_AGAIN = 'It calls the same people again, unless Prevent Duplicates was already on.';

const REFUSAL: FaultKind = {
  kind: 'status',
  status: 400,
  body: { success: false, message: 'Concurrency pool exhausted' },
};

/** The advice of an execution that has called one of two people. */
async function adviceOf(
  workflowSettings: IWorkflowSettings,
  mode: WorkflowExecuteMode,
  refusal: FaultKind = REFUSAL,
): Promise<string> {
  world.service.faults.add({
    ...refusal,
    route: 'trigger',
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
    expect(advice).toContain(`${CANNOT} ${CALLS_AGAIN}`);
    expect(advice).not.toContain(RETRY);
  });

  it('nor as a part of other advice', async () => {
    const later = { kind: 'rateLimit', retryAfter: 3_600 } as const;
    const advice = await adviceOf({ saveDataErrorExecution: 'none' }, 'trigger', later);
    expect(advice).toContain('Run the workflow again after that');
    expect(advice).not.toMatch(/\bretry this execution \(/i);
  });

  it('nor for campaigns, about which it says nothing of people', async () => {
    world.service.faults.add({
      kind: 'status',
      status: 503,
      route: 'controlCampaign',
      body: {},
      times: Infinity,
    });
    const { error } = await execute({
      parameters: { resource: 'campaign', operation: 'pause', campaignId: '={{ $json.id }}' },
      credential: world.credential(),
      items: [{ json: { id: 1 } }, { json: { id: 'none' } }],
      workflowSettings: { saveDataErrorExecution: 'none' },
    });
    expect(error?.description).toContain(CANNOT);
    expect(error?.description).not.toContain(CALLS_AGAIN);
  });
});

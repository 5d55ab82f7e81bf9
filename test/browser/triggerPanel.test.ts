import type { INodeParameters } from 'n8n-workflow';
import { sharedN8n, type Credential, type SharedN8n } from '../../scripts/n8n';
import { outcomeWorkflow, TRIGGER } from '../n8n/triggerWorkflows';
import { callingNode, saveCredential, workflowOf } from '../n8n/workflows';
import { startCallingService, type CallingService } from '../service';
import { Editor } from './editor';

const POLLING = ['Poll Times', 'Mode'];
const CREDENTIAL = 'Credential';
const TABLE_HINT = 'No table yet? Choose "By Name" and enter a new name';

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;
let editor: Editor;

beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 1, max: 1 } });
  n8n = await sharedN8n();
  const { client } = n8n;
  const n8nApiKey = await client.createApiKey('Call log of the panels');
  await client.dataTables(n8nApiKey).create('My calls', [{ name: 'orderId', type: 'string' }]);
  calling = await saveCredential(client, service, { n8nApiKey });
  editor = await Editor.open(n8n);
});

afterAll(async () => {
  await editor?.close();
  await service?.close();
});

async function openTrigger(parameters: INodeParameters = {}): Promise<void> {
  // As the node arrives in the editor.
  const pollTimes = { item: [{ mode: 'everyMinute' }] };
  const workflow = outcomeWorkflow('Outcomes', calling, { pollTimes, ...parameters });
  await editor.openNode(await n8n.client.createWorkflow(workflow), TRIGGER);
}

function placingNode() {
  return callingNode('Call', 'call.trigger', calling, {
    scriptId: 7,
    customerPhone: '+12025550100',
  });
}

describe('the panel of the trigger', () => {
  it('begins with what needs no set-up, and says what that cannot do and what can', async () => {
    await openTrigger();
    const labels = [CREDENTIAL, ...POLLING, 'Events', 'Watch', 'Simplify', 'Options'];
    expect(await editor.labelsOnce(labels.length)).toEqual(labels);
    const notice = await editor.panel.getByText('When n8n restarts').innerText();
    expect(notice).toMatch(/calls placed since the last outcome are forgotten/);
    expect(notice).toMatch(/In queue mode nothing fires/);
    expect(notice).toMatch(
      /choose "Data Table" under "Call Log" in the node that places the calls/,
    );
    await editor.screenshot('Watch this instance');
  });

  it('offers the events and the ways of watching', async () => {
    await openTrigger();
    expect(await editor.openList('events')).toEqual(['Outcome Available', 'Ended Without Outcome']);
    await editor.screenshot('Events');
    await openTrigger();
    expect(await editor.openList('watch')).toEqual([
      'Call IDs at the Service',
      'Call Log',
      'This Instance',
    ]);
    await editor.screenshot('Watch');
  });

  it('asks for a table when the call log is chosen', async () => {
    await openTrigger();
    await editor.openList('watch');
    await editor.choose('Call Log');
    const labels = [
      ...[CREDENTIAL, ...POLLING],
      ...['Events', 'Watch', 'Call Log Table', 'Simplify', 'Options'],
    ];
    expect(await editor.labelsOnce(labels.length)).toEqual(labels);
    await editor.panel.getByText(TABLE_HINT).waitFor();
    await editor.screenshot('Watch the call log');
    await editor.panel.locator('[data-test-id="rlc-input"]').click();
    await editor.page.getByText('My calls').waitFor();
    await editor.screenshot('Call log tables');
  });

  it('asks for the IDs when those of calls are chosen', async () => {
    await openTrigger();
    await editor.openList('watch');
    await editor.choose('Call IDs at the Service');
    const labels = [
      ...[CREDENTIAL, ...POLLING],
      ...['Events', 'Watch', 'Call IDs at the Service', 'Simplify', 'Options'],
    ];
    expect(await editor.labelsOnce(labels.length)).toEqual(labels);
    await editor.screenshot('Watch call IDs');
  });

  it('has options for filters and for timing', async () => {
    const names = [
      ...['Outcomes', 'Call Statuses', 'Give Up After (Hours)'],
      ...['First Check After (Seconds)', 'Fast Checks', 'Last Attempts Only', 'Transcript'],
      'Simulated Outcome',
    ];
    await openTrigger();
    expect((await editor.openOptions()).sort()).toEqual([...names].sort());
    await editor.screenshot('Options of the trigger');
    await openTrigger({
      options: {
        outcomes: '',
        callStatuses: '',
        giveUpAfterHours: 24,
        firstCheckAfterSeconds: 15,
        fastChecks: true,
        finalOnly: true,
        transcript: 'text',
        simulatedOutcome: 'Order confirmed',
      },
    });
    const shown = POLLING.length + 5 + names.length;
    expect((await editor.labelsOnce(shown)).slice(-names.length).sort()).toEqual([...names].sort());
    await editor.screenshot('All options of the trigger');
  });
});

describe('"Fetch Test Event"', () => {
  it('says what is wrong with the IDs that it is to watch', async () => {
    await openTrigger({ watch: 'orderIds', orderIds: '12, banana' });
    expect(await editor.failedStep()).toMatch(/"banana"\nUnder "Call IDs at the Service", enter/);
    await editor.screenshot('No test event orderIds');
  });

  it('makes a call up when none has ended, and says so', async () => {
    await openTrigger({ watch: 'instance' });
    await editor.executeStep();
    const output = await editor.output();
    await editor.screenshot('Test event that is made up');
    expect(output).toMatch(/^1 item$/m);
    expect(output).toMatch(/simulated/);
  });

  it('gives one real call that has ended', async () => {
    const { client } = n8n;
    const placing = await client.createWorkflow(workflowOf('Calls', [{}, {}], placingNode()));
    expect((await client.runManually(placing)).status).toBe('success');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await openTrigger();
    await editor.executeStep();
    const output = await editor.output();
    await editor.screenshot('Test event');
    expect(output).toMatch(/^1 item$/m);
    expect(output).toMatch(/400[12]-outcomeAvailable/);
    expect(output).toContain('+12025550100');
    expect(await editor.errorMessages()).toEqual([]);
  });
});

describe('the panel of the action node', () => {
  it('asks for a table when calls are to be logged', async () => {
    const placing = await n8n.client.createWorkflow(workflowOf('Call', [{}], placingNode()));
    await editor.openNode(placing, 'Call');
    expect(await editor.openList('callLog')).toEqual(['Data Table', 'None']);
    await editor.choose('Data Table');
    const labels = [
      ...[CREDENTIAL, 'Resource', 'Operation', 'Script ID', 'Customer Phone'],
      ...[
        'Additional Fields',
        'Order Number',
        'Simplify',
        'Call Log',
        'Call Log Table',
        'Rules',
        'Options',
      ],
    ];
    expect(await editor.labelsOnce(labels.length)).toEqual(labels);
    await editor.panel.getByText(TABLE_HINT).waitFor();
    await editor.screenshot('Log calls');
  });
});

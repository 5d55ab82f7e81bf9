import type { INodeParameters } from 'n8n-workflow';
import { sharedN8n, type Credential, type SavedWorkflow, type SharedN8n } from '../../scripts/n8n';
import { callingNode, saveCredential, workflowOf } from '../n8n/workflows';
import { startCallingService, type CallingService } from '../service';
import { Editor } from './editor';

/** n8n's own default, which nobody has changed here. */
const OF_WORKFLOW = 'Time Zone of the Workflow (America/New_York If None Is Set)';

let n8n: SharedN8n;
let service: CallingService;
let credential: Credential;
let editor: Editor;

beforeAll(async () => {
  service = await startCallingService();
  n8n = await sharedN8n();
  credential = await saveCredential(n8n.client, service);
  editor = await Editor.open(n8n);
});

afterAll(async () => {
  await editor?.close();
  await service?.close();
});

const HOURS = ['Start', 'End', 'Days', 'Time Zone Name or ID'];

/** Opens a node of one kind that has not been touched. */
async function openNew(operation: string, parameters: INodeParameters): Promise<SavedWorkflow> {
  const node = callingNode('New', operation, credential, parameters);
  const workflow = await n8n.client.createWorkflow(workflowOf('Hours', [{}], node));
  await editor.openNode(workflow, 'New');
  return workflow;
}

describe('calling hours that are added in the editor', () => {
  it.each<[string, INodeParameters, string[]]>([
    [
      'call.trigger',
      { scriptId: 7, customerPhone: '+12025550123' },
      [...HOURS, "Customer's Time Zone"],
    ],
    ['campaign.start', { campaignId: '317' }, HOURS],
  ])('open filled in: %s', async (operation, parameters, labels) => {
    await openNew(operation, parameters);
    await editor.add('Add rule', 'Calling Hours');
    await editor.panel.getByText('Time Zone Name or ID').waitFor();
    await editor.screenshot(`Calling hours of ${operation}`);
    const shown = await editor.labels();
    const from = shown.indexOf('Start');
    expect(shown.slice(from, from + labels.length)).toEqual(labels);
    expect(shown).not.toContain(labels.length === HOURS.length ? "Customer's Time Zone" : '');
    expect(await editor.shownIn('start')).toBe('09:00');
    expect(await editor.shownIn('end')).toBe('18:00');
    expect(await editor.shownIn('timezone')).toBe(OF_WORKFLOW);
    const days = await editor.field('days').innerText();
    for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']) {
      expect(days).toContain(day);
    }
    expect(days).not.toMatch(/Saturday|Sunday/);
    expect(await editor.errorMessages()).toEqual([]);
  });

  it('name the time zones, that of the workflow first, and keep what is chosen', async () => {
    const workflow = await openNew('call.trigger', { scriptId: 7, customerPhone: '+12025550123' });
    await editor.add('Add rule', 'Calling Hours');
    const names = await editor.openList('timezone');
    await editor.screenshot('Time zones');
    expect(names[0]).toBe(OF_WORKFLOW);
    expect(names).toEqual(expect.arrayContaining(['Asia/Kolkata', 'Europe/Berlin', 'UTC']));
    await editor.choose('Asia/Kolkata');
    expect(await editor.savedRules(workflow, 'New', 'Kolkata')).toMatchObject({
      callingHours: { hours: { timezone: 'Asia/Kolkata' } },
    });
    await editor.page.reload();
    await editor.openNode(workflow, 'New');
    expect(await editor.shownIn('timezone')).toBe('Asia/Kolkata');
    await editor.screenshot('Time zone kept');
  });

  it('mean what they show when nothing was changed: saved, read again and executed', async () => {
    const workflow = await openNew('call.trigger', { scriptId: 7, customerPhone: '+12025550123' });
    await editor.add('Add rule', 'Calling Hours');
    expect(await editor.savedRules(workflow, 'New', 'hours')).toHaveProperty('callingHours.hours');
    await editor.page.reload();
    await editor.openNode(workflow, 'New');
    expect(await editor.shownIn('start')).toBe('09:00');
    expect(await editor.shownIn('timezone')).toBe(OF_WORKFLOW);
  });
});

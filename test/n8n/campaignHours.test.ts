import type { IDataObject } from 'n8n-workflow';
import {
  errorOf,
  jsonOf,
  sharedN8n,
  type Credential,
  type Execution,
  type SharedN8n,
  type WorkflowNode,
} from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { callingNode, saveCredential, workflowOf } from './workflows';

const PHONE = '+919812345678';
const HOUR_MS = 3_600_000;
const KOLKATA_MS = 5.5 * HOUR_MS;

let n8n: SharedN8n;
let service: CallingService;
let calling: Credential;
beforeAll(async () => {
  service = await startCallingService({ callSeconds: { min: 20, max: 20 } });
  n8n = await sharedN8n();
  calling = await saveCredential(n8n.client, service);
});
afterAll(async () => {
  await service?.close();
});
beforeEach(() => service.reset());

/** Hours of every day by the clock of Kolkata; the end is the start: all day. */
function hoursOf(start: string, end: string): IDataObject {
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  return { callingHours: { hours: { start, end, days, timezone: 'Asia/Kolkata' } } };
}

const OPEN = hoursOf('00:00', '00:00');

/** Hours that begin in two hours, and when that is as Kolkata's clocks show it. */
function closedNow(): { rules: IDataObject; opensAt: string } {
  const clock = (hours: number) =>
    new Date(Date.now() + KOLKATA_MS + hours * HOUR_MS).toISOString().slice(0, 16);
  const [from, to] = [clock(2), clock(3)];
  return {
    rules: hoursOf(from.slice(11), to.slice(11)),
    opensAt: `${from}:00.000+05:30`,
  };
}

const createNode = (name: string, rules: IDataObject) =>
  callingNode(name, 'campaign.create', calling, {
    scriptId: 7,
    campaignName: 'Orders',
    contactsSource: 'json',
    contactsJson: JSON.stringify([{ customerPhone: PHONE }]),
    startImmediately: true,
    rules,
  } as WorkflowNode['parameters']);

const controlNode = (name: string, action: string, rules: IDataObject = {}) =>
  callingNode(name, `campaign.${action}`, calling, {
    campaignId: '={{ $json.campaignId }}',
    ...(Object.keys(rules).length === 0 ? {} : { rules }),
  } as WorkflowNode['parameters']);

async function run(...steps: WorkflowNode[]): Promise<Execution> {
  const workflow = workflowOf('Hours of campaigns', [{ campaignId: 317 }], ...steps);
  return await n8n.client.runManually(await n8n.client.createWorkflow(workflow));
}

/** What was asked of the service, in order. */
const asked = () =>
  service.seen.received.map(({ route, body }) =>
    route === 'controlCampaign' ? (body as IDataObject).action : route,
  );

describe('calling hours of campaigns', () => {
  it('create, and neither start nor resume outside of them; do so within them', async () => {
    const { rules, opensAt } = closedNow();
    const execution = await run(
      createNode('Create', rules),
      controlNode('Too early', 'start', rules),
      controlNode('Start', 'start', OPEN),
      controlNode('Pause', 'pause'),
      controlNode('Also too early', 'resume', rules),
      controlNode('Resume', 'resume', OPEN),
    );
    expect(errorOf(execution)).toBeUndefined();
    const [campaign] = service.seen.campaigns;
    const campaignId = campaign?.campaignId;
    const only = (node: string) => jsonOf(execution, node);
    expect(only('Create')).toEqual([
      expect.objectContaining({
        campaignId,
        state: 'not_started',
        started: false,
        nextAllowedAt: opensAt,
        message: expect.stringMatching(
          /^Created with \d+ contacts?, but not started: it is outside the calling hours\. /,
        ),
      }),
    ]);
    const left = (action: string) => [
      {
        skipped: true,
        reason: 'outsideCallingHours',
        campaignId,
        action,
        nextAllowedAt: opensAt,
      },
    ];
    expect(only('Too early')).toEqual(left('start'));
    expect(only('Start')).toEqual([expect.objectContaining({ campaignId, state: 'running' })]);
    expect(only('Also too early')).toEqual(left('resume'));
    expect(only('Resume')).toEqual([expect.objectContaining({ campaignId, state: 'running' })]);
    expect(asked()).toEqual(['createCampaign', 'start', 'pause', 'resume']);
  });

  it('within them create and start', async () => {
    const execution = await run(createNode('Create', OPEN));
    const [item] = jsonOf(execution, 'Create');
    expect(item).toMatchObject({ state: 'running', started: true });
    expect(item).not.toHaveProperty('nextAllowedAt');
    expect(asked()).toEqual(['createCampaign', 'start']);
    expect([...service.seen.callsByPhone]).toEqual([[PHONE, 1]]);
  });

  it.each<[string, (rules: IDataObject) => WorkflowNode]>([
    ['create', (rules) => createNode('Last', rules)],
    ['start', (rules) => controlNode('Last', 'start', rules)],
    ['resume', (rules) => controlNode('Last', 'resume', rules)],
  ])('with Fail let %s fail before anything is sent', async (_action, node) => {
    const { rules, opensAt } = closedNow();
    const execution = await run(node({ ...rules, outsideCallingHours: 'fail' }));
    const error = errorOf(execution);
    expect(error?.message).toBe(
      'Nobody was called. Calling Hours do not allow a call now (time zone Asia/Kolkata)',
    );
    expect(error?.description).toContain(`The next allowed time is ${opensAt}.`);
    expect(service.seen.received).toEqual([]);
  });
});

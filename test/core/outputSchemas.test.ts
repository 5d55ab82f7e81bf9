import type { SchemaObject } from 'ajv';
import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import { OutboundAiCalling } from '../../nodes/OutboundAiCalling/OutboundAiCalling.node';
import { placedCalls } from '../../nodes/OutboundAiCalling/placedCalls';
import { accountFingerprint } from '../../nodes/OutboundAiCalling/service/accountFingerprint';
import { firedItem } from '../../nodes/OutboundAiCalling/trigger/whatFires';
import { givenUp } from '../../nodes/OutboundAiCalling/trigger/watch/watch';
import type { AccountSettings } from '../../nodes/OutboundAiCalling/trigger/settings';
import { disagreement, outputSchemas } from '../outputSchemas';
import { startCallingService, type CallingService } from '../service';
import { closedHours } from './closedHours';
import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';
import { execute, jsonOf, type ExecutionRequest } from './engine';
import { Publication } from './triggerEngine';

let schemas: Map<string, SchemaObject>;
let service: CallingService | undefined;
let tables: DataTablesServer;
let credential: IDataObject;
beforeAll(async () => {
  schemas = await outputSchemas();
  tables = await startDataTablesServer();
});
afterAll(async () => await tables.close());

/** @param speed how fast time passes at the calling service */
async function serve(speed: number): Promise<void> {
  const calling = await startCallingService({ speed });
  service = calling;
  tables.reset();
  credential = {
    baseUrl: calling.baseUrl,
    apiKey: 'test-key',
    n8nApiKey: 'key',
    n8nApiUrl: `${tables.baseUrl}/api/v1`,
  };
}
afterEach(async () => await service?.close());

const PHONE = '+12025550101';

/** Runs an operation, and gives its items and where they disagree with its schema. */
async function run(
  name: string,
  parameters: IDataObject,
  mode: ExecutionRequest['mode'] = 'trigger',
) {
  const [resource, operation] = name.split('/');
  const items = jsonOf(
    await execute({ parameters: { resource, operation, ...parameters }, credential, mode }),
  );
  const disagreements = items.flatMap((item) => disagreement(schemas.get(name), item));
  return { items, disagreements };
}

const call = { scriptId: 7, customerPhone: PHONE, additionalFields: { orderNumber: 'A-1' } };
const log = {
  callLog: 'dataTable',
  callLogTable: { __rl: true, mode: 'name', value: 'Calls' },
};
const list = {
  scriptId: 7,
  contactsSource: 'json',
  contactsJson: JSON.stringify([{ customerPhone: PHONE }, { customerPhone: 'none' }]),
  options: { invalidContacts: 'skip' },
};

type Case = [what: string, name: string, IDataObject, sign: IDataObject, mode?: 'manual'];

const CASES: Case[] = [
  ['a call', 'call/trigger', call, { callStatus: 'in_progress' }],
  ['a call with a log', 'call/trigger', { ...call, ...log }, { orderNumber: 'A-1' }],
  ['a skipped call', 'call/trigger', { ...call, rules: closedHours() }, { skipped: true }],
  [
    'a test call',
    'call/trigger',
    { ...call, rules: { manualExecutions: 'testPhone', testPhone: PHONE } },
    { testCall: true },
    'manual',
  ],
  [
    'a dry run',
    'call/trigger',
    { ...call, rules: { manualExecutions: 'dryRun', ...closedHours() } },
    { dryRun: true, reason: 'outsideCallingHours' },
    'manual',
  ],
  [
    'a call that goes on',
    'call/triggerAndWait',
    { ...call, options: { maxWaitMinutes: 0 } },
    { finished: false },
  ],
  ['a scheduled call', 'call/schedule', { ...call, ...log }, { status: 'scheduled' }],
  [
    'a scheduled call in a dry run',
    'call/schedule',
    { ...call, ...log, rules: { manualExecutions: 'dryRun' } },
    { dryRun: true, wouldCall: true },
    'manual',
  ],
  ['a campaign', 'campaign/create', list, { started: false, skippedContacts: [{ row: 2 }] }],
  [
    'a campaign that was started',
    'campaign/create',
    { ...list, startImmediately: true },
    { started: true },
  ],
  [
    'a campaign that has to wait',
    'campaign/create',
    { ...list, startImmediately: true, rules: closedHours() },
    { started: false, nextAllowedAt: expect.any(String) },
  ],
  [
    'a campaign in a dry run',
    'campaign/create',
    { ...list, rules: { manualExecutions: 'dryRun' } },
    { dryRun: true, contactCount: 1 },
    'manual',
  ],
];

describe('the output that the editor shows before a run', () => {
  it('is described for every operation, and for the trigger', () => {
    const lists = new OutboundAiCalling().description.properties.filter(
      ({ name }) => name === 'operation',
    );
    const operations = lists.flatMap(({ displayOptions, options = [] }) =>
      (options as INodePropertyOptions[]).map(
        ({ value }) => `${String(displayOptions?.show?.resource?.[0])}/${value}`,
      ),
    );
    expect([...schemas.keys()].sort()).toEqual([...operations, ''].sort());
    for (const schema of schemas.values()) {
      expect(schema).toMatchObject({ type: 'object', version: 1 });
      expect(JSON.stringify(schema)).not.toMatch(/anyOf|\$ref|"additionalProperties":false/);
    }
  });

  it.each(CASES)('describes %s', async (...[, name, parameters, sign, mode]) => {
    await serve(1);
    const { items, disagreements } = await run(name, parameters, mode);
    expect(items).toMatchObject([sign]);
    expect(disagreements).toEqual([]);
  });

  it('describes a scheduled call that is placed, and how many are cancelled', async () => {
    await serve(1);
    const table = { callLogTable: { __rl: true, mode: 'name', value: 'Scheduled' } };
    const schedule = { ...call, ...table };
    await run('call/schedule', schedule);
    const placed = await run('call/placeScheduled', { ...table, options: { keepOnSeconds: 0 } });
    expect(placed.items).toMatchObject([{ attempt: 1, orderNumber: 'A-1' }]);
    expect(placed.disagreements).toEqual([]);
    await run('call/schedule', { ...schedule, options: { scheduleAgain: true } });
    const by = { cancelBy: 'orderNumber', cancelValue: 'A-1' };
    const cancelled = await run('call/cancelScheduled', { ...table, ...by });
    expect(cancelled).toMatchObject({ items: [{ cancelled: 1 }], disagreements: [] });
  });

  it('describes a call that was waited for', async () => {
    await serve(10_000);
    const options = { maxWaitMinutes: 0.002 };
    const { items, disagreements } = await run('call/triggerAndWait', { ...call, options });
    expect(items).toMatchObject([{ finished: true, customerPhone: PHONE }]);
    expect(disagreements).toEqual([]);
  });

  it.each(['turns', 'text'])('describes the transcript as %s', async (transcript) => {
    await serve(10_000);
    const options = { maxWaitMinutes: 0.002, transcript };
    const waited = await run('call/triggerAndWait', { ...call, options });
    const orderId = waited.items[0]?.orderId;
    const read = await run('call/getOutcome', { orderId, options: { transcript } });
    for (const { items, disagreements } of [waited, read]) {
      const [item = {}] = items;
      const text = expect.stringMatching(/^(Agent|Customer|System): .+\n/);
      const turns = expect.arrayContaining([expect.objectContaining({ speaker: 'agent' })]);
      expect(item).toMatchObject(
        transcript === 'text' ? { transcriptText: text } : { transcript: turns },
      );
      expect(item).not.toHaveProperty(transcript === 'text' ? 'transcript' : 'transcriptText');
      expect(disagreements).toEqual([]);
    }
  });

  it('describes outcomes', async () => {
    await serve(10_000);
    const placed = await run('call/trigger', call);
    const orderId = placed.items[0]?.orderId;
    const { items, disagreements } = await run('call/getOutcome', {
      orderId,
      inProgress: 'wait',
    });
    expect(items).toMatchObject([{ orderId, finished: true }]);
    expect(Object.keys(items[0] ?? {}).length).toBeLessThanOrEqual(10);
    expect(disagreements).toEqual([]);
  });

  it('describes what becomes of campaigns', async () => {
    await serve(1);
    const { items } = await run('campaign/create', list);
    const campaignId = items[0]?.campaignId;
    for (const action of ['start', 'pause', 'resume']) {
      const { items: told, disagreements } = await run(`campaign/${action}`, { campaignId });
      expect(told).toMatchObject([{ campaignId, action: `${action}_campaign` }]);
      expect(disagreements).toEqual([]);
      if (action === 'pause') continue;
      for (const [rules, mode] of [
        [closedHours(), 'trigger'],
        [{ manualExecutions: 'dryRun' }, 'manual'],
      ] as const) {
        const left = await run(`campaign/${action}`, { campaignId, rules }, mode);
        expect(left.items).toMatchObject([{ campaignId, action }]);
        expect(left.disagreements).toEqual([]);
      }
    }
  });

  it('describes the call log', async () => {
    await serve(1);
    await run('call/trigger', { ...call, ...log });
    for (const groupBy of ['day', 'outcome', 'script']) {
      const { items, disagreements } = await run('callLog/report', { ...log, groupBy });
      expect(items).toMatchObject([{ groupBy, totals: { calls: expect.any(Number) } }]);
      expect(disagreements).toEqual([]);
    }
    const { items, disagreements } = await run('callLog/prune', { ...log, olderThanDays: 1 });
    expect(items).toMatchObject([{ deleted: expect.any(Number) }]);
    expect(disagreements).toEqual([]);
  });

  it('describes what the trigger fires', async () => {
    await serve(10_000);
    const placed = await run('call/trigger', call);
    const orderId = Number(placed.items[0]?.orderId);
    const details = {
      orderId,
      scriptId: 7,
      customerPhone: PHONE,
      customerName: 'Ada',
      placedAt: Date.now() - 60_000,
    };
    placedCalls.note(accountFingerprint(credential), details);
    const [inTurns, asText] = ['turns', 'text'].map(
      (transcript) =>
        new Publication({
          credential,
          workflowId: transcript,
          parameters: { options: { transcript } },
          budgetMs: 10_000,
        }),
    ) as [Publication, Publication];
    await Promise.all([inTurns.poll(), asText.poll()]);
    const fired = [...inTurns.fired, ...asText.fired];
    const event = { event: 'outcomeAvailable', orderId };
    expect(fired).toMatchObject([
      { ...event, transcript: expect.any(Array) },
      { ...event, transcriptText: expect.any(String) },
    ]);
    const givenUpCall = firedItem(
      {
        call: { ...details, orderNumber: 'A-1', checks: 3, nextCheckAt: 0 },
        end: givenUp('The outcome did not come'),
      },
      { events: ['outcomeUnavailable'], account: 'account' } as AccountSettings,
    );
    expect(givenUpCall).toMatchObject({ event: 'outcomeUnavailable', orderId });
    const items = [...fired, givenUpCall];
    expect(items.flatMap((item) => disagreement(schemas.get(''), item))).toEqual([]);
  });
});

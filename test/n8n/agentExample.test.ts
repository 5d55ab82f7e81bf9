import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../nodes/OutboundAiCalling/http/json';
import {
  errorOf,
  PROJECT,
  runsOf,
  sharedN8n,
  withCredential,
  withScript,
  type Execution,
  type SavedWorkflow,
  type SharedN8n,
  type WorkflowFile,
} from '../../scripts/n8n';
import { startCallingService, type CallingService } from '../service';
import { startChatModel, type ChatModel, type ChatReply, type ChatRequest } from './chatModel';
import { startMailbox, type Mailbox } from './mailbox';
import { CALLING_CREDENTIAL, saveCredential } from './workflows';
import { until } from './until';

/** A script that asks for the brand only. */
const SCRIPT = 21;
const HEADER = { name: 'X-Shop-Key', value: 'of the shop' };
const PHONE = '+12025550114';
const TOOL = 'Telephone_the_customer';

let n8n: SharedN8n;
let service: CallingService;
let mailbox: Mailbox;
let model: ChatModel;
let workflow: SavedWorkflow;
/** What the model says, by how often it has been told what became of its tool. */
let script: ChatReply[];

function toolResults({ messages }: ChatRequest): string[] {
  return messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));
}

/** What n8n asks of a model that wants a tool which a person reviews, once or several times. */
function asking(...wanted: string[]): ChatReply {
  return {
    calls: wanted.map((toTalkAbout) => ({
      tool: TOOL,
      args: { toolParameters: { toTalkAbout }, hitlParameters: {} },
    })),
  };
}

beforeAll(async () => {
  service = await startCallingService({
    callSeconds: { min: 5, max: 6 },
    outcomeFor: () => ({ status: 'completed', label: 'Order confirmed' }),
  });
  mailbox = await startMailbox();
  model = await startChatModel(
    (request) => script[toolResults(request).length] ?? { text: 'The script has no more words.' },
  );
  n8n = await sharedN8n();
  workflow = await importExample();
  await n8n.client.publish(workflow);
});
afterAll(async () => {
  await n8n.client.unpublish(workflow);
  await Promise.all([service.close(), mailbox.close(), model.close()]);
});
beforeEach(() => {
  service.reset();
  mailbox.mails.length = 0;
  model.requests.length = 0;
});

/** Imports the example as a person does: the file, then the credentials in its nodes. */
async function importExample(
  change = (example: WorkflowFile): WorkflowFile => example,
): Promise<SavedWorkflow> {
  const text = await readFile(join(PROJECT, 'examples', 'ai-agent-calls.json'), 'utf8');
  const file = change(withScript(JSON.parse(text) as WorkflowFile, SCRIPT));
  for (const { parameters } of file.nodes) {
    // So that it may be tried at any time of the day.
    if (isRecord(parameters.rules)) delete (parameters.rules as IDataObject).callingHours;
  }
  const { client } = n8n;
  const credentials = await Promise.all([
    saveCredential(client, service),
    client.createCredential('Header of the shop', 'httpHeaderAuth', HEADER),
    client.createCredential('Mail', 'smtp', mailbox.account),
    client.createCredential('Model', 'openAiApi', { apiKey: 'none', url: model.url }),
  ]);
  const types = [CALLING_CREDENTIAL, 'httpHeaderAuth', 'smtp', 'openAiApi'];
  return await client.createWorkflow(
    credentials.reduce(
      (example, credential, index) => withCredential(example, types[index] ?? '', credential),
      file,
    ),
  );
}

/** The example with a node that gives the agent each message twice. */
function twice(example: WorkflowFile): WorkflowFile {
  const [webhook] = example.nodes.filter(({ name }) => name === 'A customer writes');
  const agents = example.connections['A customer writes'];
  if (webhook === undefined || agents === undefined) throw new Error('The example has changed');
  webhook.parameters.path = 'two-messages';
  example.nodes.push({
    name: 'Twice',
    type: 'n8n-nodes-base.code',
    typeVersion: 2,
    position: [0, 0],
    parameters: { jsCode: 'return [$input.first(), { json: $input.first().json }];' },
  });
  example.connections['A customer writes'] = {
    main: [[{ node: 'Twice', type: 'main', index: 0 }]],
  };
  example.connections.Twice = agents;
  return example;
}

/** Has a customer write; gives the execution that n8n starts. */
async function write(
  messageId: string,
  about: IDataObject = { customerName: 'Ann', orderNumber: '1042' },
): Promise<string> {
  const before = await n8n.client.executionSummaries(workflow.id);
  const text = 'A cup is broken. Please call me.';
  const message = { messageId, text, phone: PHONE, brand: 'Acme', ...about };
  const [path] = workflow.nodes.flatMap(({ parameters }) => parameters.path ?? []);
  const { status } = await n8n.client.postToWebhook(String(path), message, {
    headers: { [HEADER.name]: HEADER.value },
  });
  expect(status).toBe(200);
  return await waitFor('the execution', async () => {
    const [latest] = await n8n.client.executionSummaries(workflow.id);
    return latest === undefined || latest.id === before[0]?.id ? undefined : latest.id;
  });
}

async function waitFor<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  let found: T | undefined;
  await until(async () => (found = await look()) !== undefined);
  if (found === undefined) throw new Error(`Waited in vain for ${what}`);
  return found;
}

/** Waits until the execution waits for an answer to the mail of that number, counted from 1. */
async function mailOf(execution: string, number: number): Promise<string> {
  return await waitFor(`mail ${number}`, async () => {
    const mail = mailbox.mails[number - 1];
    const summaries = await n8n.client.executionSummaries(workflow.id);
    const waits = summaries.find(({ id }) => id === execution)?.status === 'waiting';
    return waits ? mail : undefined;
  });
}

/** Clicks a button of a mail. */
async function click(mail: string, approved: boolean): Promise<void> {
  const links = [...mail.matchAll(/href="([^"]+)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );
  const link = links.find((href) => href.includes(`approved=${approved}`));
  const { pathname, search } = new URL(link ?? '');
  const answer = await fetch(`${n8n.client.baseUrl}${pathname}${search}`, {
    headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
  });
  expect(answer.status).toBe(200);
}

function answerOf(execution: Execution): unknown {
  return runsOf(execution, 'Answer the customer').at(-1)?.data?.main?.[0]?.[0]?.json.output;
}

describe('ai-agent-calls', () => {
  it('calls nobody before the review, and once after it, also when the agent asks again', async () => {
    script = [
      asking('The broken cup'),
      asking('The broken cup, once more'),
      { text: 'We have called you.' },
    ];
    const id = await write('M-1');
    const mail = await mailOf(id, 1);
    expect(mail).toContain('Subject: Call Ann about order 1042?');
    expect(mail).toContain('To talk about: The broken cup');
    expect(mail).toContain('The customer wrote: A cup is broken.');
    expect(service.seen.calls).toEqual([]);
    const [tool] = model.requests[0]?.tools ?? [];
    expect(tool?.function.name).toBe(TOOL);
    expect(tool?.function.description).toContain('asking again calls nobody');
    expect(JSON.stringify(tool?.function.parameters)).not.toMatch(/phone/i);

    await click(mail, true);
    const second = await mailOf(id, 2);
    expect(second).toContain('The broken cup, once more');
    expect([...service.seen.callsByPhone]).toEqual([[PHONE, 1]]);

    await click(second, true);
    const execution = await n8n.client.waitForExecution(id);
    expect(errorOf(execution)).toBeUndefined();
    expect(answerOf(execution)).toBe('We have called you.');
    expect([...service.seen.callsByPhone]).toEqual([[PHONE, 1]]);
    expect(service.seen.calls[0]).toMatchObject({ body: { orderNotes: 'The broken cup' } });
    const [first, again] = toolResults(model.requests.at(-1) as ChatRequest);
    expect(first).toContain('order_confirmed');
    expect(JSON.parse(String(again))).toEqual([
      expect.objectContaining({
        skipped: true,
        message: 'Nobody was called: this execution has called this person before (call ID 4001)',
      }),
    ]);
  });

  it('calls once when the agent asks twice at the same time', async () => {
    script = [asking('The broken cup', 'The cup'), { text: 'We have called you.' }];
    const id = await write('M-3');
    await click(await mailOf(id, 1), true);
    const execution = await n8n.client.waitForExecution(id);
    expect(answerOf(execution)).toBe('We have called you.');
    expect(mailbox.mails).toHaveLength(1); // n8n has the first of them reviewed, and drops the other
    expect([...service.seen.callsByPhone]).toEqual([[PHONE, 1]]);
  });

  it('calls nobody when the review refuses, and the agent learns of it', async () => {
    script = [asking('The broken cup'), { text: 'We do not call.' }];
    const id = await write('M-2', {});
    const mail = await mailOf(id, 1);
    expect(mail).toContain('Subject: Call the customer about order unknown?');
    await click(mail, false);
    const execution = await n8n.client.waitForExecution(id);
    expect(errorOf(execution)).toBeUndefined();
    expect(answerOf(execution)).toBe('We do not call.');
    expect(service.seen.calls).toEqual([]);
    expect(toolResults(model.requests.at(-1) as ChatRequest)[0]).toContain('rejected');
  });

  it('calls once when the answer of the service is lost, and the agent hears that the call is in doubt', async () => {
    service.faults.add({ kind: 'reset', route: 'trigger', when: 'after' });
    script = [asking('The broken cup'), asking('The broken cup'), { text: 'We may have called.' }];
    const id = await write('M-4');
    await click(await mailOf(id, 1), true);
    await click(await mailOf(id, 2), true);
    const execution = await n8n.client.waitForExecution(id);
    expect(answerOf(execution)).toBe('We may have called.');
    for (const result of toolResults(model.requests.at(-1) as ChatRequest)) {
      expect(result).toMatch(/may have been/);
    }
    expect([...service.seen.callsByPhone]).toEqual([[PHONE, 1]]);
  });

  it('calls nobody by one review of several messages, which n8n takes for all of them', async () => {
    const example = workflow;
    workflow = await importExample(twice);
    await n8n.client.publish(workflow);
    try {
      script = [asking('The broken cup'), { text: 'We do not call.' }];
      const id = await write('M-5');
      await click(await mailOf(id, 1), true);
      await n8n.client.waitForExecution(id);
      expect(mailbox.mails).toHaveLength(1);
      const results = model.requests.flatMap(toolResults);
      expect(results).toEqual(
        results.map(() => expect.stringContaining('The human review is that of one of 2 items')),
      );
      expect(results).not.toEqual([]);
      expect(service.seen.calls).toEqual([]);
    } finally {
      await n8n.client.unpublish(workflow);
      workflow = example;
    }
  });

  it('calls nobody again for a message that comes twice', async () => {
    script = [asking('The broken cup'), { text: 'Done.' }];
    const id = await write('M-1');
    await click(await mailOf(id, 1), true);
    await n8n.client.waitForExecution(id);
    expect(service.seen.calls).toEqual([]);
    expect(toolResults(model.requests.at(-1) as ChatRequest)[0]).toContain('duplicate');
  });
});

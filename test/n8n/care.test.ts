import { randomInt } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import {
  errorOf,
  jsonOf,
  startPreparedN8n,
  type Execution,
  type PreparedN8n,
  type SavedWorkflow,
} from '../../scripts/n8n';
import { callingNode, saveCredential } from './workflows';

jest.setTimeout(300_000);

const seed = Number(process.env.CHAOS_SEED ?? randomInt(1, 1_000_000));

let n8n: PreparedN8n;
let service: CallingService;
beforeAll(async () => {
  service = await startCallingService({ seed });
  n8n = await startPreparedN8n();
});
afterAll(async () => {
  await n8n.stop();
  await service.close();
});
beforeEach(() => service.reset());

const phonesOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `+1202555${1000 + from + index}`);
const isFor = (phone: string | undefined) => ({
  match: ({ body }: { body: unknown }) => (body as IDataObject).customerPhone === phone,
});

/** A published workflow: phones come in by webhook, one call for each. */
async function publishCalls(
  path: string,
  options: INodeParameters,
  settings = {},
): Promise<SavedWorkflow> {
  const credential = await saveCredential(n8n.client, service);
  const link = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
  return await n8n.client.publish(
    await n8n.client.createWorkflow({
      name: path,
      nodes: [
        {
          name: 'Phones',
          type: 'n8n-nodes-base.webhook',
          typeVersion: 2.1,
          position: [0, 0],
          parameters: { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} },
          webhookId: path,
        },
        {
          name: 'Each',
          type: 'n8n-nodes-base.splitOut',
          typeVersion: 1,
          position: [200, 0],
          parameters: {
            fieldToSplitOut: 'body.phones',
            options: { destinationFieldName: 'phone' },
          },
        },
        callingNode(
          'Call',
          'call.trigger',
          credential,
          { scriptId: 7, customerPhone: '={{ $json.phone }}', options },
          { position: [400, 0], ...settings },
        ),
      ],
      connections: { Phones: link('Each'), Each: link('Call') },
    }),
  );
}

/** Posts phones and waits for the execution that calls them, the given one in number. */
async function call(workflow: SavedWorkflow, phones: string[], number = 1): Promise<Execution> {
  await n8n.client.postToWebhook(workflow.name, { phones });
  const all = await n8n.client.waitForExecutions(workflow.id, number, 240_000);
  const newest = all.sort((one, other) => Number(other.id) - Number(one.id))[0];
  if (newest === undefined) throw new Error('The workflow did not run');
  return newest;
}

describe('a failed execution', () => {
  it('can be retried by hand: what was placed is not dialled again, the rest is', async () => {
    const workflow = await publishCalls('retried-by-hand', { concurrency: 5 });
    const phones = phonesOf(40);
    service.faults.add({ kind: 'status', status: 400, ...isFor(phones[20]) });
    const failed = await call(workflow, phones);
    expect(failed.status).toBe('error');
    const placedBefore = service.seen.calls.length;
    expect(placedBefore).toBeGreaterThanOrEqual(20);

    const retried = await n8n.client.waitForExecution(await n8n.client.retryExecution(failed.id));
    expect(retried.status).toBe('success');
    expect(jsonOf(retried, 'Call').map(({ customerPhone }) => customerPhone)).toEqual(phones);
    expect(service.seen.calls).toHaveLength(40);
    expect(service.seen.callsByPhone.size).toBe(40);
  });

  it('that may have placed a call does not dial it when retried by hand', async () => {
    const workflow = await publishCalls('retried-in-doubt', { concurrency: 1 });
    const phones = phonesOf(5);
    service.faults.add({ kind: 'reset', when: 'after', ...isFor(phones[2]) });
    const failed = await call(workflow, phones);
    expect(errorOf(failed)?.message).toContain('the call may have been placed');
    const retried = await n8n.client.waitForExecution(await n8n.client.retryExecution(failed.id));
    expect(errorOf(retried)?.message).toContain('the call may have been placed');
    expect(Math.max(...service.seen.callsByPhone.values())).toBe(1);
  });
});

describe('Prevent Duplicates', () => {
  it('calls a key once: within an execution, across executions and a restart of n8n', async () => {
    const workflow = await publishCalls('once-only', { preventDuplicates: true });
    const [first = '', second = ''] = phonesOf(2);
    const skipped = (customerPhone: string) => ({
      skipped: true,
      reason: 'duplicate',
      customerPhone,
    });
    const placed = expect.objectContaining({ orderId: expect.any(Number) });

    expect(jsonOf(await call(workflow, [first, first]), 'Call')).toEqual([placed, skipped(first)]);
    await n8n.restart();
    expect(jsonOf(await call(workflow, [first, second], 2), 'Call')).toEqual([
      skipped(first),
      placed,
    ]);
    expect(service.seen.calls).toHaveLength(2);
  });

  it('gives a key back when the call was surely not placed, and keeps it in doubt', async () => {
    const workflow = await publishCalls(
      'given-back',
      { preventDuplicates: true },
      { onError: 'continueRegularOutput' },
    );
    const [refused, doubtful] = phonesOf(2) as [string, string];
    service.faults.add(
      { kind: 'status', status: 400, ...isFor(refused) },
      { kind: 'reset', when: 'before', ...isFor(doubtful) },
    );
    const errors = jsonOf(await call(workflow, [refused, doubtful]), 'Call');
    expect(errors.map((item) => Object.keys(item))).toEqual([['error'], ['error']]);
    expect(jsonOf(await call(workflow, [refused, doubtful], 2), 'Call')).toEqual([
      expect.objectContaining({ orderId: expect.any(Number) }),
      { skipped: true, reason: 'duplicate', customerPhone: doubtful },
    ]);
  });
});

describe(`500 calls through faults drawn from seed ${seed}`, () => {
  it('call nobody twice, and no call stays untold', async () => {
    const workflow = await publishCalls(
      'through-faults',
      { concurrency: 20, requestTimeoutSeconds: 2 },
      { onError: 'continueRegularOutput', retryOnFail: true },
    );
    const often = { times: Infinity, probability: 0.02 };
    for (const [kind, when] of [
      ['reset', 'before'],
      ['reset', 'after'],
      ['hang', 'after'],
    ] as const) {
      service.faults.add({ kind, when, ...often });
    }
    for (const when of ['before', 'after'] as const) {
      service.faults.add({ kind: 'status', status: 503, when, ...often });
    }
    service.faults.add({ kind: 'rateLimit', retryAfter: 0, ...often });
    const phones = phonesOf(500);
    const output = jsonOf(await call(workflow, phones), 'Call');
    const orderIds = new Set(output.map(({ orderId }) => orderId));
    const inDoubt = new Set(
      phones.filter((_, index) =>
        String(output[index]?.error).includes('the call may have been placed'),
      ),
    );
    expect(output).toHaveLength(500);
    expect([...service.seen.callsByPhone].filter(([, count]) => count > 1)).toEqual([]);
    expect(
      service.seen.calls.filter(
        ({ orderId, phone }) => !orderIds.has(orderId) && !inDoubt.has(phone),
      ),
    ).toEqual([]);
    expect(inDoubt.size).toBeGreaterThan(0);
  });
});

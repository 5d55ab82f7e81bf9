import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startCallingService, type CallingService } from '../service';
import { errorOf, jsonOf, sharedN8n, type SavedWorkflow, type SharedN8n } from '../../scripts/n8n';
import { runs, seed } from '../generators';
import { rulesAndOptions } from '../rulesAndOptions';
import { callPhones, phoneWorkflow } from './phoneWorkflow';
import { saveCredential } from './workflows';

let n8n: SharedN8n;
let service: CallingService;
beforeAll(async () => {
  service = await startCallingService({ seed });
  n8n = await sharedN8n();
});
afterAll(async () => {
  await service.close();
});
beforeEach(() => service.reset());

const phonesOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `+1202555${1000 + from + index}`);
const isFor = (phone: string | undefined) => ({
  match: ({ body }: { body: unknown }) => (body as IDataObject).customerPhone === phone,
});

async function publishCalls(
  path: string,
  chosen: IDataObject,
  settings = {},
): Promise<SavedWorkflow> {
  const credential = await saveCredential(n8n.client, service);
  const workflow = phoneWorkflow(
    path,
    credential,
    rulesAndOptions(chosen) as INodeParameters,
    settings,
  );
  return await n8n.client.publish(await n8n.client.createWorkflow(workflow));
}

const call = async (workflow: SavedWorkflow, phones: string[], number = 1) =>
  await callPhones(n8n.client, workflow, phones, number);

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
    expect(errors).toEqual(
      [refused, doubtful].map((customerPhone) => ({ error: expect.any(String), customerPhone })),
    );
    expect(jsonOf(await call(workflow, [refused, doubtful], 2), 'Call')).toEqual([
      expect.objectContaining({ orderId: expect.any(Number) }),
      { skipped: true, reason: 'duplicate', customerPhone: doubtful },
    ]);
  });
});

const CALLS = runs(200, 2_000);

describe(`${CALLS} calls through faults drawn from seed ${seed}`, () => {
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
    const phones = phonesOf(CALLS);
    const output = jsonOf(await call(workflow, phones), 'Call');
    const orderIds = new Set(output.map(({ orderId }) => orderId));
    const inDoubt = new Set(
      phones.filter((_, index) =>
        String(output[index]?.error).includes('the call may have been placed'),
      ),
    );
    expect(output).toHaveLength(CALLS);
    expect([...service.seen.callsByPhone].filter(([, count]) => count > 1)).toEqual([]);
    expect(
      service.seen.calls.filter(
        ({ orderId, phone }) => !orderIds.has(orderId) && !inDoubt.has(phone),
      ),
    ).toEqual([]);
    expect(inDoubt.size).toBeGreaterThan(0);
  });
});

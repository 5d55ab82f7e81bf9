import type { IDataObject } from 'n8n-workflow';
import { placedCalls } from '../../nodes/OutboundAiCalling/placedCalls';
import { startCallingService, type CallingService } from '../service';
import { execute, jsonOf, type ExecutionRequest } from './engine';

const PHONE = '+12025550101';

let service: CallingService;
beforeAll(async () => {
  service = await startCallingService();
});
beforeEach(() => {
  service.reset();
  service.faults.clear();
});
afterAll(async () => await service.close());
afterEach(() => void jest.restoreAllMocks());

const run = async (id: string, request: Partial<ExecutionRequest> = {}, more: IDataObject = {}) =>
  await execute({
    parameters: {
      resource: 'call',
      operation: 'triggerAndWait',
      scriptId: 7,
      customerPhone: PHONE,
      additionalFields: { orderNumber: 'A-1' },
      options: { maxWaitMinutes: 0 },
      ...more,
    },
    mode: 'manual',
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
    ...request,
    settings: { id, ...request.settings },
  });
const WAITING = { options: { maxWaitMinutes: 1 } };
/** Stopped while it waits for the outcome. */
const stopped = async (id: string) => {
  const note = jest.spyOn(placedCalls, 'note');
  await run(id, { cancelWhen: () => note.mock.calls.length > 0 }, WAITING);
};
const rung = () => service.seen.calls.length;

describe('the execution after one that was stopped', () => {
  it('fails once, and names the call that was placed', async () => {
    await stopped('once');
    const { error } = await run('once');
    expect(error?.message).toMatch(/^Nobody was called\. .*stopped/);
    expect(error?.message).toMatch(
      new RegExp(`\\${PHONE} was called about order A-1 \\(call ID at the service: \\d+\\)`),
    );
    expect(error?.description).toContain('Stopping does not take a call back');
    expect(rung()).toBe(1);
    jsonOf(await run('once'));
    expect(rung()).toBe(2);
  });

  it('names a call whose request was under way', async () => {
    service.faults.add({ kind: 'hang', when: 'after' });
    await run('under way', { cancelWhen: () => rung() > 0 }, WAITING);
    const { error } = await run('under way');
    expect(error?.message).toContain(`${PHONE} may have been called about order A-1`);
    expect(rung()).toBe(1);
  });

  it('fails once as a retry, which n8n lets its API ask for: nothing else knows of the call', async () => {
    await stopped('retried');
    const { error } = await run('retried', { mode: 'retry' });
    expect(error?.message).toMatch(
      /^Nobody was called\. .*stopped, or a retry, had placed calls: /,
    );
    expect(rung()).toBe(1);
    jsonOf(await run('retried', { mode: 'retry' }));
    expect(rung()).toBe(2);
  });

  it('fails once more after a retry that has called: n8n shows that as stopped, too', async () => {
    await stopped('retried often');
    for (const [called, isRefused] of [
      [1, true],
      [2, false],
      [2, true],
      [3, false],
    ]) {
      const { error } = await run('retried often', { mode: 'retry' });
      expect([rung(), error !== undefined]).toEqual([called, isRefused]);
    }
  });

  it('fails once, by hand, after a retry that was stopped too', async () => {
    const note = jest.spyOn(placedCalls, 'note');
    const cancelWhen = () => note.mock.calls.length > 0;
    await run('stopped retry', { mode: 'retry', cancelWhen }, WAITING);
    const { error } = await run('stopped retry');
    expect(error?.message).toContain('stopped');
    expect(rung()).toBe(1);
  });

  it('fails once more after a retry that has called in its second try', async () => {
    service.faults.add({ kind: 'status', status: 402, times: 1 });
    const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
    jsonOf(await run('second try', { mode: 'retry', settings }, { operation: 'trigger' }));
    const { error } = await run('second try', { mode: 'retry' }, { operation: 'trigger' });
    expect(error?.message).toContain('or a retry, had placed calls');
    expect(rung()).toBe(1);
  });

  it.each([0, 15_000])(
    'skips what another retry calls at the same time: %i ms later',
    async (ms) => {
      const id = `beside ${ms}`;
      const headers = { 'retry-after': '40' };
      service.faults.add({ kind: 'status', status: 429, times: 1, headers });
      const first = run(id, { mode: 'retry' });
      for (let further = 0; further < 2; further++) {
        await new Promise((resolve) => setTimeout(resolve, ms));
        const [item] = jsonOf(await run(id, { mode: 'retry' }));
        expect(item).toMatchObject({ skipped: true, reason: 'earlierTry' });
        expect(item?.message).toContain(`${PHONE} is being called about order A-1`);
      }
      jsonOf(await first);
      expect(rung()).toBe(1);
    },
  );

  it('fails once more after a retry that has called in one round and failed in the next', async () => {
    const refuse = { kind: 'status', status: 401, match: () => rung() === 1 } as const;
    service.faults.add({ ...refuse, times: 9 });
    const rounds = { mode: 'retry', rounds: 2 } as const;
    expect((await run('rounds', rounds)).error).toBeDefined();
    service.faults.clear();
    const { error } = await run('rounds', rounds);
    expect(error?.message).toContain('or a retry, had placed calls');
    expect(rung()).toBe(1);
  });

  it('goes on after a retry whose call was refused', async () => {
    service.faults.add({ kind: 'status', status: 401, times: 1 });
    expect((await run('refused', { mode: 'retry' })).error).toBeDefined();
    jsonOf(await run('refused', { mode: 'retry' }));
    expect(rung()).toBe(1);
  });

  it('goes on when a retry that has called fails, and is retried', async () => {
    const items = [1, 2].map((order) => ({ json: { order } }));
    const orders = {
      additionalFields: { orderNumber: '=A-{{ $json.order }}' },
      operation: 'trigger',
    };
    const refuse = { kind: 'status', status: 402, match: () => rung() === 1 } as const;
    service.faults.add(refuse);
    const failed = await run('fails as a retry', { mode: 'retry', items }, orders);
    expect(failed.error).toBeDefined();
    jsonOf(await run('fails as a retry', { mode: 'retry', retryOf: failed }, orders));
    expect(rung()).toBe(2);
  });

  it('goes on when it is retried itself, as it advises', async () => {
    await stopped('retried again');
    const once = await run('retried again', { mode: 'retry' });
    expect(once.error?.description).toContain('To call all the same, execute this once more.');
    jsonOf(await run('retried again', { mode: 'retry', retryOf: once }));
    expect(rung()).toBe(2);
  });

  it('fails in all its tries', async () => {
    await stopped('tries');
    const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
    const { error } = await run('tries', { settings });
    expect(error?.message).toContain('stopped');
    expect(rung()).toBe(1);
  });

  it('calls about another order, from another node, and in production', async () => {
    await stopped('others');
    jsonOf(await run('others', {}, { additionalFields: { orderNumber: 'A-2' } }));
    jsonOf(await run('another node'));
    jsonOf(await run('others', { mode: 'trigger' }));
    expect(rung()).toBe(4);
  });

  it('calls when ten minutes have passed', async () => {
    await stopped('later');
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + 11 * 60_000);
    jsonOf(await run('later'));
    expect(rung()).toBe(2);
  });

  it('calls after one that ended by itself', async () => {
    jsonOf(await run('ended'));
    jsonOf(await run('ended'));
    expect(rung()).toBe(2);
  });
});

describe('Create after one that was stopped', () => {
  const listOf = (...phones: string[]) => ({
    contactsJson: JSON.stringify(phones.map((customerPhone) => ({ customerPhone }))),
  });
  const create = async (
    id: string,
    request: Partial<ExecutionRequest> = {},
    more: IDataObject = {},
  ) =>
    await execute({
      parameters: {
        resource: 'campaign',
        operation: 'create',
        scriptId: 7,
        contactsSource: 'json',
        ...listOf(PHONE, '+12025550102'),
        startImmediately: true,
        options: { contactsPerCampaign: 1 },
        ...more,
      },
      mode: 'manual',
      credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
      ...request,
      settings: { id, ...request.settings },
    });
  /** Stopped while the answer to the last of so many requests is awaited. */
  const stoppedAt = (route: 'createCampaign' | 'controlCampaign', last: number) => {
    const count = () => service.seen.requests[route];
    service.faults.add({ kind: 'hang', when: 'after', route, match: () => count() >= last });
    return { cancelWhen: () => count() >= last };
  };
  const ids = () => service.seen.campaigns.map(({ campaignId }) => campaignId);

  it('fails once, also with a corrected list, and names the campaigns', async () => {
    await create('started', stoppedAt('controlCampaign', 2));
    const { error } = await create('started', {}, listOf(PHONE, '+12025550104'));
    const [first, second] = ids();
    expect(error?.message).toBe(
      `Nobody was called. The execution that was stopped, or a retry, had created campaigns: ${first} (running), ${second} (it may be running)`,
    );
    expect(error?.description).toContain('pause it with Campaign > Pause');
    expect(ids()).toHaveLength(2);
    expect(jsonOf(await create('started'))).toHaveLength(2);
  });

  it('names one that may exist', async () => {
    await create('lost', stoppedAt('createCampaign', 2));
    const { error } = await create('lost');
    expect(error?.message).toContain(
      `campaigns: ${ids()[0]} (not_started), perhaps one whose answer was lost`,
    );
  });

  it('names those of all rounds of a loop', async () => {
    const contactsJson = '={{ [{ phone: "+1202555010" + $runIndex }] }}';
    await create('loop', { rounds: 3, ...stoppedAt('createCampaign', 3) }, { contactsJson });
    const { error } = await create('loop');
    const [first, second] = ids();
    expect(error?.message).toContain(`${first} (running), ${second} (running), perhaps one`);
  });

  it('fails in all rounds of a loop that continues on error', async () => {
    const contactsJson = '={{ [{ phone: "+1202555010" + $runIndex }] }}';
    await create('goes on', { rounds: 3, ...stoppedAt('createCampaign', 3) }, { contactsJson });
    const settings = { onError: 'continueRegularOutput' as const };
    const { items } = await create('goes on', { rounds: 3, settings }, { contactsJson });
    expect(items.map(({ json }) => json.error)).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining('The execution that was stopped')),
    );
    expect(ids()).toHaveLength(3);
  });

  it('goes on when the one that failed is retried', async () => {
    await create('retried', stoppedAt('controlCampaign', 2));
    const once = await create('retried', { mode: 'retry' });
    expect(once.error?.message).toContain(
      'The execution that was stopped, or a retry, had created campaigns',
    );
    expect(jsonOf(await create('retried', { mode: 'retry', retryOf: once }))).toHaveLength(2);
  });

  it('creates in production, from another node, and nothing in a dry run', async () => {
    await create('elsewhere', stoppedAt('controlCampaign', 2));
    jsonOf(await create('elsewhere', {}, { rules: { manualExecutions: 'dryRun' } }));
    jsonOf(await create('elsewhere', { mode: 'trigger' }));
    jsonOf(await create('yet another node'));
    expect(ids()).toHaveLength(6);
  });
});

import { NodeApiError, type IDataObject } from 'n8n-workflow';
import { LONGEST_AGE_MS, MOST_CALLS, placedCalls } from '../../nodes/OutboundAiCalling/placedCalls';
import { accountFingerprint } from '../../nodes/OutboundAiCalling/service/accountFingerprint';
import { isSimulatedId } from '../../nodes/OutboundAiCalling/service/simulatedService';
import {
  startCallingService,
  type CallingService,
  type CallingServiceOptions,
  type FaultKind,
} from '../service';
import { execute, jsonOf } from './engine';
import { Publication, type PublicationOptions } from './triggerEngine';

let service: CallingService;
let clock = Date.UTC(2030, 0, 1);
let count = 0;

async function serve(options: CallingServiceOptions = {}): Promise<void> {
  service = await startCallingService({ clock: () => clock, ...options });
}

afterEach(async () => await service.close());

const credentialOf = ({ baseUrl }: CallingService, apiKey = 'test-key') => ({ baseUrl, apiKey });

/** Whose calls are placed at a service. */
const accountAt = (at: CallingService) => accountFingerprint(credentialOf(at));

/** Places calls that have ended, and notes them as the action node does. */
async function place(calls: number, at: CallingService = service): Promise<number[]> {
  const orderIds: number[] = [];
  for (let index = 0; index < calls; index++) {
    const customerPhone = `+1202555${String(index).padStart(4, '0')}`;
    const response = await fetch(`${at.baseUrl}/api/v1/calls/trigger`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'test-key' },
      body: JSON.stringify({ scriptId: 7, customerPhone, orderNumber: `R${index}` }),
    });
    const { order_id: orderId } = (await response.json()) as { order_id: number };
    const placedAt = Date.now() - 60_000;
    placedCalls.note(accountAt(at), {
      orderId,
      customerPhone,
      customerName: 'Ada',
      placedAt,
    });
    orderIds.push(orderId);
  }
  clock += 3_600_000;
  return orderIds;
}

/** A trigger of its own, whose publishing is over. */
function publish(more: Partial<PublicationOptions> = {}): Publication {
  const id = String(count++);
  return new Publication({
    credential: credentialOf(service),
    workflowId: id,
    // As under the durable scheduler: the first poll of this context is no publishing.
    budgetMs: 10_000,
    parameters: { options: { fastChecks: false } },
    ...more,
  });
}

const PHONE = '+12025550101';
const FAST = { parameters: { options: { fastChecks: true } } };
const seconds = async (count: number) =>
  await new Promise((resolve) => setTimeout(resolve, count * 1_000));

const orderIdsOf = (publication: Publication) =>
  publication.fired.map(({ orderId }) => Number(orderId)).sort((a, b) => a - b);

describe('a poll', () => {
  it('hands over every call that has ended, once, and gives n8n nothing at its end', async () => {
    await serve();
    const trigger = publish();
    const orderIds = await place(25);
    expect(await trigger.poll()).toBeNull();
    expect(orderIdsOf(trigger)).toEqual(orderIds);
    await trigger.poll();
    expect(trigger.fired).toHaveLength(25);
    expect(trigger.fired[0]).toMatchObject({
      event: 'outcomeAvailable',
      eventId: expect.stringMatching(
        new RegExp(`^[0-9a-f]{16}-.+-1-${String(trigger.fired[0]?.orderId)}-outcomeAvailable$`),
      ),
      customerPhone: expect.stringMatching(/^\+1202555/),
      customerName: 'Ada',
      orderNumber: expect.stringMatching(/^R/),
      finished: true,
    });
  });

  it('never has more than 10 requests under way', async () => {
    await serve();
    const trigger = publish();
    await place(60);
    const release = service.faults.hold({ route: 'outcome', times: Infinity });
    const polling = trigger.poll();
    await seconds(1);
    release();
    await polling;
    expect(trigger.fired).toHaveLength(60);
    expect(service.seen.mostInFlight.outcome).toBe(10);
  });

  it('takes one round when the workflow is published, although calls go on', async () => {
    await serve();
    const trigger = publish({ budgetMs: 300_000 });
    await place(1);
    clock -= 3_600_000;
    await trigger.poll();
    expect(service.seen.requests.outcome).toBe(1);
  });

  it('keeps looking every 5 seconds while a call goes on', async () => {
    await serve();
    const trigger = publish({ ...FAST, budgetMs: 20_000 });
    await place(1);
    clock -= 3_600_000;
    const polling = trigger.poll();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(trigger.fired).toEqual([]);
    clock += 3_600_000;
    await polling;
    expect(trigger.fired).toHaveLength(1);
    expect(service.seen.requests.outcome).toBe(2);
  });

  it('is woken by a call that is placed while nothing is open, and asks for nothing else', async () => {
    await serve();
    const options = { firstCheckAfterSeconds: 0 };
    const parameters = { options };
    const trigger = publish({ parameters, budgetMs: 15_000 });
    const polling = trigger.poll();
    await seconds(1);
    const orderIds = await place(1);
    await seconds(1);
    expect(orderIdsOf(trigger)).toEqual(orderIds);
    await polling;
    expect(service.seen.requests.outcome).toBe(1);
  });

  it('waits no longer for n8n than until the next one is near', async () => {
    await serve();
    const trigger = publish({ budgetMs: 3_000 });
    await place(1);
    trigger.start = 'silent';
    const startedAt = performance.now();
    await trigger.poll();
    expect(performance.now() - startedAt).toBeLessThan(4_500);
    trigger.say('well');
  });

  it('looks once without fast checks', async () => {
    await serve();
    const trigger = publish();
    await place(1);
    clock -= 3_600_000;
    await trigger.poll();
    expect(service.seen.requests.outcome).toBe(1);
  });

  it('ends within its budget although nothing answers, and the next one goes on', async () => {
    await serve();
    const trigger = publish({ ...FAST, budgetMs: 5_000 });
    await place(15);
    service.faults.add({ kind: 'hang', times: Infinity });
    const startedAt = Date.now();
    await trigger.poll();
    expect(Date.now() - startedAt).toBeLessThan(5_000);
    service.faults.clear();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    for (let poll = 0; poll < 8 && trigger.fired.length < 15; poll++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await trigger.poll();
    }
    expect(trigger.fired).toHaveLength(15);
  });

  it('does nothing while another one of the same trigger is under way', async () => {
    await serve({ answerDelayMs: 300 });
    const trigger = publish();
    await place(5);
    await Promise.all([trigger.poll(), trigger.poll()]);
    expect(service.seen.requests.outcome).toBe(5);
    expect(trigger.fired).toHaveLength(5);
  });

  it.each(['never', 'notStored'] as const)(
    'offers an outcome again whose execution n8n did not start (%s)',
    async (start) => {
      await serve();
      const trigger = publish({ budgetMs: 2_000 });
      await place(3);
      trigger.start = start;
      await trigger.poll();
      expect(trigger.fired).toEqual([]);
      trigger.start = 'well';
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await trigger.poll();
      expect(trigger.fired).toHaveLength(3);
    },
  );

  it('of an instance in which other calls fail hands over the rest', async () => {
    await serve();
    const trigger = publish({ budgetMs: 8_000 });
    const [first] = await place(5);
    const match = ({ url }: { url: string }) => url.includes(`/${first}/`);
    service.faults.add({ kind: 'status', status: 500, match, times: Infinity });
    await trigger.poll();
    expect(trigger.fired).toHaveLength(4);
  });
});

describe('a hand-over', () => {
  it('that n8n refuses after the poll is made again', async () => {
    await serve();
    const trigger = publish({ budgetMs: 3_000 });
    await place(3);
    trigger.start = 'silent';
    await trigger.poll();
    expect(trigger.fired).toEqual([]);
    trigger.start = 'well';
    await trigger.poll();
    expect(trigger.fired).toEqual([]); // n8n may still take them
    trigger.say('never');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await trigger.poll();
    expect(trigger.fired).toHaveLength(3);
  });

  it('that n8n confirms after the poll is not made again', async () => {
    await serve();
    const trigger = publish({ budgetMs: 3_000 });
    await place(3);
    trigger.start = 'silent';
    await trigger.poll();
    trigger.start = 'well';
    trigger.say('well');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await trigger.poll();
    expect(trigger.fired).toHaveLength(3);
  });

  it('about which n8n says nothing counts as taken, and a refusal is heard still later', async () => {
    await serve();
    const trigger = publish({ budgetMs: 3_000 });
    await place(2);
    trigger.start = 'silent';
    await trigger.poll();
    await new Promise((resolve) => setTimeout(resolve, 16_000));
    trigger.start = 'well';
    await trigger.poll();
    expect(trigger.fired).toEqual([]);
    trigger.say('never');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await trigger.poll();
    expect(trigger.fired).toHaveLength(2);
  });
});

describe('a credential that is pointed at another account', () => {
  it('begins anew, by process and by order ids, though the order ids are the same', async () => {
    await serve();
    const other = await startCallingService({ clock: () => clock, seed: 2 });
    try {
      const orderIds = await place(3);
      const parameters = { watch: 'orderIds', orderIds: orderIds.join(' ') };
      const before = {
        instance: publish({ workflowId: 'moved' }),
        orderIds: publish({ workflowId: 'moved ids', parameters }),
      };
      for (const trigger of Object.values(before)) {
        await trigger.poll();
        expect(orderIdsOf(trigger)).toEqual(orderIds);
      }
      expect(await place(3, other)).toEqual(orderIds);
      const credential = credentialOf(other);
      const after = {
        instance: publish({
          workflowId: 'moved',
          credential,
          staticData: before.instance.staticData,
        }),
        orderIds: publish({
          workflowId: 'moved ids',
          parameters,
          credential,
          staticData: before.orderIds.staticData,
        }),
      };
      const asked = service.seen.requests.outcome;
      for (const trigger of Object.values(after)) {
        await trigger.poll();
        expect(orderIdsOf(trigger)).toEqual(orderIds);
      }
      expect(service.seen.requests.outcome).toBe(asked);
    } finally {
      await other.close();
    }
  });
});

describe('a service that receives too many requests', () => {
  it('is left alone by the whole poll for as long as it asks', async () => {
    await serve();
    const trigger = publish({ ...FAST, budgetMs: 20_000 });
    await place(40);
    service.faults.add({ kind: 'rateLimit', retryAfter: 4, times: Infinity });
    const polling = trigger.poll();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    // Those that were under way together, and none since.
    expect(service.seen.requests.outcome).toBeLessThanOrEqual(10);
    service.faults.clear();
    await polling;
    for (let poll = 0; poll < 3 && trigger.fired.length < 40; poll++) await trigger.poll();
    expect(trigger.fired).toHaveLength(40);
  });
});

describe('a clock', () => {
  afterEach(() => jest.restoreAllMocks());
  const setBack = (ms: number) => {
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() - ms);
  };
  const DAY_MS = 24 * 3_600_000;

  it('that is set back by a day between polls keeps no call waiting', async () => {
    await serve();
    const trigger = publish({ budgetMs: 3_000 });
    await place(2);
    clock -= 3_600_000;
    await trigger.poll();
    clock += 3_600_000;
    setBack(DAY_MS);
    for (let poll = 0; poll < 4 && trigger.fired.length < 2; poll++) {
      await trigger.poll();
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
    expect(trigger.fired).toHaveLength(2);
  });

  it('that is set back during a poll makes it no longer', async () => {
    await serve();
    const trigger = publish({ ...FAST, budgetMs: 8_000 });
    await place(1);
    clock -= 3_600_000;
    const startedAt = performance.now();
    const polling = trigger.poll();
    await new Promise((resolve) => setTimeout(resolve, 500));
    setBack(DAY_MS);
    await polling;
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });
});

it('A trigger on this instance hears of a call placed with another credential of the same account', async () => {
  await serve();
  const trigger = publish({ credentialId: 'copied' });
  const call = { resource: 'call', operation: 'trigger', scriptId: 7, customerPhone: PHONE };
  jsonOf(await execute({ parameters: call, credential: credentialOf(service) }));
  clock += 3_600_000;
  await seconds(15);
  await trigger.poll();
  expect(trigger.fired).toMatchObject([{ customerPhone: PHONE }]);
});

describe('calls that a process cannot keep', () => {
  it.each([
    ['too many', MOST_CALLS + 1, Date.now()],
    ['too old', 2, Date.now() - LONGEST_AGE_MS - 1],
  ])('because they are %s are told by a warning', async (_what, count, firstPlacedAt) => {
    await serve();
    const trigger = publish();
    const warn = jest.spyOn(trigger.logger, 'warn');
    const account = accountAt(service);
    const call = { customerPhone: '+12025550100', scriptId: 7 };
    for (let orderId = 1; orderId <= count; orderId++) {
      const placedAt = orderId === 1 ? firstPlacedAt : Date.now();
      placedCalls.note(account, { ...call, orderId, placedAt });
    }
    await trigger.poll();
    expect(warn).toHaveBeenCalledWith(
      expect.stringMatching(/outcomes of 1 calls will not come.*call log/),
    );
    warn.mockClear();
    await trigger.poll();
    expect(warn).not.toHaveBeenCalledWith(expect.stringMatching(/will not come/));
    warn.mockRestore();
  });
});

describe('a refused key', () => {
  it('fails the poll with an error for its owner, and loses nothing', async () => {
    await serve();
    const trigger = publish();
    await place(5);
    service.faults.add({ kind: 'status', status: 401, times: Infinity });
    const failure = await trigger.poll().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NodeApiError);
    expect(failure).toMatchObject({
      httpCode: '401',
      message: expect.stringMatching(/refused the API key/),
      description: expect.stringMatching(/credential/),
    });
    expect(JSON.stringify(failure)).not.toContain('test-key');
    service.faults.clear();
    await trigger.poll();
    expect(trigger.fired).toHaveLength(5);
  });
});

describe('a refusal', () => {
  it.each<[string, FaultKind]>([
    ['of the key', { kind: 'status', status: 401 }],
    ['by a redirect', { kind: 'redirect', location: '/elsewhere' }],
  ])('%s for one call does not hold back the others', async (_what, fault) => {
    await serve();
    const trigger = publish();
    const [first] = await place(25);
    service.faults.add({
      ...fault,
      times: Infinity,
      match: ({ url }) => url.includes(`/${first}/`),
    });
    // The look that would have begun at the moment of the refusal comes with the next poll.
    await trigger.poll();
    await trigger.poll();
    expect(trigger.fired).toHaveLength(24);
  });
});

describe("an answer that is not the service's", () => {
  const html = { kind: 'html', times: Infinity } as const;

  it('to one call does not hold back the others', async () => {
    await serve();
    const trigger = publish();
    const [first] = await place(4);
    service.faults.add({ ...html, match: ({ url }) => url.includes(`/${first}/`) });
    await trigger.poll();
    expect(trigger.fired).toHaveLength(3);
  });

  it('to all calls fails the poll with an error for its owner, and loses nothing', async () => {
    await serve();
    const trigger = publish({ budgetMs: 2_000 });
    await place(4);
    service.faults.add(html);
    await expect(trigger.poll()).rejects.toThrow(/not as the calling service/);
    service.faults.clear();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    await trigger.poll();
    expect(trigger.fired).toHaveLength(4);
  });
});

describe('filters', () => {
  const outcomes = ['Order confirmed', 'callback_requested', 'Confirmed'];
  const outcomeFor = ({ phone }: { phone: string }) => ({
    label: outcomes[Number(phone.slice(-4)) % 3] ?? '',
    status: Number(phone.slice(-4)) < 3 ? 'Completed' : 'failed',
  });

  it.each([
    [{ outcomes: 'ORDER CONFIRMED' }, 2],
    [{ outcomes: 'order_confirmed; Call-back Requested' }, 4],
    [{ callStatuses: 'completed' }, 3],
    [{ callStatuses: 'FAILED', outcomes: 'confirmed' }, 1],
    [{ outcomes: 'voicemail' }, 0],
  ])('%j fire for %d of 6 calls, whatever the capitals', async (options, expected) => {
    await serve({ outcomeFor });
    const trigger = publish({
      parameters: { options: { ...options, fastChecks: false } },
    });
    await place(6);
    await trigger.poll();
    expect(trigger.fired).toHaveLength(expected);
    const asked = service.seen.requests.outcome;
    await trigger.poll();
    expect(service.seen.requests.outcome).toBe(asked);
  });
});

it.each([
  { outcomes: '*' },
  { outcomes: 'confirmed, ALL' },
  { outcomes: ['any'] },
  { callStatuses: 'all' },
])(
  'A trigger refuses a word for all in a filter, which would match nothing: %j',
  async (filter) => {
    await serve();
    const options = { fastChecks: false, ...filter };
    await expect(publish({ parameters: { options } }).poll()).rejects.toThrow(
      /name ".*", which is/,
    );
  },
);

describe('an option whose expression gives nothing', () => {
  it.each([
    ['outcomes', 'Outcomes has an expression that gives nothing'],
    ['callStatuses', 'Call Statuses has an expression that gives nothing'],
    ['finalOnly', 'Last Attempts Only is neither true nor false'],
  ])('%s is a mistake, not a filter that is off', async (name, message) => {
    await serve();
    const options = { fastChecks: false, [name]: '={{ $vars.missing }}' };
    await expect(publish({ parameters: { options } }).poll()).rejects.toThrow(message);
  });
});

describe('a call that is given up', () => {
  const parameters = {
    events: ['outcomeUnavailable'],
    options: { giveUpAfterHours: 0.01, fastChecks: false },
  };

  it('fires once, with the reason', async () => {
    await serve();
    const trigger = publish({ parameters });
    await trigger.poll();
    const [orderId] = await place(1);
    clock -= 3_600_000;
    await trigger.poll();
    await trigger.poll();
    expect(trigger.fired).toEqual([
      expect.objectContaining({
        event: 'outcomeUnavailable',
        eventId: expect.stringMatching(
          new RegExp(`^[0-9a-f]{16}-.+-1-${orderId}-outcomeUnavailable$`),
        ),
        orderId,
        endReason: 'givenUp',
        message: expect.stringMatching(/0.01 hours/),
        customerName: 'Ada',
      }),
    ]);
  });

  it('fires with an outcome that said all the time that it was still to come', async () => {
    await serve();
    const options = { giveUpAfterHours: 0.01, fastChecks: false };
    const trigger = publish({ parameters: { options } });
    await trigger.poll();
    const [orderId] = await place(1);
    const body = { success: true, orderId, callStatus: 'completed', callOutcome: 'Pending' };
    service.faults.add({ kind: 'json', route: 'outcome', times: Infinity, body });
    await trigger.poll();
    await trigger.poll();
    expect(trigger.fired).toMatchObject([
      { event: 'outcomeAvailable', orderId, callOutcome: 'Pending', outcomeKey: 'pending' },
    ]);
  });

  it('does not fire for calls that have ended', async () => {
    await serve();
    const trigger = publish({ parameters });
    await place(2);
    await trigger.poll();
    expect(trigger.fired).toEqual([]);
  });
});

describe('answers that tempt a wrong state', () => {
  const again = { status: 404, times: 1 };

  it('an outcome that is in progress again after it was complete fires once', async () => {
    await serve();
    const trigger = publish();
    await place(1);
    await trigger.poll();
    const body = { success: false, message: 'Call is still in progress' };
    service.faults.add({ kind: 'status', ...again, times: Infinity, body });
    await trigger.poll();
    service.faults.clear();
    await trigger.poll();
    expect(trigger.fired).toHaveLength(1);
  });

  it('an order that is unknown at first fires when its outcome comes', async () => {
    await serve();
    const trigger = publish({ ...FAST, budgetMs: 12_000 });
    await place(1);
    const body = { success: false, message: 'Order not found' };
    service.faults.add({ kind: 'status', ...again, body });
    // On a busy machine the second look may fall to the next poll.
    for (let polls = 0; polls < 3 && trigger.fired.length === 0; polls++) await trigger.poll();
    expect(trigger.fired).toHaveLength(1);
  });
});

describe('a service that was reset, and gives the ids of earlier calls again', () => {
  it('gets every outcome fired, each with an event id of its own, for every trigger', async () => {
    await serve();
    const triggers = [publish(), publish()];
    for (const trigger of triggers) await trigger.poll();
    const ids: unknown[] = [];
    for (const round of [1, 2]) {
      const orderIds = await place(2);
      for (const trigger of triggers) await trigger.poll();
      for (const { fired } of triggers) expect(fired).toHaveLength(2 * round);
      ids.push(...orderIds);
      service.reset();
    }
    expect(ids.slice(0, 2)).toEqual(ids.slice(2));
    const [first, second] = triggers.map(({ fired }) => fired.map(({ eventId }) => eventId).sort());
    expect(new Set(first).size).toBe(4);
    expect(second).toEqual(first);
  });
});

describe('order ids', () => {
  const watch = (orderIds: unknown) => ({ watch: 'orderIds', orderIds }) as never;

  it('fire once each, also after a restart with what n8n has saved', async () => {
    await serve();
    const orderIds = await place(3);
    const parameters = watch(`${orderIds.join(', ')}\n${orderIds[0]}`);
    const trigger = publish({ parameters });
    await trigger.poll();
    expect(orderIdsOf(trigger)).toEqual(orderIds);
    const staticData = JSON.parse(JSON.stringify(trigger.staticData)) as never;
    const restarted = publish({ parameters, staticData });
    await restarted.poll();
    expect(restarted.fired).toEqual([]);
  });

  it.each([false, true])(
    'say nothing of attempts, and not when a call was placed, which they cannot know; last attempts only: %s',
    async (finalOnly) => {
      await serve();
      const orderIds = await place(1);
      const trigger = publish({
        parameters: { ...(watch(orderIds) as object), options: { finalOnly } },
      });
      await trigger.poll();
      expect(orderIdsOf(trigger)).toEqual(orderIds);
      expect(Object.keys(trigger.fired[0] ?? {})).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/attempt/i)]),
      );
      expect(trigger.fired[0]).toMatchObject({ triggeredAt: null });
    },
  );

  it('fire once each, also when they leave the list for a while', async () => {
    await serve();
    const [a, b, c] = await place(3);
    const staticData = {};
    const fired = async (orderIds: unknown[]) => {
      const parameters = watch(orderIds.join());
      const trigger = publish({ parameters, workflowId: 'mended list', staticData });
      await trigger.poll();
      return orderIdsOf(trigger);
    };
    expect(await fired([a, b])).toEqual([a, b]);
    expect(await fired([b, c])).toEqual([c]);
    expect(await fired([a, b, c])).toEqual([]);
  });

  it('fire once each, also when the credential was exchanged and put back', async () => {
    await serve();
    const orderIds = await place(2);
    const staticData = {};
    const using = (credential = credentialOf(service)) =>
      publish({ parameters: watch(orderIds), workflowId: 'exchanged', credential, staticData });
    const before = using();
    await before.poll();
    expect(orderIdsOf(before)).toEqual(orderIds);
    const mistaken = using(credentialOf(service, 'mistaken'));
    await expect(mistaken.poll()).rejects.toThrow(/API key/);
    const after = using();
    await after.poll();
    expect([...mistaken.fired, ...after.fired]).toEqual([]);
  });

  it.each([
    ['4821, banana', /Not a call ID: "banana"/],
    ['', /no call IDs/],
  ])('%j are an error when the workflow is published', async (orderIds, message) => {
    await serve();
    const trigger = publish({ parameters: watch(orderIds), budgetMs: 300_000 });
    await expect(trigger.poll()).rejects.toThrow(message);
  });
});

describe('the editor', () => {
  it('gets one real call, and production still fires it', async () => {
    await serve();
    const orderIds = await place(3);
    const editor = publish({ mode: 'manual' });
    const items = (await editor.poll())?.[0];
    expect(items).toHaveLength(1);
    expect(items?.[0]?.json).toMatchObject({ event: 'outcomeAvailable', finished: true });
    const trigger = publish();
    await trigger.poll();
    expect(orderIdsOf(trigger)).toEqual(orderIds);
    expect(trigger.fired).toContainEqual(items?.[0]?.json);
  });

  it('does not make an order id fire again', async () => {
    await serve();
    const [orderId] = await place(1);
    const parameters = { watch: 'orderIds', orderIds: String(orderId) };
    const trigger = publish({ workflowId: 'ids', parameters });
    await trigger.poll();
    const editor = publish({ workflowId: 'ids', parameters, mode: 'manual' });
    expect((await editor.poll())?.[0]?.[0]?.json).toMatchObject({ orderId });
    await trigger.poll();
    expect(trigger.fired).toHaveLength(1);
  });

  it('gets a made-up call while none has ended, with the outcome that was chosen', async () => {
    await serve();
    const show = async (parameters: IDataObject) =>
      (await publish({ mode: 'manual', parameters }).poll())?.[0]?.[0]?.json;
    expect(await show({ options: { simulatedOutcome: 'Callback requested' } })).toMatchObject({
      simulated: true,
      event: 'outcomeAvailable',
      outcomeKey: 'callback_requested',
      transcript: [{ speaker: 'agent' }, { speaker: 'customer' }],
      customerPhone: expect.any(String),
      attempt: 1,
      nextAttemptAt: null,
      finished: true,
    });
    expect(await show({})).toMatchObject({ simulated: true, outcomeKey: 'order_confirmed' });
    expect(await show({ options: { outcomes: 'refused' } })).toMatchObject({
      outcomeKey: 'refused',
    });
    expect(await show({ events: ['outcomeUnavailable'] })).toMatchObject({
      simulated: true,
      event: 'outcomeUnavailable',
      endReason: 'givenUp',
    });
    expect(await show({ simplify: false })).toMatchObject({ simulated: true, success: true });
    // No call of anybody has such an id.
    expect(isSimulatedId(Number((await show({}))?.orderId))).toBe(true);
    expect(service.seen.requests.outcome).toBe(0);
  });

  it('gets a made-up call as a bare id gives one, given up when the person chose', async () => {
    await serve();
    const show = async (parameters: IDataObject) => {
      const ids = { watch: 'orderIds', orderIds: '1', ...parameters };
      return (await publish({ mode: 'manual', parameters: ids }).poll())?.[0]?.[0]?.json;
    };
    const given = Object.keys((await show({})) ?? {});
    for (const unknown of ['customerPhone', 'customerName', 'orderNumber']) {
      expect(given).not.toContain(unknown);
    }
    const events = ['outcomeUnavailable'];
    const { message } = (await show({ events, options: { giveUpAfterHours: 2 } })) ?? {};
    expect(message).toContain('within 2 hours');
  });

  it('shows no made-up call as soon as a real one has ended', async () => {
    await serve();
    const orderIds = await place(1);
    const item = (await publish({ mode: 'manual' }).poll())?.[0]?.[0]?.json;
    expect(item).toMatchObject({ orderId: orderIds[0] });
    expect(item).not.toHaveProperty('simulated');
  });

  it('gets the conversation as one text, for the cell of a sheet, where that is chosen', async () => {
    const turns = [
      { speaker: 'agent', text: 'Shall we send it?', atSec: 1 },
      { speaker: 'customer', text: 'Yes, please.', atSec: 4 },
    ];
    await serve({ outcomeFor: () => ({ status: 'completed', talkSec: 6, turns }) });
    const [orderId] = await place(1);
    const show = async (options: IDataObject) => {
      const parameters = { watch: 'orderIds', orderIds: String(orderId), options };
      return (await publish({ mode: 'manual', parameters }).poll())?.[0]?.[0]?.json ?? {};
    };
    const inTurns = await show({});
    expect(inTurns).toMatchObject({ transcript: [{ speaker: 'agent' }, { speaker: 'customer' }] });
    expect(inTurns).not.toHaveProperty('transcriptText');
    const asText = await show({ transcript: 'text' });
    expect(asText.transcriptText).toBe('Agent: Shall we send it?\nCustomer: Yes, please.');
    expect(asText).not.toHaveProperty('transcript');
    await expect(show({ transcript: 'words' })).rejects.toThrow(
      '"Transcript" has an unknown value',
    );
  });

  it('gets the body of the service as it came when nothing is to be simplified', async () => {
    await serve();
    await place(1);
    const editor = publish({
      mode: 'manual',
      parameters: { simplify: false },
    });
    expect((await editor.poll())?.[0]?.[0]?.json).toMatchObject({
      event: 'outcomeAvailable',
      success: true,
      callOutcome: expect.any(String),
    });
  });
});

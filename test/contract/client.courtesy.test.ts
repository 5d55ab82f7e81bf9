import { leapOverWaits } from '../leapOverWaits';
import { startCallingService, type CallingService } from '../service';
import { callTo, campaignTo, clientOf, failureOf, PHONE } from './client';

const phones = Array.from({ length: 30 }, (_, index) => `+1202555${1000 + index}`);

const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

leapOverWaits();

let service: CallingService;
beforeEach(async () => {
  service = await startCallingService();
});
afterEach(async () => await service.close());

/** Lets no request be answered before so many are under way, and then a while for one too many. */
async function answerOnceUnderWay(count: number): Promise<void> {
  const release = service.faults.hold({ times: Infinity });
  while (service.seen.inFlight.all < count) await pause(1);
  await pause(100);
  release();
}

describe('many requests at once', () => {
  it.each([1, 4, 10])('are %p under way at most, and none is lost', async (concurrency) => {
    const client = clientOf(service, { concurrency });
    const [placed] = await Promise.all([
      Promise.all(phones.map(async (phone) => await client.triggerCall(callTo(phone)))),
      answerOnceUnderWay(concurrency),
    ]);
    expect(new Set(placed.map(({ result }) => result.orderId)).size).toBe(phones.length);
    expect(service.seen.mostInFlight.trigger).toBe(concurrency);
    expect([...service.seen.callsByPhone.values()]).toEqual(Array(phones.length).fill(1));
  });

  it('are 10 under way at most when nothing is said, whatever they are for', async () => {
    const client = clientOf(service);
    await Promise.all([
      ...phones.flatMap((phone) => [
        client.triggerCall(callTo(phone)),
        client.createCampaign(campaignTo([phone])),
      ]),
      answerOnceUnderWay(10),
    ]);
    expect(service.seen.mostInFlight.all).toBe(10);
  });

  it('let others pass while one of them waits to be sent again', async () => {
    const client = clientOf(service, { concurrency: 1, firstPauseMs: 500 });
    service.faults.add({ kind: 'status', status: 429 });
    const first = client.triggerCall(callTo(phones[0]!));
    await client.triggerCall(callTo(phones[1]!));
    expect(service.seen.calls.map(({ phone }) => phone)).toEqual([phones[1]]);
    await first;
    expect(service.seen.calls).toHaveLength(2);
  });
});

describe('an execution that is cancelled', () => {
  const notSent = {
    kind: 'cancelled',
    mayHaveBeenProcessed: false,
    message: 'The execution was cancelled before the request was sent',
  };

  it('sends nothing more, and still learns of what was under way', async () => {
    const stop = new AbortController();
    const client = clientOf(service, { concurrency: 2, signal: stop.signal });
    const release = service.faults.hold({ times: Infinity });
    const calls = phones.map(async (phone) => await client.triggerCall(callTo(phone)));
    const settled = Promise.allSettled(calls);
    while (service.seen.received.length < 2) await pause(1);
    stop.abort();
    release();
    const results = await settled;
    expect(results.slice(0, 2).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    for (const call of calls.slice(2)) expect(await failureOf(call)).toMatchObject(notSent);
    expect(service.seen.requests.trigger).toBe(2);
    expect(service.seen.calls).toHaveLength(2);
  });

  it('does not wait for a pause to end, and sends nothing after it', async () => {
    const stop = new AbortController();
    const client = clientOf(service, { signal: stop.signal });
    const headers = { 'retry-after': '30' };
    service.faults.add({ kind: 'status', status: 429, headers, times: Infinity });
    const begun = performance.now();
    setTimeout(() => stop.abort(), 100);
    expect(await failureOf(client.triggerCall(callTo(PHONE)))).toMatchObject(notSent);
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect(service.seen.requests.trigger).toBe(1);
  });

  it('sends nothing at all when it was cancelled before', async () => {
    const client = clientOf(service, { signal: AbortSignal.abort() });
    for (const ask of [
      client.triggerCall(callTo(PHONE)),
      client.readOutcome(4001),
      client.createCampaign(campaignTo([PHONE])),
      client.controlCampaign(4001, 'start'),
      client.checkAccess(),
      client.askScriptVariables(12),
    ]) {
      expect(await failureOf(ask)).toMatchObject(notSent);
    }
    expect(service.seen.received).toEqual([]);
  });
});

import { request } from 'node:http';
import { leapOverWaits } from '../../leapOverWaits';
import type { CallingService, FaultKind } from '../../service';
import { CALL, contacts, create, endAll, KEY, outcome, requestsOf, start, trigger } from './client';

leapOverWaits();
afterEach(endAll);

/** Triggers a call with a bare HTTP client, to see what happens to the connection. */
async function bareTrigger({ port }: CallingService): Promise<{ status?: number; code?: string }> {
  return await new Promise((resolve) => {
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
    const path = '/api/v1/calls/trigger';
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode });
    });
    sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve({ code }));
    sent.end(JSON.stringify(CALL));
  });
}

const rawTrigger = async ({ baseUrl }: CallingService, signal?: AbortSignal): Promise<Response> =>
  await fetch(`${baseUrl}/api/v1/calls/trigger`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify(CALL),
    ...(signal === undefined ? {} : { signal }),
  });

test('latency: the right answer comes late', async () => {
  const service = await start();
  service.faults.add({ kind: 'latency', ms: 120 });
  const startedAt = performance.now();
  expect((await trigger(service)).status).toBe(200);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(120);
});

test('held: the right answer comes, and the call is made, when it is let go', async () => {
  const service = await start();
  const release = service.faults.hold({ route: 'trigger' });
  const answer = trigger(service);
  expect((await trigger(service)).status).toBe(200);
  expect(service.seen.calls).toHaveLength(1);
  release();
  expect((await answer).status).toBe(200);
  expect(service.seen.calls).toHaveLength(2);
});

test('rate limit: 429 with the pause in seconds, or as a date, or without', async () => {
  const service = await start();
  const date = new Date('2030-01-01T00:00:00Z');
  service.faults.add(
    { kind: 'rateLimit', retryAfter: 7 },
    { kind: 'rateLimit', retryAfter: date },
    { kind: 'rateLimit' },
  );
  const answers = [await trigger(service), await trigger(service), await trigger(service)];
  expect(answers.map(({ status }) => status)).toEqual([429, 429, 429]);
  expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual([
    '7',
    'Tue, 01 Jan 2030 00:00:00 GMT',
    null,
  ]);
  expect(service.seen.calls).toEqual([]);
});

test.each([500, 502, 503, 504, 408, 401])('status %d', async (status) => {
  const service = await start();
  service.faults.add({ kind: 'status', status });
  expect(await trigger(service)).toMatchObject({ status, body: { success: false } });
});

test('a status with a body and headers of its own', async () => {
  const service = await start();
  const headers = { 'x-note': 'a' };
  service.faults.add({ kind: 'status', status: 503, body: { error: 'busy' }, headers });
  const answer = await trigger(service);
  expect(answer.body).toEqual({ error: 'busy' });
  expect(answer.headers.get('x-note')).toBe('a');
});

const KINDS: FaultKind[] = [
  { kind: 'rateLimit' },
  { kind: 'status', status: 500 },
  { kind: 'reset' },
  { kind: 'hang' },
  { kind: 'html' },
  { kind: 'json' },
  { kind: 'redirect', location: 'http://127.0.0.1:1/' },
  { kind: 'successFalse' },
];
describe.each(KINDS)('$kind', (fault) => {
  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('%s the call was taken', async (when, placed) => {
    const service = await start();
    service.faults.add({ ...fault, when });
    await rawTrigger(service, AbortSignal.timeout(1_000)).catch(() => undefined);
    expect(service.seen.requests.trigger).toBe(1);
    expect(service.seen.calls).toHaveLength(placed);
  });
});

test('reset: the connection breaks', async () => {
  const service = await start();
  service.faults.add({ kind: 'reset' });
  expect(await bareTrigger(service)).toEqual({ code: 'ECONNRESET' });
  expect(await bareTrigger(service)).toEqual({ status: 200 });
});

test('hang: no answer comes, and closing the service ends it', async () => {
  const service = await start();
  service.faults.add({ kind: 'hang' });
  const hanging = bareTrigger(service);
  await requestsOf(service, 1);
  expect(service.seen.inFlight.trigger).toBe(1);
  await service.close();
  expect(await hanging).toEqual({ code: 'ECONNRESET' });
});

test('a slow answer does not hold up closing, and its call is not placed', async () => {
  const service = await start({ answerDelayMs: 60_000 });
  const waiting = bareTrigger(service);
  await requestsOf(service, 1);
  await service.close();
  expect(await waiting).toEqual({ code: 'ECONNRESET' });
  expect(service.seen.calls).toEqual([]);
});

test('html: a web page', async () => {
  const service = await start();
  service.faults.add({ kind: 'html' }, { kind: 'html', status: 404 });
  const response = await rawTrigger(service);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch('text/html');
  expect(await response.text()).toMatch(/^<!doctype html>/);
  expect((await rawTrigger(service)).status).toBe(404);
});

test('json: something else', async () => {
  const service = await start();
  service.faults.add({ kind: 'json' }, { kind: 'json', body: [1] });
  expect(await trigger(service)).toMatchObject({ status: 200, body: { hello: 'world' } });
  expect((await trigger(service)).body).toEqual([1]);
});

test('redirect', async () => {
  const service = await start();
  service.faults.add({ kind: 'redirect', location: 'http://127.0.0.1:1/' });
  const response = await rawTrigger(service);
  expect([response.status, response.headers.get('location')]).toEqual([302, 'http://127.0.0.1:1/']);
});

test('successFalse: 200 that is a failure', async () => {
  const service = await start();
  service.faults.add({ kind: 'successFalse', message: 'No credit' });
  expect(await trigger(service)).toMatchObject({
    status: 200,
    body: { success: false, message: 'No credit' },
  });
});

describe('which requests a fault befalls', () => {
  const FAULT = { kind: 'status', status: 500 } as const;

  test('one, unless told otherwise', async () => {
    const service = await start();
    service.faults.add(FAULT);
    expect([(await trigger(service)).status, (await trigger(service)).status]).toEqual([500, 200]);
    service.faults.add({ ...FAULT, times: 2 });
    const statuses = [];
    for (let round = 0; round < 3; round++) statuses.push((await trigger(service)).status);
    expect(statuses).toEqual([500, 500, 200]);
  });

  test('all, until cleared', async () => {
    const service = await start();
    service.faults.add({ ...FAULT, times: Infinity });
    for (let round = 0; round < 5; round++) expect((await trigger(service)).status).toBe(500);
    service.faults.clear();
    expect((await trigger(service)).status).toBe(200);
  });

  test('those of a route', async () => {
    const service = await start();
    service.faults.add({ ...FAULT, route: 'createCampaign' });
    expect((await trigger(service)).status).toBe(200);
    expect((await outcome(service, 4001)).status).toBe(404);
    expect((await create(service, { scriptId: 7, contacts: contacts(1) })).status).toBe(500);
  });

  test('those that match', async () => {
    const service = await start();
    const match = ({ body }: { body: unknown }) => JSON.stringify(body).includes('+12025550199');
    service.faults.add({ ...FAULT, match });
    expect((await trigger(service)).status).toBe(200);
    expect((await trigger(service, { ...CALL, customerPhone: '+12025550199' })).status).toBe(500);
  });

  test('some, by a probability that the seed decides', async () => {
    const statuses = async (seed: number) => {
      const service = await start({ seed });
      service.faults.add({ ...FAULT, times: Infinity, probability: 0.3 });
      const all: number[] = [];
      for (let round = 0; round < 100; round++) all.push((await trigger(service)).status);
      return all;
    };
    const first = await statuses(1);
    const failed = first.filter((status) => status === 500).length;
    expect(failed).toBeGreaterThan(15);
    expect(failed).toBeLessThan(45);
    expect(await statuses(1)).toEqual(first);
    expect(await statuses(2)).not.toEqual(first);
  });
});

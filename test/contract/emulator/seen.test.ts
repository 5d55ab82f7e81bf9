import {
  CALL,
  contacts,
  create,
  endAll,
  KEY,
  outcome,
  PHONE,
  requestsOf,
  start,
  trigger,
} from './client';

afterEach(endAll);

const OTHER = '+12025550102';

test('requests are counted by route, and kept as they came', async () => {
  const service = await start();
  await trigger(service);
  await outcome(service, 4001);
  await outcome(service, 4001);
  await create(service, { scriptId: 7, contacts: contacts(1) });
  expect(service.seen.requests).toEqual({
    trigger: 1,
    outcome: 2,
    createCampaign: 1,
    controlCampaign: 0,
    unknown: 0,
  });
  expect(service.seen.received[0]).toMatchObject({
    route: 'trigger',
    method: 'POST',
    url: '/api/v1/calls/trigger',
    headers: { authorization: `Bearer ${KEY}` },
    body: CALL,
  });
});

test('calls are counted by number, those of campaigns as well', async () => {
  const service = await start();
  await trigger(service, { ...CALL, orderNumber: '1042' });
  await trigger(service);
  const list = [{ phone: PHONE }, { phone: OTHER }];
  await create(service, { scriptId: 7, contacts: list, startImmediately: true });
  expect(service.seen.callsByPhone).toEqual(
    new Map([
      [PHONE, 3],
      [OTHER, 1],
    ]),
  );
  const [first] = service.seen.calls;
  expect(first).toMatchObject({ orderId: 4001, phone: PHONE, orderNumber: '1042' });
  expect((first?.endsAt ?? 0) - (first?.placedAt ?? 0)).toBe(20_000);
});

test('requests in flight are counted now and at most, by route and overall', async () => {
  const service = await start();
  const release = service.faults.hold({ times: Infinity });
  const sent = [
    ...Array.from({ length: 7 }, async () => await trigger(service)),
    ...Array.from({ length: 4 }, async () => await outcome(service, 1)),
  ];
  await requestsOf(service, 11);
  expect(service.seen.inFlight).toMatchObject({ trigger: 7, outcome: 4, all: 11 });
  release();
  await Promise.all(sent);
  expect(service.seen.inFlight).toMatchObject({ trigger: 0, outcome: 0, all: 0 });
  expect(service.seen.mostInFlight).toMatchObject({ trigger: 7, outcome: 4, all: 11 });
});

test('one request after the other is never two in flight', async () => {
  const service = await start();
  for (let round = 0; round < 200; round++) await trigger(service);
  expect(service.seen.mostInFlight.all).toBe(1);
});

test('a reset of what was seen leaves the calls where they are', async () => {
  const service = await start();
  await trigger(service);
  service.seen.reset();
  expect(service.seen.requests.trigger).toBe(0);
  expect(service.seen.received).toEqual([]);
  expect(service.seen.calls).toEqual([]);
  expect(service.seen.callsByPhone.size).toBe(0);
  expect((await outcome(service, 4001)).body.message).toBe('Call is still in progress');
});

test('a reset of the requests leaves the calls seen', async () => {
  const service = await start();
  await trigger(service);
  service.seen.resetRequests();
  expect(service.seen.requests.trigger).toBe(0);
  expect(service.seen.calls).toHaveLength(1);
});

test('a reset of the service forgets everything', async () => {
  const service = await start();
  await trigger(service);
  await create(service, { scriptId: 7, contacts: contacts(9), startImmediately: true });
  service.faults.add({ kind: 'status', status: 500 });
  service.reset();
  expect(service.seen.calls).toEqual([]);
  expect(service.seen.campaigns).toEqual([]);
  expect((await outcome(service, 4001)).body.message).toBe('Order not found');
  expect((await trigger(service)).body.order_id).toBe(4001);
});

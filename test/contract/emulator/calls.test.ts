import { CALL, Clock, endAll, outcome, PHONE, send, start, trigger } from './client';

afterEach(endAll);

describe('triggering a call', () => {
  test('answers with the documented fields, and the call is placed', async () => {
    const service = await start();
    const { status, body } = await trigger(service);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      action: 'trigger_call',
      order_id: 4001,
      script_id: 7,
      call_status: 'in_progress',
      message: expect.any(String),
    });
    expect(service.seen.calls).toMatchObject([{ orderId: 4001, phone: PHONE, scriptId: 7 }]);
  });

  test('is served on the unversioned paths as well', async () => {
    const clock = new Clock();
    const service = await start({ clock: clock.now });
    const { body } = await send(service, 'POST', '/api/trigger-call', CALL);
    clock.pass(20);
    const path = `/api/order/${String(body.order_id)}/call-outcome`;
    expect(await send(service, 'GET', path)).toMatchObject({
      status: 200,
      body: { orderId: 4001 },
    });
  });
});

describe('the outcome of a call', () => {
  test('is there from the end of the call on, not before', async () => {
    const clock = new Clock();
    const service = await start({ clock: clock.now });
    await trigger(service);
    clock.pass(19.9);
    expect(await outcome(service, 4001)).toMatchObject({
      status: 404,
      body: { success: false, message: 'Call is still in progress' },
    });
    clock.pass(0.1);
    expect(await outcome(service, 4001)).toMatchObject({ status: 200, body: { success: true } });
  });

  test('has the documented fields, and the order number that was supplied', async () => {
    const clock = new Clock();
    const service = await start({
      clock: clock.now,
      outcomeFor: () => ({ status: 'completed', label: 'Order confirmed', talkSec: 14 }),
    });
    await trigger(service, { ...CALL, orderNumber: '1042' });
    clock.pass(20);
    const { body } = await outcome(service, 4001);
    expect(body).toEqual({
      success: true,
      orderId: 4001,
      orderNumber: '1042',
      callStatus: 'completed',
      callDurationSec: 14,
      callOutcome: 'Order confirmed',
      totalCallCost: 0.21,
      summary: expect.any(String),
      transcript: expect.any(Array),
    });
    const transcript = body.transcript as Array<{ speaker: string; timestamp: number }>;
    const times = transcript.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Math.max(...times)).toBeGreaterThan(1000);
    expect(transcript.map(({ speaker }) => speaker)).toEqual(
      expect.arrayContaining(['agent', 'customer']),
    );
  });

  test('has no order number when none was supplied', async () => {
    const clock = new Clock();
    const service = await start({ clock: clock.now });
    await trigger(service);
    clock.pass(20);
    expect((await outcome(service, 4001)).body).not.toHaveProperty('orderNumber');
  });

  test('can be forced for a number: a failed call has no conversation', async () => {
    const clock = new Clock();
    const service = await start({
      clock: clock.now,
      outcomeFor: ({ phone }) => (phone === PHONE ? { status: 'failed', lastsSec: 3 } : undefined),
    });
    await trigger(service);
    clock.pass(3);
    expect((await outcome(service, 4001)).body).toMatchObject({
      callStatus: 'failed',
      callOutcome: 'no_answer',
      callDurationSec: 0,
      totalCallCost: 0,
      transcript: [],
    });
  });
});

describe('how calls go', () => {
  const phones = Array.from({ length: 300 }, (_, index) => `+1202556${1000 + index}`);

  const courses = async (seed: number, order: string[]) => {
    const service = await start({ seed, callSeconds: { min: 15, max: 60 } });
    await Promise.all(
      order.map(async (customerPhone) => await trigger(service, { ...CALL, customerPhone })),
    );
    return new Map(service.seen.calls.map(({ phone, outcome: course }) => [phone, course]));
  };

  test('depends on the seed and the number, not on the order of arrival', async () => {
    const first = await courses(1, phones);
    expect(await courses(1, phones.toReversed())).toEqual(first);
    expect(await courses(2, phones)).not.toEqual(first);
  });

  test('is varied: calls fail, labels differ, the system speaks now and then, lengths are kept', async () => {
    const all = [...(await courses(1, phones)).values()];
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['completed', 'failed']));
    expect(new Set(all.map(({ label }) => label)).size).toBe(8);
    const speaks = all.map(({ turns }) => turns.some(({ speaker }) => speaker === 'system'));
    expect(new Set(speaks).size).toBe(2);
    expect(all.every(({ lastsSec }) => lastsSec >= 15 && lastsSec <= 60)).toBe(true);
  });

  test('is the same for another order number only by chance', async () => {
    const service = await start({ callSeconds: { min: 15, max: 60 } });
    await trigger(service, { ...CALL, orderNumber: '1' });
    await trigger(service, { ...CALL, orderNumber: '2' });
    const [one, two] = service.seen.calls;
    expect(one?.outcome.lastsSec).not.toBe(two?.outcome.lastsSec);
  });

  test('follows the speed of the service', async () => {
    const service = await start({ speed: 100_000 });
    await trigger(service);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await outcome(service, 4001)).status).toBe(200);
  });
});

import { CALL, endAll, outcome, start, trigger } from './client';

afterEach(endAll);

test('only the newest 10,000 requests are kept; 10,000 calls stay open, 200 connections at once', async () => {
  const service = await start({ callSeconds: { min: 3600, max: 3600 } });
  const total = 10_050;
  let next = 0;
  await Promise.all(
    Array.from({ length: 200 }, async () => {
      while (next < total) {
        const orderNumber = String(next++);
        expect((await trigger(service, { ...CALL, orderNumber })).status).toBe(200);
      }
    }),
  );
  expect(service.seen.requests.trigger).toBe(total);
  expect(service.seen.calls).toHaveLength(total);
  expect(service.seen.received).toHaveLength(10_000);
  expect((await outcome(service, 4001)).body.message).toBe('Call is still in progress');
});

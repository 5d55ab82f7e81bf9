import { CallingServiceError } from '../../nodes/OutboundAiCalling/service/failure';
import { fc, seed } from '../generators';
import { leapOverWaits } from '../leapOverWaits';
import { startCallingService, type CallingService, type Fault } from '../service';
import { callTo, clientOf } from './client';

leapOverWaits();

const CALLS = 300;
const phones = Array.from({ length: CALLS }, (_, index) => `+1202555${1000 + index}`);

const moment = fc.constantFrom('before' as const, 'after' as const);
const disaster: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 4, arbitrary: moment.map((when): Fault => ({ kind: 'reset', when })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(408, 500, 501, 502, 503, 504), moment)
      .map(([status, when]): Fault => ({ kind: 'status', status, when })),
  },
  { weight: 1, arbitrary: moment.map((when): Fault => ({ kind: 'hang', when })) },
  { weight: 2, arbitrary: moment.map((when): Fault => ({ kind: 'html', when })) },
  {
    weight: 2,
    arbitrary: moment.map((when): Fault => ({ kind: 'json', body: { hello: 'world' }, when })),
  },
  { weight: 1, arbitrary: fc.constant<Fault>({ kind: 'json', body: { success: true } }) },
  { weight: 2, arbitrary: fc.nat(40).map((ms): Fault => ({ kind: 'latency', ms })) },
  // What follows says that nothing was done, which a service does only when that is so.
  {
    weight: 4,
    arbitrary: fc.constantFrom('0', '61', undefined).map((retryAfter): Fault => ({
      kind: 'status',
      status: 429,
      ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(400, 401, 403, 404, 422)
      .map((status): Fault => ({ kind: 'status', status })),
  },
  { weight: 1, arbitrary: fc.constant<Fault>({ kind: 'successFalse', message: 'No' }) },
  {
    weight: 1,
    arbitrary: fc.constant<Fault>({ kind: 'redirect', location: 'http://127.0.0.1:1/' }),
  },
);
/** What befalls the first, the second, ... request for a call. */
const fate = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Fault[]>([]) },
  { weight: 3, arbitrary: fc.array(disaster, { minLength: 1, maxLength: 5 }) },
);

async function fateOf(service: CallingService, fates: Fault[][]) {
  phones.forEach((phone, index) => {
    const match: Fault['match'] = ({ body }) =>
      (body as { customerPhone: string }).customerPhone === phone;
    service.faults.add(...(fates[index] ?? []).map((fault) => ({ ...fault, match })));
  });
  const client = clientOf(service, { timeoutMs: 250, concurrency: 20 });
  return await Promise.all(
    phones.map(
      async (phone) =>
        await client.triggerCall(callTo(phone)).then(
          () => 'placed' as const,
          (error: unknown) => {
            if (!(error instanceof CallingServiceError)) throw error;
            return !error.mayHaveBeenProcessed ? ('notPlaced' as const) : ('maybePlaced' as const);
          },
        ),
    ),
  );
}

it(`nobody is called twice, and no call stays untold, whatever goes wrong (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { minLength: CALLS, maxLength: CALLS }), async (fates) => {
      const service = await startCallingService();
      try {
        const told = await fateOf(service, fates);
        const { callsByPhone } = service.seen;
        expect(Math.max(...callsByPhone.values())).toBe(1);
        const wrong = phones
          .map((phone, index) => ({
            phone,
            told: told[index],
            calls: callsByPhone.get(phone) ?? 0,
            faults: fates[index],
          }))
          .filter(
            ({ told: outcome, calls }) =>
              (outcome === 'placed' && calls !== 1) || (outcome === 'notPlaced' && calls !== 0),
          );
        expect(wrong).toEqual([]);
        expect(new Set(told)).toEqual(new Set(['placed', 'notPlaced', 'maybePlaced']));
      } finally {
        await service.close();
      }
    }),
    { numRuns: 3, endOnFailure: true },
  );
});

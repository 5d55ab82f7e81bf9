import type { IDataObject } from 'n8n-workflow';
import { rulesAndOptions } from '../rulesAndOptions';
import { startCallingService, type CallingService } from '../service';
import { execute } from './engine';
import { hintsOf } from './hints';
import { ProcessedKeys } from './processedKeys';

let service: CallingService;
let keys: ProcessedKeys;
beforeAll(async () => {
  keys = await ProcessedKeys.install();
});
beforeEach(async () => {
  keys.clear();
  service = await startCallingService({ speed: 1000 });
});
afterEach(async () => await service.close());

const items = ['+12025550101', '+12025550102', '+12025550101', '+12025550103'].map((phone) => ({
  json: { phone },
}));
const call = async (chosen: IDataObject, settings = {}, more: IDataObject = {}) =>
  await execute({
    parameters: {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      ...rulesAndOptions(chosen),
      ...more,
    },
    items,
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
    settings,
  });
/** Every item is another order. */
const EACH = { additionalFields: { orderNumber: '={{ $itemIndex }}' } };
const branchesOf = ({ run }: Awaited<ReturnType<typeof call>>) =>
  (run.data.resultData.runData['Outbound AI Calling']?.[0]?.data?.main ?? []).map((branch) =>
    (branch ?? []).map(({ json }) => json),
  );
/** One person is refused, and whether another was called nobody learns. */
const failForTwo = () => {
  const isFor = (phone: string) => ({
    match: ({ body }: { body: unknown }) => (body as IDataObject).customerPhone === phone,
  });
  service.faults.add(
    { kind: 'status', status: 400, ...isFor('+12025550102') },
    { kind: 'reset', when: 'after', ...isFor('+12025550103') },
  );
};

describe('people who were not called', () => {
  it('are counted by a hint, and leave by the one output there is', async () => {
    const done = await call({ preventDuplicates: true });
    expect(hintsOf(done)).toEqual(['1 of 4 not called: 1 called or scheduled before']);
    expect(branchesOf(done).map((branch) => branch.length)).toEqual([4]);
  });

  it('are counted together with those whose items failed, but not with who may have been called', async () => {
    failForTwo();
    const settings = { onError: 'continueRegularOutput' };
    const done = await call({ preventDuplicates: true }, settings);
    expect(hintsOf(done)).toEqual(['2 of 4 not called: 1 called or scheduled before, 1 failed']);
    const wrong = { customerPhone: '={{ $itemIndex === 1 ? "nobody" : $json.phone }}' };
    service.reset();
    keys.clear();
    expect(hintsOf(await call({ preventDuplicates: true }, settings, wrong))).toEqual([
      '2 of 4 not called: 1 called or scheduled before, 1 failed',
    ]);
  });

  it.each(['={{ $json.orderNumer }}', '=#{{ $json.orderNumer }}', '=ORD-{{ $json.orderNumer }}'])(
    'are said to have no order number when %s gives nothing',
    async (orderNumber) => {
      const empty = { additionalFields: { orderNumber } };
      const hints = hintsOf(await call({ preventDuplicates: true }, {}, empty));
      expect(hints).toEqual([
        expect.stringContaining('4 items have nothing for "Order Number"'),
        '1 of 4 not called: 1 called or scheduled before',
        expect.stringMatching(
          /^1 call counts as placed or scheduled before, without an order number: .* Check the name of its column/,
        ),
      ]);
    },
  );

  it('are not mentioned when everybody was called', async () => {
    const hints = hintsOf(await call({}, {}, EACH));
    expect(hints).toEqual([expect.stringContaining('1 person got several calls at once')]);
  });

  it('leave by the second output for those who choose it', async () => {
    const done = await call({ preventDuplicates: true, notCalledOutput: true });
    const [called = [], notCalled = []] = branchesOf(done);
    expect(called.map(({ customerPhone }) => customerPhone)).toEqual([
      '+12025550101',
      '+12025550102',
      '+12025550103',
    ]);
    expect(notCalled).toEqual([
      { skipped: true, reason: 'duplicate', customerPhone: '+12025550101' },
    ]);
  });

  it('leave by it with their errors too, unless somebody may have been called', async () => {
    failForTwo();
    const settings = { onError: 'continueRegularOutput' };
    const done = await call({ notCalledOutput: true }, settings, EACH);
    const [called = [], notCalled = []] = branchesOf(done);
    expect(called).toHaveLength(3);
    expect(called.at(-1)?.error).toMatch(/^Somebody may have been called/);
    expect(notCalled.map(({ error }) => error)).toEqual([
      expect.stringMatching(/^Nobody was called/),
    ]);
  });

  it('are not told by the body of the service, which may say the same of something else', async () => {
    const body = { success: true, order_id: 9001, skipped: true, dryRun: true };
    service.faults.add({ kind: 'json', body, times: 1 });
    const done = await call({ notCalledOutput: true }, {}, { simplify: false, ...EACH });
    expect(done.error?.message).toBeUndefined();
    expect(branchesOf(done).map((branch) => branch.length)).toEqual([4, 0]);
  });

  it.each([
    ['Always Output Data', { alwaysOutputData: true }],
    ['Retry On Fail', { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 }],
  ])('are not known to "%s", which a hint says', async (name, settings) => {
    service.faults.add({ kind: 'status', status: 404, body: 'away', times: Infinity });
    const goesOn = { onError: 'continueRegularOutput', ...settings };
    const told = async (notCalledOutput: boolean) =>
      hintsOf(await call({ notCalledOutput }, goesOn)).filter((hint) => hint.includes(name));
    expect(await told(true)).toHaveLength(1);
    expect(await told(false)).toEqual([]);
  });

  it('leave an error output too: a hint says what "Always Output Data" puts where nobody is', async () => {
    const hint =
      'Nobody is in "Success", and "Always Output Data" puts an empty item into it: turn it off in the settings of the node';
    const settings = { onError: 'continueErrorOutput', alwaysOutputData: true };
    expect(hintsOf(await call({}, settings))).not.toContain(hint);
    service.faults.add({ kind: 'status', status: 404, body: 'away', times: Infinity });
    expect(hintsOf(await call({}, settings))).toContain(hint);
  });

  it('leave by it with a mistake in a retry, when the earlier try has called others', async () => {
    const isFor = { match: ({ body }: { body: unknown }) => JSON.stringify(body).includes('0102') };
    service.faults.add({ kind: 'status', status: 400, ...isFor });
    const request = {
      items: [items[0], items[1]].flatMap((item) => item ?? []),
      credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
    };
    const parameters = {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      options: { concurrency: 1, notCalledOutput: true },
    };
    const first = await execute({ ...request, parameters });
    expect(first.error?.message).toMatch(/^1 person was called/);
    const customerPhone = '={{ $itemIndex === 1 ? "nobody" : $json.phone }}';
    const done = await execute({
      ...request,
      parameters: { ...parameters, customerPhone },
      settings: { onError: 'continueRegularOutput' },
      retryOf: first,
    });
    const [called = [], notCalled = []] = branchesOf(done);
    expect(called).toMatchObject([{ customerPhone: '+12025550101' }]);
    expect(notCalled).toMatchObject([{ error: expect.stringMatching(/^Nobody was called\. /) }]);
  });

  it.each(['true', 1, null])('%p is no switch: nobody is called', async (notCalledOutput) => {
    const { error } = await call({ notCalledOutput });
    expect(error?.message).toBe('Nobody was called. Not Called Output is neither on nor off');
    expect(service.seen.calls).toEqual([]);
  });
});

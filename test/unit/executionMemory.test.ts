import type { IDataObject } from 'n8n-workflow';
import { NoLongerScheduled } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { ExecutionMemory } from '../../nodes/OutboundAiCalling/actions/memory/executionMemory';
import { CallingServiceError } from '../../nodes/OutboundAiCalling/service/failure';

const request = { subject: 'Ann', content: 'A-1' };

/** As n8n saves an execution and gives it to a retry. */
const saved = (context: IDataObject) => JSON.parse(JSON.stringify(context)) as IDataObject;

/** An execution that failed, of which a first retry has done something. */
async function retriedOnce(): Promise<IDataObject> {
  const context: IDataObject = {};
  new ExecutionMemory(context, 'run 0');
  const failed = saved(context);
  const [remembered] = new ExecutionMemory(saved(failed), 'run 0').recall([request]);
  await remembered?.once(async () => await Promise.resolve({ result: { orderId: 1 } }));
  return failed;
}

const isKnownTo = (context: IDataObject, scope = 'run 0') =>
  new ExecutionMemory(saved(context), scope).recall([request])[0]?.findEntry();

describe('what the retries of an execution remember together', () => {
  it('is known to a second retry, and to no other round or execution', async () => {
    const failed = await retriedOnce();
    expect(isKnownTo(failed)).toBe(true);
    expect(isKnownTo(failed, 'run 1')).toBe(false);
    expect(isKnownTo({})).toBe(false);
  });

  it('makes each round of a retry a retry, also one to which nobody had come', () => {
    const isRetry = (context: IDataObject, scope: string, executionId: string) =>
      new ExecutionMemory(context, scope, { executionId }).isRetry;
    const context: IDataObject = {};
    expect(isRetry(context, 'run 0', '1')).toBe(false);
    expect(isRetry(context, 'run 1', '1')).toBe(false);
    expect(isRetry(context, 'run 1', '1')).toBe(true);
    expect(isRetry(saved(context), 'run 2', '2')).toBe(true);
  });

  it('is forgotten when a thousand other executions have come', async () => {
    const failed = await retriedOnce();
    for (let index = 0; index < 990; index++) new ExecutionMemory({}, 'run 0');
    expect(isKnownTo(failed)).toBe(true);
    for (let index = 0; index < 1_010; index++) new ExecutionMemory({}, 'run 0');
    expect(isKnownTo(failed)).toBe(false);
  });

  it('is forgotten when it is too much', async () => {
    const failed = await retriedOnce();
    const many = Array.from({ length: 1_001 }, (_, index) => ({ subject: index, content: '' }));
    for (let execution = 0; execution < 20; execution++) {
      const remembered = new ExecutionMemory({}, 'run 0').recall(many);
      for (const one of remembered) void one.once(async () => await Promise.resolve({}));
    }
    new ExecutionMemory({}, 'run 0');
    expect(isKnownTo(failed)).toBe(false);
  });

  it('is found without going through all that was done before', async () => {
    const looks = jest.spyOn(Set.prototype, 'has');
    const many = Array.from({ length: 1_000 }, (_, index) => ({ subject: index, content: '' }));
    for (const remembered of new ExecutionMemory({}, 'run 0').recall(many)) {
      await remembered.once(async () => await Promise.resolve({}));
    }
    const count = looks.mock.calls.length;
    looks.mockRestore();
    expect(count).toBeLessThan(10 * many.length);
  });
});

describe('a request that another try has under way', () => {
  const underWay = async (failure: Error) => {
    const failed = await retriedOnce();
    const other = { subject: 'Bea', content: 'A-2' };
    const tries = [1, 2].map(() => new ExecutionMemory(saved(failed), 'run 0').recall([other])[0]);
    const first = tries[0]?.once(async () => await Promise.reject(failure));
    const second = tries[1]?.once(async () => await Promise.resolve({ result: { orderId: 2 } }));
    return { results: await Promise.allSettled([first, second]), second: tries[1] };
  };

  it('is made by this one when the other has surely not made it', async () => {
    const failure = new NoLongerScheduled();
    const { results, second } = await underWay(failure);
    expect(results).toEqual([
      { status: 'rejected', reason: failure },
      { status: 'fulfilled', value: { result: { orderId: 2 } } },
    ]);
    expect(second).toMatchObject({ isOwn: true, isEarlier: false });
  });

  it('is not made again when the other may have made it', async () => {
    const failure = new CallingServiceError('serviceFailing', 'The service failed', {
      advice: 'Look there.',
      mayHaveBeenProcessed: true,
    });
    const { results, second } = await underWay(failure);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(second).toMatchObject({ isOwn: false, isEarlier: true });
  });
});

import type { IDataObject } from 'n8n-workflow';
import { execute } from './engine';
import { hintsOf } from './hints';
import { itemsOf } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 100_000 });
const run = async (manualExecutions: string, mode: 'manual' | 'trigger') => {
  const rules: IDataObject = { preventDuplicates: true, manualExecutions };
  const call = { resource: 'call', operation: 'trigger', scriptId: 7, rules };
  return await execute({
    parameters: { ...call, customerPhone: '={{ $json.phone }}' },
    items: itemsOf(2),
    mode,
    credential: world.credential(),
  });
};

describe.each(['dryRun', 'simulate'])('a trial (%s) while n8n fails to free its keys', (trial) => {
  const busy = new Error('SQLITE_BUSY: database is locked');

  it('frees them when n8n is back, and a real call is placed afterwards', async () => {
    const remove = jest.spyOn(world.keys, 'removeProcessed').mockRejectedValueOnce(busy);
    expect((await run(trial, 'manual')).error).toBeUndefined();
    remove.mockRestore();
    expect(hintsOf(await run(trial, 'trigger'))).toEqual([]);
    expect(world.service.seen.calls).toHaveLength(2);
  });

  it('says that real calls may count as called before, when n8n does not come back', async () => {
    const remove = jest.spyOn(world.keys, 'removeProcessed').mockRejectedValue(busy);
    const { error } = await run(trial, 'manual');
    remove.mockRestore();
    expect(`${error?.message} ${error?.description}`).toContain('may count as called before');
  });
});

import type { IDataObject } from 'n8n-workflow';
import { execute, jsonOf } from './engine';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables();

/** Asks for the call as a tool of n8n's Chat does: each message is a workflow of its own, in this mode. */
const ask = async (more: IDataObject) =>
  await execute({
    parameters: {
      ...{ resource: 'call', operation: 'trigger', scriptId: 7, customerPhone: '+12025550101' },
      ...{ additionalFields: { orderNumber: 'A-1' }, rules: { preventDuplicates: true } },
      ...more,
    },
    credential: world.credential(),
    mode: 'chat',
  });

describe("Prevent Duplicates in n8n's Chat", () => {
  it('calls nobody without a call log: n8n forgets the keys with each message', async () => {
    const { error } = await ask({});
    expect(error?.message).toBe(
      "Nobody was called. Prevent Duplicates needs a call log in n8n's Chat: choose Data Table under Call Log. Each message there is a workflow of its own, which knows no earlier call",
    );
    expect(world.service.seen.calls).toEqual([]);
  });

  it('calls once with a call log', async () => {
    const log = { callLog: 'dataTable', callLogTable: { mode: 'name', value: 'Chat' } };
    expect(jsonOf(await ask(log))).toMatchObject([{ callStatus: 'in_progress' }]);
    expect(jsonOf(await ask(log))).toMatchObject([{ reason: 'duplicate' }]);
    expect([...world.service.seen.callsByPhone.values()]).toEqual([1]);
  });
});

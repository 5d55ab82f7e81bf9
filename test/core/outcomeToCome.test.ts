import type { IDataObject } from 'n8n-workflow';
import { listOf } from '../dataTables/doNotCallTable';
import { rulesAndOptions } from '../rulesAndOptions';
import { execute, jsonOf } from './engine';
import { itemsOf, loggedCall } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({
  speed: 1_000,
  outcomeFor: () => ({ status: 'completed', label: 'Order confirmed' }),
});

it.each([
  'Being analyzed',
  'Queued for analysis',
  'Transcribing',
  'Not yet assigned',
  'ausstehend',
])('the outcome that comes after %s is the one in the item and in the log', async (callOutcome) => {
  const body = { success: true, callStatus: 'completed', callOutcome, callDurationSec: 20 };
  world.service.faults.add({ kind: 'json', route: 'outcome', times: 2, body });
  const waiting = await execute({
    parameters: { ...loggedCall, operation: 'triggerAndWait' },
    credential: world.credential(),
    items: itemsOf(1),
  });
  expect(jsonOf(waiting)).toMatchObject([{ outcomeKey: 'order_confirmed', finished: true }]);
  expect(world.tables.rowsOf('Calls')).toMatchObject([
    { status: 'completed', outcome: 'Order confirmed' },
  ]);
});

it('a label such as Unclassified, which may be final, holds the next call back for minutes only', async () => {
  const body = { success: true, callStatus: 'completed', callOutcome: 'Unclassified' };
  world.service.faults.add({ kind: 'json', route: 'outcome', times: Infinity, body });
  const run = async (parameters: object) =>
    jsonOf(
      await execute({
        parameters: { ...loggedCall, ...parameters },
        credential: world.credential(),
        items: itemsOf(2),
      }),
    );
  await run({ operation: 'schedule' });
  const options = { maxInProgress: 1, keepOnSeconds: 0, firstCheckAfterSeconds: 0 };
  for (let quarter = 0; quarter < 5; quarter++) {
    await run({ operation: 'placeScheduled', options });
    await new Promise((resolve) => setTimeout(resolve, 15 * 60_000));
  }
  const ended = { status: 'completed', outcome: 'Unclassified' };
  expect(world.tables.rowsOf('Calls')).toMatchObject([ended, ended]);
});

it.each(['Connected', 'incomplete', 'in_progress'])(
  'an outcome beside the status %s is lost by nobody: it counts when the call is given up',
  async (callStatus) => {
    const body = { success: true, callStatus, callOutcome: 'Do not call again' };
    world.service.faults.add({
      ...{ kind: 'json', route: 'outcome', times: Infinity },
      body: { ...body, summary: 'She wants no calls.', callDurationSec: 20 },
    });
    world.tables.tables.push(listOf([]));
    const list = { __rl: true, mode: 'name', value: 'Do not call' };
    const rules = { doNotCallTable: list, doNotCallOutcomes: 'do_not_call_again' };
    const run = async (parameters: IDataObject) =>
      jsonOf(
        await execute({
          parameters: { ...loggedCall, ...parameters },
          credential: world.credential(),
          items: itemsOf(1),
        }),
      );
    await run({ operation: 'schedule', ...rulesAndOptions(rules) });
    const options = { keepOnSeconds: 0, firstCheckAfterSeconds: 0 };
    const place = async () => await run({ operation: 'placeScheduled', options });
    await place();
    await new Promise((resolve) => setTimeout(resolve, 3_600_000));
    await place();
    expect(world.tables.rowsOf('Calls')).toMatchObject([
      { status: 'in_progress', finishedAt: null, lastError: expect.stringContaining(callStatus) },
    ]);
    await new Promise((resolve) => setTimeout(resolve, 24 * 3_600_000));
    await place();
    await place();
    expect(world.tables.rowsOf('Calls')).toMatchObject([
      { outcome: 'Do not call again', finishedAt: expect.any(String), durationSec: 20 },
    ]);
    const again = await run({ operation: 'trigger', callLog: 'dataTable', rules });
    expect(again).toMatchObject([{ skipped: true, reason: 'doNotCall' }]);
  },
);

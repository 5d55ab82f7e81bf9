import { execute, jsonOf } from './engine';
import { itemsOf, loggedCall } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({
  speed: 1_000,
  outcomeFor: () => ({ status: 'completed', label: 'Order confirmed' }),
});

const callAndWait = async () =>
  await execute({
    parameters: { ...loggedCall, operation: 'triggerAndWait' },
    credential: world.credential(),
    items: itemsOf(1),
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
  const waiting = await callAndWait();
  expect(jsonOf(waiting)).toMatchObject([{ outcomeKey: 'order_confirmed', finished: true }]);
  expect(world.tables.rowsOf('Calls')).toMatchObject([
    { status: 'completed', outcome: 'Order confirmed' },
  ]);
});

it.each([{}, { callOutcome: '' }, { summary: 'They agreed' }])(
  'the outcome that comes some seconds after the end is the one in the item and in the log: %j',
  async (more) => {
    const body = { success: true, callStatus: 'completed', callDurationSec: 20, ...more };
    world.service.faults.add({ kind: 'json', route: 'outcome', times: 3, body });
    const waiting = await callAndWait();
    expect(jsonOf(waiting)).toMatchObject([{ outcomeKey: 'order_confirmed', finished: true }]);
    expect(world.tables.rowsOf('Calls')).toMatchObject([{ outcome: 'Order confirmed' }]);
  },
);

it('an end without a label counts when none comes', async () => {
  const body = { success: true, callStatus: 'completed', callDurationSec: 20 };
  world.service.faults.add({ kind: 'json', route: 'outcome', times: Infinity, body });
  const waiting = await callAndWait();
  expect(jsonOf(waiting)).toMatchObject([{ outcomeKey: null, finished: true }]);
  expect(world.tables.rowsOf('Calls')).toMatchObject([{ status: 'completed', outcome: null }]);
});

it('an end without a label counts when the service refuses the key from then on', async () => {
  const body = { success: true, callStatus: 'completed', callDurationSec: 20 };
  world.service.faults.add({ kind: 'json', route: 'outcome', times: 1, body });
  const refused = { success: false, message: 'Invalid API key' };
  const always = { route: 'outcome', times: Infinity } as const;
  world.service.faults.add({ kind: 'status', status: 401, body: refused, ...always });
  const waiting = await callAndWait();
  expect(jsonOf(waiting)).toMatchObject([{ callDurationSec: 20, finished: true }]);
  expect(jsonOf(waiting)[0]).not.toHaveProperty('outcomeError');
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

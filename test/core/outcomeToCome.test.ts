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

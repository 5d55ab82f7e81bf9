import { execute } from './engine';
import { loggedCall, phoneOf } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({
  outcomeFor: () => ({ status: 'completed', lastsSec: 120, label: 'Confirmed' }),
});
/** Of one person, who is called about one after the other. */
const items = ['A-0', 'A-1', 'A-2'].map((number) => ({ json: { number, phone: phoneOf(0) } }));
const TRIES = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1_000 };

/** n8n tries again after a stop; without the setting, what the first try has done stands as it is. */
it.each([TRIES, {}])(
  'a try that begins after the execution was stopped sends and writes nothing (settings: %j)',
  async (settings) => {
    const parameters = {
      ...{ ...loggedCall, operation: 'triggerAndWait' },
      options: { maxWaitMinutes: 600, concurrency: 10 },
    };
    const isPlaced = () => world.tables.rowsOf('Calls').some(({ orderId }) => orderId === '4001');
    const execution = await execute({
      ...{ parameters, items, settings, credential: world.credential() },
      cancelWhen: () => world.tables.tables.length > 0 && isPlaced(),
    });
    expect(execution.error?.message).toMatch(
      settings === TRIES
        ? /^1 person was called by an earlier try: .* The execution was stopped before this try$/
        : /^1 person was called\. In item 1, order A-1: The execution was cancelled before/,
    );
    const rows = world.tables
      .rowsOf('Calls')
      .map(({ orderNumber, status }) => [orderNumber, status]);
    expect(rows).toHaveLength(3);
    expect(new Map(rows as Array<[string, string]>)).toEqual(
      new Map([
        ['A-0', 'in_progress'],
        ['A-1', 'not_placed'],
        ['A-2', 'not_placed'],
      ]),
    );
    const ended = world.tables.rowsOf('Calls').filter(({ finishedAt }) => finishedAt !== null);
    expect(ended.map(({ status }) => status)).toEqual(['not_placed', 'not_placed']);
    expect(world.service.seen.calls).toHaveLength(1);
  },
);

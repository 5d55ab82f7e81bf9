import { rulesAndOptions } from '../rulesAndOptions';
import { execute, jsonOf } from './engine';
import { itemsOf, loggedCall } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({
  speed: 1_000,
  outcomeFor: () => ({ status: 'completed', label: 'Confirmed' }),
});

describe('Call Customer and Wait', () => {
  it('gives the outcome of the row when another process has written the end first', async () => {
    const release = world.service.faults.hold({ route: 'outcome' });
    const waiting = execute({
      parameters: {
        ...loggedCall,
        operation: 'triggerAndWait',
        ...rulesAndOptions({ retry: { plan: { outcomes: 'no_answer', afterMinutes: '5' } } }),
      },
      credential: world.credential(),
      items: itemsOf(1),
    });
    const rows = () => world.tables.rowsOf('Calls');
    const asked = () => world.service.seen.received.some(({ route }) => route === 'outcome');
    while (!asked()) await new Promise((go) => setTimeout(go, 10));
    const finishedAt = new Date().toISOString();
    const nextAttemptAt = new Date(Date.now() + 300_000).toISOString();
    Object.assign(rows()[0] ?? {}, {
      ...{ status: 'failed', outcome: 'No answer', outcomeKey: 'no_answer', durationSec: 3 },
      ...{ finishedAt, nextAttemptAt },
    });
    release();
    expect(jsonOf(await waiting)).toMatchObject([
      {
        ...{ callStatus: 'failed', callOutcome: 'No answer', outcomeKey: 'no_answer' },
        ...{ callDurationSec: 3, nextAttemptAt, finished: true },
      },
    ]);
  });
});

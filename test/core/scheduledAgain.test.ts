import type { IDataObject } from 'n8n-workflow';
import { rulesAndOptions } from '../rulesAndOptions';
import { execute, jsonOf } from './engine';
import { itemsOf } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';
import { Publication } from './triggerEngine';

/** With which labels the calls end, one after the other. */
let labels: string[];
const world = useServiceAndTables({
  speed: 1000,
  outcomeFor: () => {
    const label = labels.shift() ?? 'voicemail';
    return { status: label === 'no_answer' ? 'failed' : 'completed', label };
  },
});
const callLogTable = { mode: 'name', value: 'Calls' };
const HOUR_S = 3_600;

const run = async (parameters: IDataObject) =>
  jsonOf(
    await execute({
      parameters: { resource: 'call', callLogTable, ...parameters },
      credential: world.credential(),
      items: itemsOf(1),
    }),
  );
const schedule = async (afterMinutes: string) =>
  await run({
    operation: 'schedule',
    scriptId: 7,
    customerPhone: '={{ $json.phone }}',
    additionalFields: { orderNumber: '={{ $json.number }}' },
    ...rulesAndOptions({ retry: { plan: { outcomes: 'no_answer', afterMinutes } } }),
  });
const passes = async (seconds: number) =>
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
/** As a schedule does: the second time, the calls of the first have ended. */
const place = async () => {
  const options = { keepOnSeconds: 0, firstCheckAfterSeconds: 0 };
  for (let times = 0; times < 2; times++) {
    await run({ operation: 'placeScheduled', options });
    await passes(60);
  }
};
const rows = () => world.tables.rowsOf('Calls');
const rowOf = (attempt: number) => rows().find((row) => row.attempt === attempt);
/** As docs/scheduled-calls.md says. */
const scheduleAgain = (attempt: number, cells: IDataObject = {}) =>
  Object.assign(rowOf(attempt) ?? {}, { status: 'scheduled', finishedAt: null, ...cells });
const publish = (events: string[], options: IDataObject = {}, nodeId = 'all') =>
  new Publication({
    credential: world.credential(),
    nodeId,
    parameters: {
      ...{ watch: 'callLog', callLogTable, events },
      options: { fastChecks: false, ...options },
    },
  });
const BOTH = ['outcomeAvailable', 'outcomeUnavailable'];
const told = ({ fired }: Publication) =>
  fired.map(({ attempt, outcomeKey, endReason, nextAttemptAt }) => [
    attempt,
    outcomeKey ?? endReason,
    nextAttemptAt,
  ]);

describe('the first attempt of a call, which a person schedules again', () => {
  /** Two attempts reach nobody, and the third waits. */
  const untilThirdWaits = async (...polled: Publication[]) => {
    const poll = async () => {
      for (const one of polled) await one.poll();
    };
    await poll();
    await schedule('30, 1440');
    await place();
    await poll();
    await passes(HOUR_S / 2);
    await place();
    await poll();
    expect(rowOf(3)).toMatchObject({ status: 'scheduled' });
    return poll;
  };

  it('is the last one when it reaches the customer: nobody calls again', async () => {
    labels = ['no_answer', 'no_answer', 'Confirmed'];
    const last = publish(['outcomeAvailable'], { finalOnly: true });
    const poll = await untilThirdWaits(last);
    scheduleAgain(1);
    await place();
    await poll();
    expect(told(last)).toEqual([[1, 'confirmed', null]]);
    await passes(30 * HOUR_S);
    await place();
    await poll();
    expect(told(last)).toHaveLength(1);
    expect(world.service.seen.calls).toHaveLength(3);
    expect(rowOf(3)).toMatchObject({ status: 'not_placed' });
    const [{ totals }] = (await run({ resource: 'callLog', operation: 'report' })) as [
      { totals: IDataObject },
    ];
    expect(totals).toMatchObject({ calls: 2, notPlaced: 0 });
  });

  it('is followed by the one that waits when it reaches nobody', async () => {
    labels = ['no_answer', 'no_answer', 'no_answer', 'Confirmed'];
    const all = publish(BOTH);
    const poll = await untilThirdWaits(all);
    const third = rowOf(3)?.dueAt;
    scheduleAgain(1);
    await place();
    await poll();
    expect(told(all).at(-1)).toEqual([1, 'no_answer', third]);
    await passes(30 * HOUR_S);
    await place();
    await poll();
    expect(told(all).at(-1)).toEqual([3, 'confirmed', null]);
    expect(world.service.seen.calls).toHaveLength(4);
  });

  it('changes nothing about the one that waits when it cannot be placed', async () => {
    labels = ['no_answer', 'no_answer', 'Confirmed'];
    const last = publish(['outcomeAvailable'], { finalOnly: true });
    const poll = await untilThirdWaits(last);
    scheduleAgain(1, { customerPhone: '12' });
    await place();
    await poll();
    expect(rowOf(1)).toMatchObject({ status: 'not_placed' });
    await passes(30 * HOUR_S);
    await place();
    await poll();
    expect(told(last)).toEqual([[3, 'confirmed', null]]);
  });
});

describe('an attempt without a call, which a person schedules again', () => {
  it.each([0, 5, 60, 900])('tells of each of its ends, %d s after the first', async (seconds) => {
    labels = [];
    const all = publish(BOTH);
    await all.poll();
    await schedule('30');
    scheduleAgain(1, { customerPhone: '12' });
    await place();
    await all.poll();
    await passes(seconds);
    scheduleAgain(1, { customerPhone: '123' });
    await place();
    await all.poll();
    await passes(300);
    await all.poll();
    expect(told(all)).toEqual([
      [1, 'notPlaced', null],
      [1, 'notPlaced', null],
    ]);
    expect(new Set(all.fired.map(({ eventId }) => eventId)).size).toBe(2);
  });
});

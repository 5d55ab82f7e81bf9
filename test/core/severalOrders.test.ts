import type { IDataObject } from 'n8n-workflow';
import { listOf } from '../dataTables/doNotCallTable';
import type { Call } from '../service';
import { execute, jsonOf } from './engine';
import { hintsOf } from './hints';
import { loggedCall, phoneOf } from './orderItems';
import { useServiceAndTables } from './serviceAndTables';

let lastsMinutes: number;

const world = useServiceAndTables({
  outcomeFor: ({ phone }) => ({
    status: 'completed',
    lastsSec: 60 * lastsMinutes,
    label: phone === phoneOf(9) ? 'do not call' : 'Confirmed',
  }),
});
beforeEach(() => {
  lastsMinutes = 2;
});

/** Calls to one person about three orders, in two spellings, and to another about one. */
const items = [
  ['A-0', phoneOf(0)],
  ['A-1', phoneOf(0)],
  ['B-0', phoneOf(1)],
  ['A-2', phoneOf(0).replace('+1202', '+1 (202) ')],
].map(([number, phone]) => ({ json: { number, phone } }));
const run = async (parameters: IDataObject, some = items) =>
  await execute({
    parameters: { ...loggedCall, ...parameters },
    credential: world.credential(),
    items: some,
  });
const wait = { operation: 'triggerAndWait', options: { maxWaitMinutes: 24 * 60, concurrency: 10 } };
const callOf = (order: string): Call =>
  world.service.seen.calls.find(({ orderNumber }) => orderNumber === order) as Call;
const statuses = () =>
  items.slice(0, 3).map(({ json }) => {
    const row = world.tables.rowsOf('Calls').find((one) => one.orderNumber === json.number);
    return row?.status;
  });

describe('a person with several orders', () => {
  it.each(['dataTable', 'none'])(
    'gets one call after the other from Call Customer and Wait (call log: %s)',
    async (callLog) => {
      const output = jsonOf(await run({ ...wait, callLog }));
      expect(output).toMatchObject(
        items.map(({ json }) => ({ orderNumber: json.number, finished: true })),
      );
      expect(callOf('A-1').placedAt).toBeGreaterThanOrEqual(callOf('A-0').endsAt);
      expect(callOf('A-2').placedAt).toBeGreaterThanOrEqual(callOf('A-1').endsAt);
      expect(callOf('B-0').placedAt).toBeLessThan(callOf('A-0').endsAt);
      expect(world.service.seen.calls).toHaveLength(4);
    },
  );

  it('leaves whom it calls later to Cancel, and keeps the row for longer than its lock', async () => {
    lastsMinutes = 70;
    const before: unknown[] = [];
    const areLocked: boolean[] = [];
    const later = setInterval(() => {
      before.push(statuses());
      const ahead = world.tables.rowsOf('Calls').filter(({ status }) => status === 'scheduled');
      areLocked.push(...ahead.map(({ lockedUntil }) => Number(lockedUntil) > Date.now()));
    }, 65 * 60_000);
    await run(wait, items.slice(0, 3));
    clearInterval(later);
    expect(areLocked).toEqual([true]);
    expect(before).toEqual([
      ['in_progress', 'scheduled', 'in_progress'],
      ['completed', 'in_progress', 'completed'],
    ]);
  });

  it('gets no call after one in which they asked not to be called', async () => {
    world.tables.tables.push(listOf([]));
    const rules = {
      doNotCallTable: { mode: 'name', value: 'Do not call' },
      doNotCallOutcomes: 'do not call',
    };
    const two = ['C-0', 'C-1'].map((number) => ({ json: { number, phone: phoneOf(9) } }));
    const output = jsonOf(await run({ ...wait, rules }, two));
    expect(output).toMatchObject([
      { outcomeKey: 'do_not_call' },
      { skipped: true, reason: 'doNotCall' },
    ]);
    expect(world.service.seen.calls).toHaveLength(1);
  });

  it('gets the next call when Max Wait is over, and a hint says so', async () => {
    const short = { ...wait, options: { maxWaitMinutes: 1 } };
    const execution = await run(short);
    expect(callOf('A-1').placedAt).toBeLessThan(callOf('A-0').endsAt);
    expect(hintsOf(execution)).toContainEqual(
      expect.stringMatching(/^1 person got a call while another one lasted: .* Max Wait/),
    );
    const alone = hintsOf(await run(short, items.slice(1, 3)));
    expect(alone.join()).not.toContain('while another one lasted');
  });

  it('is told to have got a call during another one only when that is known', async () => {
    world.service.faults.add({ kind: 'status', status: 401, route: 'outcome' });
    const two = items.slice(0, 2);
    const hints = hintsOf(await run({ ...wait, options: { maxWaitMinutes: 1 } }, two));
    expect(hints.join()).not.toContain('while another one lasted');
  });

  it('gets several calls at once from Call Customer, which says so', async () => {
    const rang = hintsOf(await run({ options: {} }));
    expect(rang.join()).toContain('1 person got several calls at once');
    const none = hintsOf(await run({ options: {} }, items.slice(1, 3)));
    expect(none.join()).not.toContain('at once');
  });
});

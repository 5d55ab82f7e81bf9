import type { IDataObject } from 'n8n-workflow';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import type { Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { calledAt } from '../../nodes/OutboundAiCalling/callLog/rowFacts';
import { Pruning } from '../../nodes/OutboundAiCalling/callLog/prune';
import { fc, runs, seed } from '../generators';
import { MemoryTables } from './memoryTables';

const NOW = Date.UTC(2026, 10, 21);
const DAY_MS = 86_400_000;
const iso = (daysAgo: number) => new Date(NOW - daysAgo * DAY_MS).toISOString();

/** A table with rows of one account, which n8n would delete from. */
class Table {
  requests = 0;

  constructor(readonly rows: Map<number, Row>) {}

  readonly log = {
    deleteRows: async (rows: Row[]) => {
      this.requests += 2 * Math.ceil(rows.length / 250);
      for (const { id } of rows) this.rows.delete(id);
      return await Promise.resolve({ deleted: rows.length, edited: [] });
    },
    tables: {
      rows: async () => {
        this.requests++;
        const isOpen = ({ finishedAt, status }: Row) =>
          finishedAt === null || status === 'scheduled';
        return await Promise.resolve([...this.rows.values()].filter(isOpen).slice(0, 1));
      },
    },
    rowsOfCalls: async (rows: Row[]) => {
      this.requests++;
      const callIds = new Set(rows.map(({ callId }) => callId));
      return await Promise.resolve(
        [...this.rows.values()].filter(({ callId }) => callIds.has(callId)),
      );
    },
  } as unknown as CallLog;
}

const row = (id: number, columns: Partial<Row> = {}): Row => ({
  id,
  callId: `call-${id}`,
  status: 'completed',
  triggeredAt: iso(100),
  finishedAt: iso(100),
  createdAt: iso(100),
  ...columns,
});

async function prune(
  rows: Row[],
  { isUnwanted = (one: Row) => (calledAt(one) ?? Infinity) < NOW - 90 * DAY_MS } = {},
) {
  const table = new Table(new Map(rows.map((one) => [one.id, one])));
  const waited = ({ orderNumber }: Row) => (orderNumber === 'waited' ? 'Weekly' : undefined);
  const ends = { waitedForBy: waited, doneUpTo: 0 };
  const pruning = new Pruning(table.log, ends, isUnwanted, NOW);
  await pruning.take(rows);
  return { ...pruning.result, left: [...table.rows.keys()], requests: table.requests };
}

describe('pruning', () => {
  it('keeps a row that says scheduled, also with a time in finishedAt', async () => {
    const pruned = await prune([row(1, { status: 'scheduled' })]);
    expect(pruned).toMatchObject({ deleted: 0, stillToCome: 1 });
  });

  it('keeps what was cancelled of a call that goes on, so that it is not placed again', async () => {
    const cancelled = { status: 'cancelled', attempt: 2, finishedAt: null };
    const young = { triggeredAt: iso(0.5) };
    const rows = [
      row(1, { ...young, status: 'in_progress', finishedAt: null }),
      row(2, { ...cancelled, callId: 'call-1' }),
      row(3),
      row(4, { ...cancelled, callId: 'call-3' }),
    ];
    const isUnwanted = () => true;
    expect(await prune(rows, { isUnwanted })).toMatchObject({ left: [1, 2], stillToCome: 2 });
  });

  it('keeps the attempts of a call that is to be placed again: theirs may be the last word', async () => {
    const one = { callId: 'call' };
    const rows = [
      row(1, { ...one, attempt: 1, nextAttemptAt: iso(-1) }),
      row(2, { ...one, attempt: 2, status: 'scheduled', finishedAt: null, dueAt: iso(-1) }),
      row(3, { attempt: 1 }),
    ];
    expect(await prune(rows)).toMatchObject({ deleted: 1, stillToCome: 2, left: [1, 2] });
  });

  it('keeps an end as long as a copy of its row is open, which would end once more', async () => {
    const copy = { status: 'in_progress', finishedAt: null, triggeredAt: iso(0.5) };
    const rows = [row(1), row(2, { ...copy, callId: 'call-1' }), row(3)];
    const isUnwanted = () => true;
    expect(await prune(rows, { isUnwanted })).toMatchObject({ left: [1, 2], stillToCome: 2 });
    expect(await prune(rows)).toMatchObject({ left: [1, 2], stillToCome: 1 });
  });

  it('asks for other rows of the calls only where some row has not ended', async () => {
    const ended = Array.from({ length: 250 }, (_, index) => row(index + 1));
    expect(await prune(ended)).toMatchObject({ deleted: 250, requests: 3 });
    const open = row(251, { status: 'in_progress', finishedAt: null, triggeredAt: iso(0.5) });
    expect(await prune([...ended, open])).toMatchObject({ deleted: 250, requests: 4 });
  });

  it('deletes what is old, and keeps what is open, scheduled, waited for or young', async () => {
    const rows = [
      row(1),
      row(2, { status: 'in_progress', finishedAt: null, triggeredAt: iso(0.5) }),
      row(3, { status: 'scheduled', triggeredAt: null, finishedAt: null, dueAt: iso(100) }),
      row(4, { status: 'placing', finishedAt: null, triggeredAt: iso(0.01) }),
      row(5, { orderNumber: 'waited' }),
      row(6, { triggeredAt: iso(89) }),
      row(7, { status: 'not_placed', triggeredAt: null, finishedAt: null, dueAt: iso(91) }),
      row(8, { status: 'cancelled', triggeredAt: null, finishedAt: null, dueAt: 'nonsense' }),
      row(9, { status: 'maybe_placed', finishedAt: null }),
    ];
    expect(await prune(rows)).toMatchObject({
      deleted: 4,
      stillToCome: 1,
      waitedFor: new Map([['Weekly', 1]]),
      left: [2, 3, 4, 5, 6],
    });
    const all = { isUnwanted: () => true };
    expect(await prune(rows.slice(1, 4), all)).toMatchObject({ stillToCome: 3, left: [2, 3, 4] });
  });

  it('keeps rows of open calls until their end is written, or for 40 days', async () => {
    const unended = { finishedAt: null, triggeredAt: iso(40.1) };
    const rows = [
      ...Array.from({ length: 30 }, (_, index) => row(index, { finishedAt: iso(100) })),
      row(30, { ...unended, status: 'in_progress' }),
      row(31, { ...unended, status: 'placing' }),
      row(32, { ...unended, status: 'in_progress', triggeredAt: iso(39.9) }),
    ];
    const all = { isUnwanted: () => true };
    expect(await prune(rows, all)).toMatchObject({ deleted: 32, stillToCome: 1, left: [32] });
  });

  it('keeps rows of calls whose turn may still come: when it does not, others end them', async () => {
    const untried = {
      status: 'not_placed',
      batch: 'list',
      triggeredAt: null,
      finishedAt: null,
    };
    const all = { isUnwanted: () => true };
    const fresh = row(1, { ...untried, dueAt: iso(0.5) });
    const old = row(2, { ...untried, dueAt: iso(2) });
    expect(await prune([fresh, old], all)).toMatchObject({
      deleted: 0,
      stillToCome: 2,
      left: [1, 2],
    });
  });

  const ended = (columns: IDataObject): IDataObject => ({
    ...{ account: 'own', status: 'completed', batch: '', finishedAt: iso(100) },
    ...columns,
  });

  it.each([
    [Infinity, ['young', 'other', 'cancelled', 'open', 'scheduled']],
    [2_000, ['young', 'other', 'cancelled', 'open', 'scheduled', 'waits']],
  ])('deletes many ended attempts by few requests, of rows up to %s', async (upTo, left) => {
    const tables = new MemoryTables(`prune${upTo}`);
    const locator = { mode: 'id', value: tables.tableId } as const;
    const log = await CallLog.openExisting(tables.context, locator, 'own');
    tables.insert([
      ended({ callId: 'young', finishedAt: iso(90.5) }),
      ended({ callId: 'other', account: 'other' }),
      ended({ callId: 'cancelled', status: 'cancelled' }),
      ended({ callId: 'open', status: 'in_progress', finishedAt: null }),
      ended({ callId: 'scheduled', status: 'scheduled' }),
      ...Array.from({ length: 5_000 }, () => ended({ callId: 'old' })),
      ended({ callId: 'waits' }),
    ]);
    tables.rows.splice(5, 1_000);
    tables.rows.splice(1_000, upTo === Infinity ? 0 : 3_005);
    const old = tables.rows.length - left.length;
    const ends = { waitedForBy: () => undefined, doneUpTo: upTo };
    const pruning = new Pruning(log, ends, () => false, NOW);
    await pruning.deleteEnds(NOW - 90 * DAY_MS, new AbortController().signal);
    expect(new Set(tables.rows.map(({ callId }) => callId))).toEqual(new Set(left));
    expect(pruning.result.deleted).toBe(old);
    expect(tables.requests.DELETE).toBeLessThanOrEqual(7);
  });

  it.each([
    ['as old', 20],
    ['younger', 1],
  ])('looks at each row when one of a call that ended long ago is open, and %s', async (_, age) => {
    const tables = new MemoryTables('pruneCopy');
    const locator = { mode: 'id', value: tables.tableId } as const;
    const log = await CallLog.openExisting(tables.context, locator, 'own');
    const open = { callId: 'ended', status: 'in_progress', finishedAt: null, triggeredAt: iso(20) };
    tables.insert([ended({ callId: 'ended' }), ended(open), ended({ callId: 'old' })]);
    Object.assign(tables.rows[1] ?? {}, { createdAt: iso(age) });
    const ends = { waitedForBy: () => undefined, doneUpTo: Infinity };
    const isUnwanted = ({ finishedAt }: Row) => finishedAt !== null;
    const pruning = new Pruning(log, ends, isUnwanted, NOW);
    await pruning.deleteEnds(NOW - 7 * DAY_MS, new AbortController().signal);
    await log.eachPage([], async (rows) => await pruning.take(rows));
    expect(tables.rows.map(({ callId }) => callId)).toEqual(['ended', 'ended']);
    expect(pruning.result).toMatchObject({ deleted: 1, stillToCome: 1 });
  });

  it(`deletes exactly what is unwanted (seed ${seed})`, async () => {
    const kinds = fc.constantFrom<Partial<Row>>(
      ...[{}, {}, {}, {}, {}, {}, {}, {}],
      { triggeredAt: iso(3) },
      { status: 'in_progress', finishedAt: null, triggeredAt: iso(0.5) },
      { status: 'scheduled', finishedAt: null },
      { orderNumber: 'waited' },
      { createdAt: iso(0) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(kinds, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 60 }))),
        async (drawn) => {
          let id = 0;
          const rows = drawn.flatMap(([columns, gap, times]) =>
            Array.from({ length: times }, () => row((id += gap), columns)),
          );
          const stays = rows.filter(
            ({ status, orderNumber, triggeredAt }) =>
              status !== 'completed' || orderNumber === 'waited' || triggeredAt === iso(3),
          );
          const result = await prune(rows);
          expect(result.left).toEqual(stays.map((one) => one.id));
          expect(result.deleted).toBe(rows.length - stays.length);
        },
      ),
      { numRuns: runs(100, 1_000) },
    );
  });
});

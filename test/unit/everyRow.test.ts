import {
  holds,
  LARGEST_PAGE,
  type DataTables,
  type Filter,
  type Row,
} from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { everyRow } from '../../nodes/OutboundAiCalling/dataTables/everyRow';
import { fc, runs, seed } from '../generators';

const COMPARE = {
  eq: (cell: number, value: number) => cell === value,
  gt: (cell: number, value: number) => cell > value,
  gte: (cell: number, value: number) => cell >= value,
  lte: (cell: number, value: number) => cell <= value,
} as const;

/** A table of n8n that gives pages as its API does, and all rows at once if its dry runs are to be believed. */
class Table {
  requests = 0;
  failAt = Infinity;
  onRequest = () => {};

  constructor(
    readonly rows: Row[],
    private readonly hasDryRuns = true,
  ) {}

  private async answer(filter: Filter): Promise<Row[]> {
    await new Promise((resolve) => setImmediate(resolve));
    if (++this.requests >= this.failAt) throw new Error('n8n is gone');
    const isIn = (row: Row) =>
      filter.filters.every(({ columnName, condition, value }) =>
        COMPARE[condition as keyof typeof COMPARE](row[columnName] as number, value as number),
      );
    return this.rows.filter(isIn);
  }

  readonly tables = {
    rows: async (_id: string, filter: Filter, page: { sortBy: string; limit: number }) => {
      const direction = page.sortBy === 'id:desc' ? -1 : 1;
      const found = (await this.answer(filter)).sort((a, b) => direction * (a.id - b.id));
      const rows = found.slice(0, Math.min(page.limit, LARGEST_PAGE));
      this.onRequest();
      return rows;
    },
    allRows: async (_id: string, filter: Filter) => {
      const rows = await this.answer(filter);
      this.onRequest();
      return this.hasDryRuns ? rows : undefined;
    },
  } as unknown as DataTables;
}

const read = async ({ tables }: Table, signal?: AbortSignal) => {
  const given: Row[] = [];
  const take = (rows: Row[]) => void given.push(...rows);
  const conditions = [holds('account', 'eq', 'a')];
  await everyRow({ tables, tableId: 'table', column: 'account' }, conditions, take, signal);
  return given;
};

const rowsOf = (ids: number[]): Row[] => ids.map((id) => ({ id, account: 'a' }));
const upTo = (count: number) => rowsOf(Array.from({ length: count }, (_, index) => index + 1));

describe('reading all rows of a table', () => {
  it(`gives every row once (seed ${seed})`, async () => {
    const gaps = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 12_000 }), fc.integer({ min: 1, max: 700 })),
    );
    await fc.assert(
      fc.asyncProperty(
        gaps,
        fc.integer({ min: 1, max: 3 }),
        fc.boolean(),
        async (drawn, step, hasDryRuns) => {
          let id = 0;
          const ids = drawn.flatMap(([gap, count]) => {
            id += gap;
            return Array.from({ length: count }, () => (id += step));
          });
          const others = ids.map((one) => ({ id: one + 0.5, account: 'b' }));
          const given = await read(new Table([...rowsOf(ids), ...others], hasDryRuns));
          expect(given.map((row) => row.id).sort((x, y) => x - y)).toEqual(ids);
        },
      ),
      { numRuns: runs(50, 300) },
    );
  });

  it('asks for thousands at a time', async () => {
    const table = new Table(rowsOf(Array.from({ length: 30_000 }, (_, index) => index * 3 + 1)));
    expect(await read(table)).toHaveLength(30_000);
    expect(table.requests).toBeLessThan(20);
  });

  it('leaps over ids without rows', async () => {
    const far = Array.from({ length: 2_000 }, (_, index) => 50_000_000 + index * 900);
    const table = new Table([...upTo(400), ...rowsOf(far)]);
    expect(await read(table)).toHaveLength(2_400);
    expect(table.requests).toBeLessThan(30);
  });

  it('reads pages where it cannot ask for more', async () => {
    const table = new Table(upTo(30_000), false);
    expect(await read(table)).toHaveLength(30_000);
    expect(table.requests).toBeLessThan(30_000 / LARGEST_PAGE + 30);
  });

  it.each([true, false])(
    'gives rows that are replaced meanwhile as the old or the new one (%s)',
    async (hasDryRuns) => {
      const table = new Table(upTo(30_000), hasDryRuns);
      const replaced = new Map<number, number>();
      let newest = 30_000;
      table.onRequest = () => {
        const old = table.rows.splice(20_000, 3);
        for (const { id } of old.filter((row) => row.id <= 30_000)) {
          replaced.set(id, ++newest);
          table.rows.push({ id: newest, account: 'a' });
        }
      };
      const given = new Set((await read(table)).map(({ id }) => id));
      expect(replaced.size).toBeGreaterThan(10);
      for (const [old, now] of replaced) expect(given.has(old) || given.has(now)).toBe(true);
      for (let id = 1; id <= 30_000; id++) expect(given.has(id) || replaced.has(id)).toBe(true);
    },
  );

  it('stops when it is cancelled or fails', async () => {
    const cancelled = new AbortController();
    const table = new Table(upTo(60_000));
    table.onRequest = () => table.requests > 10 && cancelled.abort();
    await read(table, cancelled.signal);
    expect(table.requests).toBeLessThan(15);
    const failing = new Table(upTo(60_000));
    failing.failAt = 10;
    await expect(read(failing)).rejects.toThrow('n8n is gone');
    expect(failing.requests).toBeLessThan(15);
  });

  it('asks once of a table that has one page', async () => {
    const empty = new Table([]);
    expect(await read(empty)).toEqual([]);
    const short = new Table(upTo(LARGEST_PAGE - 1));
    expect(await read(short)).toHaveLength(LARGEST_PAGE - 1);
    expect([empty.requests, short.requests]).toEqual([1, 1]);
  });
});

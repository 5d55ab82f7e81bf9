import {
  holds,
  LARGEST_PAGE,
  type DataTables,
  type Filter,
  type Row,
} from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { eachPageOfRows } from '../../nodes/OutboundAiCalling/dataTables/rowPages';
import { fc, runs, seed } from '../generators';

/** A table of n8n that gives pages as its API does. */
class Table {
  requests = 0;
  underWay = 0;
  mostUnderWay = 0;
  failAt = Infinity;
  onRequest = () => {};

  constructor(readonly rows: Row[]) {}

  readonly tables = {
    rows: async (_id: string, filter: Filter, page: { sortBy: string; limit: number }) => {
      this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay);
      await new Promise((resolve) => setImmediate(resolve));
      this.underWay--;
      if (++this.requests >= this.failAt) throw new Error('n8n is gone');
      const compare = { eq: '==', gte: '>=', lte: '<=' } as const;
      const isIn = (row: Row) =>
        filter.filters.every(({ columnName, condition, value }) => {
          const cell = row[columnName] as number;
          const operator = compare[condition as keyof typeof compare];
          if (operator === '>=') return cell >= Number(value);
          return operator === '<=' ? cell <= Number(value) : cell === value;
        });
      const direction = page.sortBy === 'id:desc' ? -1 : 1;
      const found = this.rows.filter(isIn).sort((a, b) => direction * (a.id - b.id));
      const rows = found.slice(0, Math.min(page.limit, LARGEST_PAGE));
      this.onRequest();
      return rows;
    },
  } as unknown as DataTables;
}

const read = async (table: Table, signal?: AbortSignal) => {
  const pages: Row[][] = [];
  const conditions = [holds('account', 'eq', 'a')];
  const take = (rows: Row[]) => void pages.push(rows);
  await eachPageOfRows(table.tables, 'table', conditions, take, signal);
  return pages;
};

const rowsOf = (ids: number[]): Row[] => ids.map((id) => ({ id, account: 'a' }));

describe('reading all rows of a table', () => {
  it(`gives every row once, in whole pages (seed ${seed})`, async () => {
    const gaps = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 12_000 }), fc.integer({ min: 1, max: 700 })),
    );
    await fc.assert(
      fc.asyncProperty(gaps, fc.integer({ min: 1, max: 3 }), async (drawn, step) => {
        let id = 0;
        const ids = drawn.flatMap(([gap, count]) => {
          id += gap;
          return Array.from({ length: count }, () => (id += step));
        });
        const others = ids.map((one) => ({ id: one + 0.5, account: 'b' }));
        const pages = await read(new Table([...rowsOf(ids), ...others]));
        const given = pages.flat().map((row) => row.id);
        expect(given.sort((a, b) => a - b)).toEqual(ids);
        for (const page of pages) {
          const [from, to] = [page[0]?.id ?? 0, page.at(-1)?.id ?? 0];
          expect(page.map((row) => row.id)).toEqual(ids.filter((one) => one >= from && one <= to));
        }
      }),
      { numRuns: runs(50, 300) },
    );
  });

  it('asks for few pages beyond those that the rows need, some at once', async () => {
    const table = new Table(rowsOf(Array.from({ length: 30_000 }, (_, index) => index * 3)));
    expect((await read(table)).flat()).toHaveLength(30_000);
    expect(table.requests).toBeLessThan(30_000 / LARGEST_PAGE + 15);
    expect(table.mostUnderWay).toBe(4);
  });

  it('gives rows that are replaced meanwhile as the old or the new one', async () => {
    const table = new Table(rowsOf(Array.from({ length: 3_000 }, (_, index) => index + 1)));
    const replaced = new Map<number, number>();
    let newest = 3_000;
    table.onRequest = () => {
      const old = table.rows.splice(2_000, 3);
      for (const { id } of old.filter((row) => row.id <= 3_000)) {
        replaced.set(id, ++newest);
        table.rows.push({ id: newest, account: 'a' });
      }
    };
    const given = new Set((await read(table)).flat().map(({ id }) => id));
    expect(replaced.size).toBeGreaterThan(10);
    for (const [old, now] of replaced) expect(given.has(old) || given.has(now)).toBe(true);
    for (let id = 1; id <= 3_000; id++) expect(given.has(id) || replaced.has(id)).toBe(true);
  });

  it('stops when it is cancelled or fails', async () => {
    const many = rowsOf(Array.from({ length: 60_000 }, (_, index) => index));
    const cancelled = new AbortController();
    const table = new Table(many);
    table.onRequest = () => table.requests > 10 && cancelled.abort();
    await read(table, cancelled.signal);
    expect(table.requests).toBeLessThan(20);
    const failing = new Table(many);
    failing.failAt = 10;
    await expect(read(failing)).rejects.toThrow('n8n is gone');
    expect(failing.requests).toBeLessThan(20);
  });

  it('asks twice of a table without rows', async () => {
    const table = new Table([]);
    expect(await read(table)).toEqual([]);
    expect(table.requests).toBe(2);
  });
});

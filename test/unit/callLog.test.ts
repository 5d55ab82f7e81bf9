import { DataTableError } from '../../nodes/OutboundAiCalling/dataTables/dataTableError';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { isInOrder } from '../../nodes/OutboundAiCalling/callLog/mending';
import { MemoryTables } from './memoryTables';

const FIRST = { callId: 'first', attempt: 1, createdAt: '2026-11-21T10:00:00.000Z' };
const SECOND = { callId: 'second', attempt: 1, createdAt: '2026-11-21T10:00:01.000Z' };
const OPEN = { account: 'own', status: 'in_progress', finishedAt: null, batch: '', lockedUntil: 0 };
let made = 0;

/** A log in which a person has deleted a row after it was read, and its id was given to another. */
async function withIdGivenAgain() {
  const tables = new MemoryTables(`callLog${++made}`);
  const locator = { mode: 'id', value: tables.tableId };
  const log = await CallLog.openExisting(tables.context, locator, 'own');
  tables.insert([{ ...OPEN, lockedBy: '', runAt: 1 }]);
  Object.assign(tables.rows[0] ?? {}, FIRST);
  const read = await log.lockDue(Date.now(), 10, Date.now() + 60_000);
  tables.rows.splice(0);
  tables.insert([{ ...OPEN, lockedBy: 'another', runAt: 5 }]);
  Object.assign(tables.rows[0] ?? {}, SECOND);
  expect(tables.rows[0]?.id).toBe(read[0]?.id);
  return { tables, log, read };
}

describe('a row with the id of one that a person has deleted', () => {
  it('stays when those who read the other delete it', async () => {
    const { tables, log, read } = await withIdGivenAgain();
    await log.deleteRows(read);
    expect(tables.rows).toMatchObject([{ callId: 'second', lockedBy: 'another' }]);
  });

  it('stays when n8n, whose tables are full, takes no mark', async () => {
    const { tables, log, read } = await withIdGivenAgain();
    tables.isFull = (method) => method === 'PATCH';
    expect((await log.deleteRows(read)).deleted).toBe(0);
    const rows = await log.newestRows(10);
    expect((await log.deleteRows(rows)).deleted).toBe(1);
    expect(tables.rows).toEqual([]);
  });

  it('stays when it is the end of the same call', async () => {
    const { tables, log, read } = await withIdGivenAgain();
    Object.assign(tables.rows[0] ?? {}, { callId: 'first', status: 'completed' });
    await log.deleteRows(read);
    expect(tables.rows).toMatchObject([{ callId: 'first', status: 'completed' }]);
  });

  it('stays when n8n says too late which row it has marked', async () => {
    const { tables, log, read } = await withIdGivenAgain();
    let tries = 0;
    tables.isAnswerLost = (method) => method === 'PATCH' && ++tries === 1;
    expect((await log.deleteRows(read)).deleted).toBe(0);
    expect(tries).toBe(2);
    expect(tables.rows).toMatchObject([{ callId: 'second', lockedBy: 'another' }]);
  });

  it('stays when those who had locked the other delete it', async () => {
    const { tables, log, read } = await withIdGivenAgain();
    await log.deleteLocked(read, read);
    expect(tables.rows).toMatchObject([{ callId: 'second', lockedBy: 'another' }]);
  });

  it('stays as it is when those who read the other write down their looks, or that it is a copy', async () => {
    const { tables, log, read } = await withIdGivenAgain();
    await log.noteOpen(read, { runAt: 9_000 }, read);
    for (const row of read) await log.noteRow(row, { status: 'not_placed' });
    expect(tables.rows).toMatchObject([{ status: 'in_progress', lockedBy: 'another', runAt: 5 }]);
  });
});

describe('a log that several executions make at once', () => {
  it.each([false, true])(
    'is one table, which all of them open (only the first: %s)',
    async (onlyFirst) => {
      const waits = Array.from({ length: 12 }, (_, index) => (index * 5) % 12);
      const latency = async () => {
        for (let left = waits[made++ % 12] ?? 0; left > 0; left--) await Promise.resolve();
      };
      const tables = new MemoryTables(`callLog${++made}`, latency);
      tables.dropLog();
      const locator = { mode: 'name', value: 'Orders' };
      const open = async () => await CallLog.open(tables.context, locator, 'own', { onlyFirst });
      const logs = await Promise.all(Array.from({ length: 20 }, open));
      expect(new Set(logs.map(({ tableId }) => tableId)).size).toBe(1);
    },
  );
});

describe('rows to delete', () => {
  it('go in one request when they are locked together, without the rows between them', async () => {
    const tables = new MemoryTables(`callLog${++made}`);
    const locator = { mode: 'id', value: tables.tableId };
    const log = await CallLog.openExisting(tables.context, locator, 'own');
    tables.insert(['a', 'b', 'c'].map((callId) => ({ ...OPEN, callId, lockedBy: '', runAt: 1 })));
    const held = await log.lockDue(Date.now(), 10, Date.now() + 60_000);
    const before = { ...tables.requests };
    await log.deleteLocked(
      held.filter(({ callId }) => callId !== 'b'),
      held,
    );
    expect(tables.rows).toMatchObject([{ callId: 'b' }]);
    expect(tables.requests).toEqual({ ...before, DELETE: before.DELETE + 1 });
  });

  it('go also when the lock is of another by now, and stay when their status has changed', async () => {
    const tables = new MemoryTables(`callLog${++made}`);
    const locator = { mode: 'id', value: tables.tableId };
    const log = await CallLog.openExisting(tables.context, locator, 'own');
    tables.insert(['a', 'b'].map((callId) => ({ ...OPEN, callId, lockedBy: '', runAt: 1 })));
    const held = await log.lockDue(Date.now(), 10, Date.now() + 60_000);
    for (const row of tables.rows) row.lockedBy = 'another';
    Object.assign(tables.rows[1] ?? {}, { status: 'scheduled' });
    await log.deleteLocked(held, held);
    expect(tables.rows).toMatchObject([{ callId: 'b', status: 'scheduled' }]);
  });
});

describe('looks that are written down', () => {
  it('leave the rows between them locked', async () => {
    const tables = new MemoryTables(`callLog${++made}`);
    const locator = { mode: 'id', value: tables.tableId };
    const log = await CallLog.openExisting(tables.context, locator, 'own');
    tables.insert(['a', 'b', 'c'].map((callId) => ({ ...OPEN, callId, lockedBy: '', runAt: 1 })));
    const read = await log.lockDue(Date.now(), 10, Date.now() + 60_000);
    await log.noteOpen(
      read.filter(({ callId }) => callId !== 'b'),
      { runAt: 9_000 },
      read,
    );
    expect(tables.rows.map(({ lockedBy }) => lockedBy)).toEqual(['', read[1]?.lockedBy, '']);
  });
});

describe('rows of many calls', () => {
  it('are given as they are, so that none of them counts as changed by hand', async () => {
    const tables = new MemoryTables(`callLog${++made}`);
    const locator = { mode: 'id', value: tables.tableId };
    const log = await CallLog.openExisting(tables.context, locator, 'own');
    tables.insert(
      Array.from({ length: 120 }, (_, index) => ({ ...OPEN, callId: `call ${index}` })),
    );
    const rows = tables.rows.map((row) => ({ ...row }));
    expect(await log.rowsOfCalls(rows)).toEqual(rows);
  });

  it('are asked for in addresses that a proxy passes, when they are too long for one answer', async () => {
    const tables = new MemoryTables(`callLog${++made}`);
    const locator = { mode: 'id', value: tables.tableId };
    const log = await CallLog.openExisting(tables.context, locator, 'own');
    const names = Array.from({ length: 60 }, (_, index) => `${index} ${'आदेश'.repeat(40)}`);
    tables.insert(names.map((callId) => ({ ...OPEN, callId })));
    const tooLong = new DataTableError('tooLong', 'n8n answered with more than 10 MB', '');
    jest.spyOn(log.tables, 'allRows').mockRejectedValue(tooLong);
    const asked = jest.spyOn(log.tables, 'rows');
    const found = await log.rowsOfCalls(tables.rows.map((row) => ({ ...row })));
    expect(found.map(({ callId }) => callId)).toEqual(names);
    const lengths = asked.mock.calls.map(
      ([, filter]) => encodeURIComponent(JSON.stringify(filter)).length,
    );
    expect(Math.max(...lengths)).toBeLessThan(8_001);
    expect(lengths.length).toBeLessThan(names.length);
  });
});

describe('the row of a call that has not ended', () => {
  const now = Date.now();
  const scheduled = { ...OPEN, status: 'scheduled', runAt: 1 };
  const row = (columns: object) => ({ id: 1, ...OPEN, runAt: 1, ...columns });

  it.each<[string, object]>([
    ['waits for its next look', { runAt: now + 60_000 }],
    ['is looked at', { lockedUntil: now + 60_000 }],
    ['is scheduled', scheduled],
    ['is scheduled and about to be placed', { ...scheduled, batch: 'b', lockedUntil: now + 1 }],
    ['is being placed', { status: 'placing', lockedUntil: now + 1 }],
  ])('needs nothing when it %s', (_, columns) => {
    expect(isInOrder(row(columns), now)).toBe(true);
  });

  it.each<[string, object]>([
    ['whoever placed it has died', { status: 'placing', lockedUntil: now }],
    ['whoever would place it has died', { ...scheduled, batch: 'b', lockedUntil: now }],
    ['a person emptied its lock', { lockedUntil: null }],
    ['its lock lies too far ahead', { lockedUntil: now + 3 * 3_600_000 }],
    ['a person emptied its batch', { batch: null }],
    ['a person emptied its time', { runAt: null }],
    ['its time lies too far ahead', { runAt: now + 3 * 3_600_000 }],
    ['a person cancelled it', { status: 'cancelled' }],
    ['its end was decided and not written', { status: 'maybe_placed' }],
  ])('is mended when %s', (_, columns) => {
    expect(isInOrder(row(columns), now)).toBe(false);
  });
});

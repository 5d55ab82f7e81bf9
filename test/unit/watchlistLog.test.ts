import fc from 'fast-check';
import { CallLogWatchlist } from '../../nodes/OutboundAiCalling/trigger/watch/callLogWatch';
import { COLUMNS, readRow, rowOf } from '../../nodes/OutboundAiCalling/callLog/row';
import type { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { failureOfAnswer, readApiAddress } from '../../nodes/OutboundAiCalling/callLog/dataTables';
import { LogReaders } from '../../nodes/OutboundAiCalling/trigger/watch/logReaders';

const NOW = Date.UTC(2030, 0, 1);
const TIME = '2029-12-31T23:00:00.000Z';
const row = { id: 1, orderId: '4821', triggeredAt: TIME, nextCheckAt: TIME, status: 'in_progress' };

describe('a row of the call log', () => {
  it('has all columns and no other', () => {
    const written = Object.keys(rowOf({ customerPhone: '+1', scriptId: 7 }, NOW, NOW));
    const names = COLUMNS.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(written));
  });

  it('is read as a call', () => {
    const more = { customerPhone: '+12025550100', customerName: '', checks: 3, scriptId: 7 };
    expect(readRow({ ...row, ...more }, NOW)).toEqual({
      call: {
        orderId: 4821,
        customerPhone: '+12025550100',
        scriptId: 7,
        placedAt: Date.parse(TIME),
        looks: 3,
        nextLookAt: Date.parse(TIME),
      },
    });
  });

  it('without an order id is a call that was being placed', () => {
    expect(readRow({ ...row, orderId: null, status: 'placing' }, NOW)).toEqual({ placing: true });
  });

  it.each([
    [{ orderId: 'banana' }, /order id: banana/],
    [{ orderId: null }, /order id: \(empty\)/],
    [{ orderId: '-4' }, /order id: -4/],
    [{ triggeredAt: null }, /time of a call/],
    [{ triggeredAt: '1969-12-31T00:00:00.000Z' }, /time of a call/],
    [{ triggeredAt: '-000001-01-01T00:00:00.000Z' }, /time of a call/],
    [{ triggeredAt: '2031-01-01T00:00:00.000Z' }, /time of a call/],
  ])('with %j is nonsense, with its reason', (edited, reason) => {
    expect(readRow({ ...row, ...edited }, NOW)).toEqual({
      nonsense: expect.stringMatching(reason) as string,
    });
  });

  it('can hold anything without breaking the reading', () => {
    const cell = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null));
    const cells = fc.dictionary(fc.constantFrom(...COLUMNS.map(({ name }) => name)), cell);
    fc.assert(
      fc.property(cells, (edited) => {
        const reading = readRow({ ...row, ...edited }, NOW);
        if (!('call' in reading)) return;
        expect(Number.isSafeInteger(reading.call.orderId)).toBe(true);
        expect(reading.call.looks).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('the readers of a call log', () => {
  it('are done with a row when each of them has handed it over', () => {
    const readers = new LogReaders(() => NOW);
    expect(readers.register('a')).toBe(false);
    expect(readers.register('b')).toBe(false);
    expect(readers.register('a')).toBe(true);
    readers.noteHandedOver(1, 'a', { status: 'completed' });
    expect(readers.hasHandedOver(1, 'a')).toBe(true);
    expect(readers.hasHandedOver(1, 'b')).toBe(false);
    expect(readers.columnsWhenDone(1)).toBeUndefined();
    readers.noteHandedOver(1, 'b', { status: 'completed' });
    expect(readers.columnsWhenDone(1)).toEqual({ status: 'completed' });
  });

  it('do not wait for one that was silent for more than a day', () => {
    let now = NOW;
    const readers = new LogReaders(() => now);
    readers.register('gone');
    now += 26 * 3_600_000;
    readers.register('a');
    readers.noteHandedOver(1, 'a', {});
    expect(readers.columnsWhenDone(1)).toEqual({});
  });
});

describe('the watchlist of a call log', () => {
  /** A log that cannot be written after its rows were read. */
  function brokenLog(tableId: string): CallLog {
    const log: Partial<CallLog> = {
      tableId,
      dueRows: async () => ({ rows: [row], cursor: undefined }),
      note: async () => undefined,
      move: async () => await Promise.reject(new Error('n8n is away')),
    };
    return log as CallLog;
  }

  it('knows when the next of its calls is due, also of those that it has not taken', async () => {
    const soon = { ...row, id: 2, nextCheckAt: new Date(NOW + 7_000).toISOString() };
    const later = { ...row, id: 3, nextCheckAt: new Date(NOW + 9_000).toISOString() };
    const log: Partial<CallLog> = {
      tableId: 'soon',
      dueRows: async () => ({ rows: [row, soon, later], cursor: undefined }),
      note: async () => undefined,
    };
    const list = new CallLogWatchlist(log as CallLog, 'a', NOW + 50_000);
    expect(await list.take(NOW, 10)).toHaveLength(1);
    expect(list.nextDueAt()).toBe(NOW + 7_000);
  });

  it('does not offer a call again that it handed over but could not note', async () => {
    LogReaders.of('broken').register('a');
    const list = new CallLogWatchlist(brokenLog('broken'), 'a', NOW);
    const [call] = await list.take(NOW, 10);
    if (call === undefined) throw new Error('nothing taken');
    const givenUp = { reason: 'tooOld' as const, message: '' };
    await expect(list.settle(call, { givenUp })).rejects.toThrow('n8n is away');
    const next = new CallLogWatchlist(brokenLog('broken'), 'a', NOW);
    await expect(next.take(NOW, 10)).rejects.toThrow('n8n is away');
  });
});

describe('the n8n API', () => {
  it.each(['http://localhost:5678/api/v1', 'http://localhost:5678/api/v1//'])(
    'is at %s',
    (baseUrl) => {
      expect(readApiAddress({ baseUrl })).toBe('http://localhost:5678/api/v1');
    },
  );

  it.each(['', 'localhost', 'ftp://n8n', 'http://user:key@n8n', 'http://n8n?x=1'])(
    'cannot be at %j',
    (baseUrl) => {
      expect(() => readApiAddress({ baseUrl })).toThrow(/base URL/);
    },
  );

  const answer = (status: number, body: unknown) => ({ status, headers: {}, body });

  it.each([
    [answer(200, { data: [] }), undefined],
    [answer(401, { message: 'unauthorized' }), 'keyRefused'],
    [answer(403, { message: 'Forbidden' }), 'scopeMissing'],
    [answer(404, { message: 'not found' }), 'tableMissing'],
    [answer(400, { message: 'no such column' }), 'refused'],
    [answer(200, '<html>'), 'notN8n'],
    [answer(302, ''), 'notN8n'],
    [{ fault: 'noConnection' as const }, 'unreachable'],
  ])('%j means %s', (given, kind) => {
    expect(failureOfAnswer(given, 'localhost', 'dataTable:list')?.kind).toBe(kind);
  });
});

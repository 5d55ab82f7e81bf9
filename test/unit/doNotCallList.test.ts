import type { DefaultCountry } from '../../nodes/OutboundAiCalling/contacts/phoneNumber';
import type { DataTables } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { DoNotCallList, readUntil } from '../../nodes/OutboundAiCalling/rules/doNotCallList';

describe('the end of an entry of the do-not-call list', () => {
  it.each([
    ['2026-12-31', '2027-01-01T12:00:00Z'],
    ['2026-12-31T00:00:00.000Z', '2027-01-01T12:00:00Z'],
    [' 2026-12-31T10:01:00Z ', '2026-12-31T10:01:00Z'],
    // A day that somebody chose in the calendar of a date cell, in India and in New York.
    ['2026-12-30T18:30:00.000Z', '2026-12-31T18:30:00Z'],
    ['2026-12-31T05:00:00.000Z', '2027-01-01T05:00:00Z'],
    ['2026-12-31T00:00:00+05:30', '2026-12-31T18:30:00Z'],
    ['2026-12-31 00:00', '2027-01-01T12:00:00Z'],
    ['2026-12-31T10:00:00.000+05:30', '2026-12-31T04:30:00Z'],
    ['2026-12-31 10:00', '2026-12-31T22:00:00Z'],
    [Date.UTC(2026, 11, 31), '2027-01-01T12:00:00Z'],
    [Date.UTC(2026, 11, 31, 10, 1), '2026-12-31T10:01:00Z'],
  ])('%p is %p', (value, end) => {
    expect(readUntil(value)).toBe(Date.parse(end));
  });

  it.each(['31.12.2026', '12/31/2026', 'next spring', '2026-13-01', 20261231, 0, true, {}])(
    '%p cannot be read',
    (value) => {
      expect(readUntil(value)).toBeUndefined();
    },
  );
});

describe('a do-not-call list', () => {
  const NOON = Date.parse('2026-11-21T12:00:00Z');
  const PHONE = '+12025550100';
  const TABLE = { id: 'list', name: 'No', columns: [] };

  beforeEach(() => void jest.useFakeTimers({ now: NOON, advanceTimers: true }));
  afterEach(() => void jest.useRealTimers());

  /** A table that holds few rows, as n8n answers for it. */
  const tableOf = (rows: object[]) =>
    ({
      rows: async () =>
        await Promise.resolve(rows.map((row, index) => ({ id: index + 1, ...row }))),
    }) as unknown as DataTables;
  const read = async (rows: object[], country?: DefaultCountry) =>
    await DoNotCallList.read(tableOf(rows), TABLE, country);

  it('names whom it lists, with the reason if there is one', async () => {
    const list = await read([
      { phone: PHONE, reason: ' Asked for it ' },
      { phone: '12025550101', reason: ' ' },
      { phone: '+12025550102, +12025550103' },
      { phone: '' },
    ]);
    const people = [0, 1, 2, 3, 4].map((last) => list.reasonFor(`+1202555010${last}`));
    expect(people).toEqual(['Asked for it', '', '', '', undefined]);
    expect(list.length).toBe(4);
  });

  it('reads numbers of the default country', async () => {
    const list = await read([{ phone: '(202) 555-0100' }], 'US');
    expect([PHONE, '+12025550101'].map((phone) => list.reasonFor(phone))).toEqual(['', undefined]);
  });

  it('names a person of two rows until the later end, with the reason of either', async () => {
    const short = { phone: PHONE, until: '2026-11-22T00:01:00Z', reason: 'Asked for it' };
    const long = { phone: PHONE, until: '2026-11-23T00:01:00Z', reason: '' };
    for (const rows of [
      [short, long],
      [long, short],
    ]) {
      jest.setSystemTime(NOON);
      const list = await read(rows);
      jest.setSystemTime(Date.parse(long.until));
      expect(list.reasonFor(PHONE)).toBe('Asked for it');
      jest.setSystemTime(Date.parse(long.until) + 1);
      expect(list.reasonFor(PHONE)).toBeUndefined();
      expect((await read(rows)).reasonFor(PHONE)).toBeUndefined();
    }
  });

  it('names everybody whom it can read, and says what it cannot', async () => {
    expect((await read([{ phone: PHONE }])).isReadable).toBe(true);
    const unread = await read([{ phone: PHONE }, { phone: 'Nathan' }, { phone: 'Grace' }]);
    const endless = await read([{ phone: PHONE, until: 'next spring' }]);
    expect([unread.isReadable, endless.isReadable]).toEqual([false, false]);
    expect([unread.reasonFor(PHONE), endless.reasonFor(PHONE)]).toEqual(['', '']);
    const clean = (text: string) => text.toUpperCase();
    expect(unread.hints(clean)).toEqual([
      expect.stringMatching(
        /^2 rows of the do-not-call list "No" cannot be read .* e\.g\. "NATHAN"\./,
      ),
    ]);
    expect(endless.hints(clean)).toEqual([
      expect.stringMatching(
        /^1 row of the do-not-call list "No" have an "until" .* e\.g\. "NEXT SPRING"\./,
      ),
    ]);
  });

  it('confirms a person whom the same row still names', async () => {
    const list = await read([{ phone: PHONE }]);
    const isConfirmed = async (rows: object[], phone = PHONE) =>
      await list.isConfirmed(tableOf(rows), TABLE, phone);
    expect(await isConfirmed([{ phone: '+1 202 555 0100, +12025550101' }])).toBe(true);
    expect(await isConfirmed([{ phone: '+12025550101' }])).toBe(false);
    expect(await isConfirmed([{ phone: PHONE, until: '2026-11-21T11:59:00Z' }])).toBe(false);
    expect(await isConfirmed([])).toBe(false);
    expect(await isConfirmed([{ phone: '+12025550199' }], '+12025550199')).toBe(false);
  });
});

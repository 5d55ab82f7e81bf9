import type { DefaultCountry } from '../../nodes/OutboundAiCalling/contacts/phoneNumber';
import type { DataTables } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import { DoNotCallList, readUntil } from '../../nodes/OutboundAiCalling/rules/doNotCallList';

describe('the end of an entry of the do-not-call list', () => {
  it.each([
    ['2026-12-31', '2027-01-01T12:00:00Z'],
    ['2026-12-31T00:00:00.000Z', '2027-01-01T12:00:00Z'],
    [' 2026-12-31T10:01:00Z ', '2026-12-31T10:01:00Z'],
    // A day that somebody chose in the calendar of a date cell, in India and in New York.
    ['2026-12-30T18:30:00.000Z', '2026-12-31T19:30:00Z'],
    ['2026-12-31T05:00:00.000Z', '2027-01-01T06:00:00Z'],
    ['2026-12-31T00:00:00+05:30', '2026-12-31T19:30:00Z'],
    ['2026-12-31 00:00', '2027-01-01T12:00:00Z'],
    ['2026-12-31T10:00:00.000+05:30', '2026-12-31T04:30:00Z'],
    ['2026-12-31 10:00', '2026-12-31T22:00:00Z'],
    [Date.UTC(2026, 11, 31), '2027-01-01T12:00:00Z'],
    [Date.UTC(2026, 11, 31, 10, 1), '2026-12-31T10:01:00Z'],
  ])('%p is %p', (value, end) => {
    expect(readUntil(value)).toBe(Date.parse(end));
  });

  it.each([
    ['2026-12-31T00:00:00.000', '2027-01-01T12:00:00Z'],
    ['2026-12-31T00:00:00+00:00', '2027-01-01T12:00:00Z'],
    ['2026-12-31T00:00Z', '2027-01-01T12:00:00Z'],
    ['2026-12-31t10:15:00z', '2027-01-01T11:15:00Z'],
    ['2026-12-31T10:00:01Z', '2026-12-31T10:00:01Z'],
    ['2026-12-31 10:01:30', '2026-12-31T22:01:30Z'],
    ['2026-12-31 10:01 +0530', '2026-12-31T04:31:00Z'],
    ['2026-12-31T10:15+05:30', '2026-12-31T04:45:00Z'],
    [Date.UTC(2000), '2000-01-02T12:00:00Z'],
  ])('%p is %p, in any form of ISO 8601', (value, end) => {
    expect(readUntil(value)).toBe(Date.parse(end));
  });

  it.each([Date.UTC(2000) - 1, 'on 2026-12-31', '2026-12-31T', '2026-12-31 or so', null])(
    '%p is no time of this century, or more than a time',
    (value) => {
      expect(readUntil(value)).toBeUndefined();
    },
  );

  it.each([
    // Programs and databases write these where there is no date.
    ...['1970-01-01T00:00:00.000Z', '1970-01-01', '1900-01-01', '0001-01-01T00:00:00'],
    9e15,
  ])('%p stands for no time, so that it cannot be read', (value) => {
    expect(readUntil(value)).toBeUndefined();
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

  it('tells of columns of its own with numbers that do not count', async () => {
    const other = '+12025550199';
    const rows = [
      { phone: PHONE, mobile: other, note: `was ${other} before`, spelled: ` ${PHONE}` },
      { phone: PHONE, mobile: null, home: other },
      { phone: '2125550188', international: '+1 212 555 0188' },
    ];
    const [hint] = (await read(rows)).hints((text) => text);
    expect(hint).toBe(
      'Numbers in "mobile", "home" of the do-not-call list "No" are not heeded, so people whom they name can still be called: only the column "phone" counts.',
    );
  });

  it('is no list when its numbers stand in another column alone', async () => {
    const rows = [
      { phone: null, mobile: PHONE },
      { phone: '', mobile: '' },
    ];
    await expect(read(rows)).rejects.toThrow(
      'The data table "No" has no phone number in the column "phone", but in "mobile"',
    );
    const ended = { phone: '', mobile: PHONE, until: '2026-11-20' };
    expect((await read([ended, { phone: '' }])).reasonFor(PHONE)).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['without a plus', '12025550101'],
    ['after an exit code', '001 202 555 0101'],
    ['of the default country', '(202) 555-0101'],
    ['with a word before it', 'tel:+12025550101'],
    ['of a sheet', "'+12025550101"],
    ['of a column of numbers', 12025550101],
  ])('is no list when another column alone has a number %s', async (_, mobile) => {
    for (const phone of [null, 'Nathan']) {
      for (const column of ['mobile', 'reason']) {
        await expect(read([{ phone, [column]: mobile }], 'US')).rejects.toThrow(
          `has no phone number in the column "phone", but in "${column}"`,
        );
      }
    }
    const [hint] = (await read([{ phone: PHONE }, { phone: '', mobile }], 'US')).hints(
      (text) => text,
    );
    expect(hint).toContain('Numbers in "mobile"');
  });

  it('is a list when nothing beside an empty phone can be a number', async () => {
    const note = { reason: 'Asked for it', added: '2026-11-20', visits: 12, note: 'Lives at 17' };
    const list = await read([
      { phone: '', ...note },
      { phone: null, added: '2026-11-20T09:00:00Z' },
    ]);
    expect(list.hints((text) => text)).toEqual([expect.stringContaining('cannot be read')]);
    const orders = await read(
      [{ phone: PHONE, order: '2025550199', reason: '+12025550199' }],
      'US',
    );
    expect(orders.hints((text) => text)).toEqual([]);
  });

  it('names everybody whom it can read, and says what it cannot', async () => {
    expect((await read([{ phone: PHONE }])).isReadable).toBe(true);
    const unread = await read([{ phone: PHONE }, { phone: 'Nathan' }, { phone: 'Grace' }]);
    const endless = await read([{ phone: PHONE, until: 'next spring' }]);
    expect([unread.isReadable, endless.isReadable]).toEqual([false, false]);
    expect([unread.reasonFor(PHONE), endless.reasonFor(PHONE)]).toEqual(['', '']);
    const clean = (text: string) => text.toUpperCase();
    expect((await read([{ phone: PHONE }])).hints(clean)).toEqual([]);
    // A row without a number keeps nobody on the list, whatever its end.
    expect((await read([{ phone: 'Nathan', until: 'next spring' }])).hints(clean)).toHaveLength(1);
    expect(unread.hints(clean)).toEqual([
      '2 rows of the do-not-call list "No" cannot be read as phone numbers in full, so people whom they name can still be called: e.g. "NATHAN". Write numbers like +12025550123, or set "Default Country".',
    ]);
    expect(endless.hints(clean)).toEqual([
      'The "until" of 1 row of the do-not-call list "No" cannot be read, e.g. "NEXT SPRING": who is named there is never called. Write it like 2026-12-31, from 2000 on, or empty the cell.',
    ]);
  });

  it('shows the first unreadable text that there is, and no more than 40 characters of it', async () => {
    const exampleIn = async (...phones: unknown[]) =>
      (await read(phones.map((phone) => ({ phone }))))
        .hints((text) => text)
        .map((hint) => /e\.g\. (.*)\. Write/.exec(hint)?.[1]);
    expect(await exampleIn(`${'x'.repeat(41)} 1`)).toEqual([`"${'x'.repeat(40)}"`]);
    expect(await exampleIn('', ' ')).toEqual(['an empty one']);
    expect(await exampleIn('', 'Nathan', 'Grace')).toEqual(['"Nathan"']);
  });

  it('knows a person by the digits that a row has, whatever follows in the list', async () => {
    const list = await read([{ phone: '2025550100' }, { phone: '+12025550101' }]);
    expect(list.reasonFor(PHONE)).toBe('');
    expect(list.reasonFor('+12025550101')).toBe('');
    expect(list.reasonFor('+12025550102')).toBeUndefined();
  });

  it('knows everybody of a range, and everybody whose number ends with the digits of a row', async () => {
    const list = await read([
      { phone: '+1 202-555-0100 to 0199', reason: 'Range' },
      { phone: '3123-4567', reason: 'São Paulo' },
    ]);
    const reasons = ['+12025550150', '+12025550200', '+551131234567'].map((phone) =>
      list.reasonFor(phone),
    );
    expect(reasons).toEqual(['Range', undefined, 'São Paulo']);
    expect(list.isReadable).toBe(true);
  });

  it('forgets an entry after its last millisecond, and none without an end', async () => {
    const rows = [
      { phone: PHONE, until: '2026-11-21T12:01:00Z' },
      { phone: '+12025550101', until: '2026-11-21T12:00:59.999Z' },
      { phone: '+12025550102', until: ' ' },
    ];
    // Only the clock stands still.
    jest.useFakeTimers({ now: NOON, doNotFake: ['setImmediate', 'setTimeout'] });
    const early = await read(rows);
    jest.setSystemTime(NOON + 60_000);
    for (const list of [early, await read(rows)]) {
      const listed = [0, 1, 2].map((last) => list.reasonFor(`+1202555010${last}`));
      expect([list.length, ...listed]).toEqual([3, '', undefined, '']);
    }
  });

  it('reads on what has changed: then it may name people whom the table does not', async () => {
    const list = await read([{ phone: PHONE }]);
    expect([list.isExact, list.length]).toEqual([true, 1]);
    list.readOn([{ id: 2, phone: '+12025550101', reason: 'Asked' }]);
    expect([list.isExact, list.length, list.isReadable]).toEqual([false, 2, true]);
    expect([PHONE, '+12025550101'].map((phone) => list.reasonFor(phone))).toEqual(['', 'Asked']);
    list.readOn([{ id: 3, phone: 'Nathan' }]);
    expect(list.isReadable).toBe(false);
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

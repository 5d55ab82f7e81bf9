import { readUntil } from '../../nodes/OutboundAiCalling/rules/doNotCallList';

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

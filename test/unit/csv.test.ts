import fc from 'fast-check';
import { stringify } from 'csv-stringify/sync';
import { decodeCsvFile, readCsv } from '../../nodes/OutboundAiCalling/contacts/csv';

const rowsOf = (text: string) => {
  const reading = readCsv(text);
  if ('objection' in reading) throw new Error(reading.objection);
  return reading.rows;
};

describe('CSV', () => {
  it.each([
    ['commas', 'phone_number,name\n+1,Ann\n'],
    ['semicolons', 'phone_number;name\n+1;Ann'],
    ['tabs', 'phone_number\tname\r\n+1\tAnn\r\n'],
    ['a byte order mark', '\ufeffphone_number,name\n+1,Ann'],
    ['quotes', '"phone_number","name"\n"+1","Ann"'],
    ['spaces around names and values', ' phone_number , name \n +1 , Ann '],
    ['empty lines', 'phone_number,name\n\n+1,Ann\n\n'],
  ])('is read with %s', (_, text) => {
    expect(rowsOf(text)).toEqual([{ phone_number: '+1', name: 'Ann' }]);
  });

  it('keeps delimiters, quotes and line breaks within quotes', () => {
    const text = 'phone_number,name\n+1,"Ann ""A."" Lee,\nJr."';
    expect(rowsOf(text)).toEqual([{ phone_number: '+1', name: 'Ann "A." Lee,\nJr.' }]);
  });

  it.each([
    ['', 'empty'],
    ['a,b\n1,2\n3', 'line 3'],
    ['a,b\n1,"2', 'line 2'],
    ['a,a\n1,2', 'two columns named "a"'],
  ])('%p is refused with a place and a reason', (text, reason) => {
    expect(readCsv(text)).toEqual({ objection: expect.stringContaining(reason) });
  });

  it('gives back what was written, with any delimiter', () => {
    const cell = fc.string().map((text) => `x${text}x`);
    const rows = fc.array(fc.record({ phone: cell, first: cell, last: cell }), { minLength: 1 });
    fc.assert(
      fc.property(rows, fc.constantFrom(',', ';', '\t'), (written, delimiter) => {
        const text = stringify(written, { header: true, delimiter, quoted: true });
        expect(rowsOf(text)).toEqual(written);
      }),
    );
  });

  it('never breaks the reading, whatever it holds', () => {
    const text = fc.array(fc.constantFrom('a', ',', ';', '"', '\n', '\r', '\t', '\ufeff', ' '));
    fc.assert(
      fc.property(text, (found) => {
        const reading = readCsv(found.join(''));
        expect('objection' in reading || Array.isArray(reading.rows)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['UTF-8', Buffer.from('näme')],
    ['UTF-16 little endian', Buffer.from('\ufeffnäme', 'utf16le')],
    ['UTF-16 big endian', Buffer.from('\ufeffnäme', 'utf16le').swap16()],
    ['Windows-1252', Buffer.from('näme', 'latin1')],
  ])('is decoded from %s', (_, bytes) => {
    expect(decodeCsvFile(bytes).replace('\ufeff', '')).toBe('näme');
  });
});

import fc from 'fast-check';
import { stringify } from 'csv-stringify/sync';
import { decodeCsvFile, readCsv } from '../../nodes/OutboundAiCalling/contacts/csv';
import { runs } from '../generators';

const rowsOf = async (text: string, sliceLength?: number) => {
  const reading = await readCsv(text, sliceLength);
  if ('objection' in reading) throw new Error(reading.objection);
  return reading.rows;
};

jest.setTimeout(900_000);

describe('CSV', () => {
  it.each([
    ['commas', 'phone_number,name\n+1,Ann\n'],
    ['semicolons', 'phone_number;name\n+1;Ann'],
    ['tabs', 'phone_number\tname\r\n+1\tAnn\r\n'],
    ['a byte order mark', '\ufeffphone_number,name\n+1,Ann'],
    ['quotes', '"phone_number","name"\n"+1","Ann"'],
    ['spaces around names and values', ' phone_number , name \n +1 , Ann '],
    ['empty lines', 'phone_number,name\n\n+1,Ann\n\n'],
  ])('is read with %s', async (_, text) => {
    expect(await rowsOf(text)).toEqual([{ phone_number: '+1', name: 'Ann' }]);
  });

  it('keeps delimiters, quotes and line breaks within quotes', async () => {
    const text = 'phone_number,name\n+1,"Ann ""A."" Lee,\nJr."';
    expect(await rowsOf(text)).toEqual([{ phone_number: '+1', name: 'Ann "A." Lee,\nJr.' }]);
  });

  it.each([
    ['', 'empty'],
    ['a,b\n1,2\n3', 'line 3'],
    ['a,b\n1,"2', 'line 2'],
    ['a,a\n1,2', 'two columns named "a"'],
  ])('%p is refused with a place and a reason', async (text, reason) => {
    expect(await readCsv(text)).toEqual({ objection: expect.stringContaining(reason) });
  });

  it('gives back what was written, with any delimiter', async () => {
    const cell = fc.string().map((text) => `x${text}x`);
    const rows = fc.array(fc.record({ phone: cell, first: cell, last: cell }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom(',', ';', '\t'), async (written, delimiter) => {
        const text = stringify(written, { header: true, delimiter, quoted: true });
        expect(await rowsOf(text)).toEqual(written);
      }),
    );
  });

  it('is read the same in slices of any length', async () => {
    const parts = ['a', '1', ',', ';', '"', '"x\ny"', '\n', '\r\n', '\r', '\t', '\ufeff', ' '];
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 40 });
    const withoutLine = (reading: Awaited<ReturnType<typeof readCsv>>) =>
      'objection' in reading ? reading.objection.replace(/line \d+/, '') : reading;
    await fc.assert(
      fc.asyncProperty(text, fc.nat({ max: 12 }), async (found, sliceLength) => {
        const whole = await readCsv(found.join(''));
        const sliced = await readCsv(found.join(''), sliceLength);
        expect('objection' in whole || Array.isArray(whole.rows)).toBe(true);
        expect(withoutLine(sliced)).toEqual(withoutLine(whole));
      }),
      { numRuns: runs(1_000, 10_000) },
    );
  });

  it('tells the line of a mistake, in slices of any length', async () => {
    const good = fc.array(fc.constantFrom('1,2', '"a",b', '"x\ny",2', '', ' 1 , 2 '));
    await fc.assert(
      fc.asyncProperty(good, good, fc.nat({ max: 40 }), async (before, after, sliceLength) => {
        const start = `a,b\n${before.map((row) => `${row}\n`).join('')}`;
        const text = `${start}1,2,3\n${after.join('\n')}`;
        expect(await readCsv(text, sliceLength)).toEqual({
          objection: expect.stringContaining(`at line ${start.split('\n').length}: Invalid Record`),
        });
      }),
      { numRuns: runs(250, 2_000) },
    );
  });

  it('is not searched to its end for a quote that closes', async () => {
    const text = `a,b\n1,"2${'\n1,2'.repeat(400_000)}`;
    expect(await readCsv(text)).toEqual({ objection: expect.stringContaining('line 2') });
  });

  it.each([
    ['UTF-8', Buffer.from('näme')],
    ['UTF-16 little endian', Buffer.from('\ufeffnäme', 'utf16le')],
    ['UTF-16 big endian', Buffer.from('\ufeffnäme', 'utf16le').swap16()],
    ['Windows-1252', Buffer.from('näme', 'latin1')],
  ])('is decoded from %s', async (_, bytes) => {
    expect((await decodeCsvFile(bytes)).replace('\ufeff', '')).toBe('näme');
  });

  it.each(['utf8', 'utf16le', 'latin1'] as const)(
    'of several megabytes is decoded from %s',
    async (encoding) => {
      const text = `x${'näme,'.repeat(600_000)}`;
      const mark = encoding === 'utf16le' ? '\ufeff' : '';
      const decoded = await decodeCsvFile(Buffer.from(mark + text, encoding));
      expect(decoded.replace('\ufeff', '') === text).toBe(true);
    },
  );
});

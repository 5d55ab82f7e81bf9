import { stringify } from 'csv-stringify/sync';
import { decodeCsvFile, type DecodedCsv } from '../../nodes/OutboundAiCalling/contacts/csv';
import { fc, runs } from '../generators';
import { otherFormatOf } from '../../nodes/OutboundAiCalling/contacts/otherFormat';
import { readWholeCsv } from '../wholeCsv';

function rowsOf(csv: string | DecodedCsv) {
  const reading = readWholeCsv(csv);
  if ('objection' in reading) throw new Error(reading.objection);
  return reading.rows;
}

describe('CSV', () => {
  it.each([
    ['commas', 'phone_number,name\n+1,Ann\n'],
    ['semicolons', 'phone_number;name\n+1;Ann'],
    ['tabs', 'phone_number\tname\r\n+1\tAnn\r\n'],
    ['a byte order mark', '\ufeffphone_number,name\n+1,Ann'],
    ['quotes', '"phone_number","name"\n"+1","Ann"'],
    ['a line that names the delimiter', 'sep=;\r\nphone_number;name\r\n+1;Ann'],
    ['any delimiter that a line names', '\ufeffSEP=^\nphone_number^name\n+1^Ann'],
    ['a named delimiter that is the rarer one', '"sep=\t"\nphone_number\tname\n+1\tAnn'],
    ['spaces around names and values', ' phone_number , name \n +1 , Ann '],
    ['empty lines', 'phone_number,name\n\n+1,Ann\n\n'],
    ['columns without a name', 'phone_number,,name,\n+1,x,Ann,'],
    ['rows without a value', 'phone_number;name\n;\n+1;Ann\n ; "" \n;\n'],
    ['empty lines of other kinds', '\r\nphone_number,name\r\r\n+1,Ann\n\r'],
  ])('is read with %s', (_, text) => {
    expect(rowsOf(text)).toEqual([{ phone_number: '+1', name: 'Ann' }]);
  });

  it.each([
    [
      'a line break within a cell may hide a number',
      '+1,Ann,call\n+2,A-2,\n',
      'this row has 3 cells instead of 5',
    ],
    [
      'a cell with a line break is two rows',
      '+1,Ann,A-1,call my wife,x\n+2,7\n',
      'this row has 2 cells instead of 5',
    ],
    ['a cell is missing, and nobody knows which', '+1,Ann,A-1,Ring\n', 'this row has 4 cells'],
    [
      'a delimiter within a cell and an empty last one',
      '+1,Lee, Bo,A-1,Ring,\n',
      'this row has 6 cells instead of 5',
    ],
    ['a row that is cut off', '+1,Ann,A-1,Ring,x\n+2,Bo,A-2,Ri', 'this row has 4 cells'],
  ])('is refused when rows have other cells than the header: %s', (_, rows, reason) => {
    for (const sliceLength of [1, undefined]) {
      expect(readWholeCsv(`phone,name,order,notes,size\n${rows}`, sliceLength)).toEqual({
        objection: expect.stringContaining(reason),
      });
    }
  });

  it('says how to mend a row with other cells than the header', () => {
    const objectionTo = (row: string) => readWholeCsv(`phone,name,order\n${row}\n`);
    expect(objectionTo('+1,Ann')).toEqual({
      objection: expect.stringContaining('quotes around a cell that holds a line break'),
    });
    expect(objectionTo('+1,Lee, Bo,A-1')).toEqual({
      objection: expect.stringContaining('quotes around a cell that holds a delimiter'),
    });
  });

  it('never takes both parts of a row that a line break splits', () => {
    const cells = fc.array(fc.constantFrom('+1', 'x', ''), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(cells, fc.nat(), (row, at) => {
        const header = row.map((_, index) => `c${index}`).join(',');
        const broken = row.map((cell, index) => (index === at % row.length ? 'a\nb' : cell));
        const reading = readWholeCsv(`${header}\n${broken.join(',')}\n`);
        expect('objection' in reading || row.length === 1).toBe(true);
      }),
    );
  });

  it('keeps delimiters, quotes and line breaks within quotes', () => {
    const text = 'phone_number,name\n+1,"Ann ""A."" Lee,\nJr."';
    expect(rowsOf(text)).toEqual([{ phone_number: '+1', name: 'Ann "A." Lee,\nJr.' }]);
  });

  it('takes each kind of line break for the end of a row', () => {
    const text = 'phone_number,name\r\n+1,Ann\r\n+2,"Bo\r\nLee"\n+3,Cy\r+4,Di\n';
    for (const sliceLength of [1, undefined]) {
      expect(readWholeCsv(text, sliceLength)).toMatchObject({
        rows: [{ name: 'Ann' }, { name: 'Bo\r\nLee' }, { name: 'Cy' }, { name: 'Di' }],
      });
    }
  });

  it.each([
    ['', 'empty'],
    ['a,b\n1,2\n3', 'line 3'],
    ['a,b\n1,"2', 'line 2'],
    ['a,a\n1,2', 'two columns named "a"'],
  ])('%p is refused with a place and a reason', (text, reason) => {
    expect(readWholeCsv(text)).toEqual({ objection: expect.stringContaining(reason) });
  });

  it.each([
    ['of a name', '+12025550102,"Bo,8\n+12025550103,Cy,9\n+12025550104,Di 24",9\n'],
    ['in the last cell', '+12025550102,Bo,"8\n+12025550103,Cy,9"'],
    ['after a cell in quotes', '+12025550102,"Lee, Bo","8\n+12025550103,Cy,9"'],
    ['of one whose number is missing', ',"Bo,8\n+12025550103,Cy,9\n+12025550104,Di 24",9\n'],
    ['before empty cells', '+12025550102,"Bo,8\n\n+12025550103,"",9\n+12025550104,Di",9\n'],
    ['before a short row', '+12025550102,"Bo,8\n+12025550103,Cy\n+12025550104,Di",9\n'],
    ['that nothing closes', '+12025550102,"Bo,8\n+12025550103,Cy,9\n'],
    ['before a comma', '+12025550102,"Lee, Bo,8\n+12025550103,Cy,9\n+12025550104,Di 24",9\n'],
    ['before a comma, one row on', '+12025550102,"Lee, Bo,8\n+12025550103,Di 24",9\n'],
    ['before rows with a comma', '+12025550102,"Lee, Bo,8\n+12025550103,Roe, Cy 24",9\n'],
    ['of labelled numbers', 'p:+12025550102,"Bo,8\np:+12025550103,Di",9\n'],
    ['of numbers after a word', 'Tel. +49 151 23456782,"Bo,8\nTel. +49 151 23456783,Di",9\n'],
    ['of national numbers after a word', 'Tel. 0151 23456782,"Bo,8\nTel. 0151 23456783,Di",9\n'],
    ['of numbers after a name', 'WhatsApp +91 98765 43210,"Bo,8\nHandy +49151 2345678,Di",9\n'],
    ['of Arabic digits', '+٢٠١٠٠١٢٣٤٥٦٧,"Bo,8\n+٢٠١٠٠١٢٣٤٥٦٨,Di",9\n'],
    [
      'of full-width digits',
      '＋８１９０１２３４５６７８,"Bo,8\n＋８１９０１２３４５６７９,Di",9\n',
    ],
    ['of one whose number is not known', 'n/a,"Bo,8\n+12025550103,Di 24",9\n'],
    ['of one whose number was not found', '#N/A,"Bo,8\n0151 23456783,Di 24",9\n'],
    ['of one with a dash for a number', '-,"Bo,8\n+12025550103,Di 24",9\n'],
    ['of one with a word for a number', 'none,"Bo,8\n0151 23456782,Cy,9\n0151 23456783,Di",9\n'],
  ])('with a stray quote %s is refused: it may hide contacts', (_, rows) => {
    const start = 'phone_number,name,size\n+12025550101,"Ann\nLee",7\n';
    for (const sliceLength of [1, undefined]) {
      expect(readWholeCsv(start + rows, sliceLength)).toEqual({
        objection:
          'The CSV cannot be read at line 4: a cell that begins with a quote holds lines that look like contacts. Remove the quote, or write the cell in one line',
      });
    }
  });

  it.each([
    'phone,"name\n+12025550101,Ann"\n+12025550102,Bo',
    'phone\n"+12025550101\n12025550102"',
    'phone,name\n"+12025550101,Bo\n+12025550102,Ann\n+12025550103,24"',
    'name,phone\n"Lee, Bo,+12025550101\nAnn,+12025550102\n24",+12025550103',
    'name,phone\n"Lee, Bo,+12025550101\n24",+12025550103',
    'name,phone\n"Lee, Bo,\nAnn,+12025550102\n24",+12025550103',
    'name,phone\n"Bo\n24"",+12025550101\nAnn 24",+12025550102',
    'phone,name,note\n+12025550101,"Bo\n24"",7\n+12025550102,Ann 24",8',
    'phone,note\n+12025550101,"Bo\n24""\n+12025550102,Ann 24"',
  ])('with rows within a quoted cell is refused: %j', (text) => {
    expect(readWholeCsv(`\n${text}`)).toEqual({
      objection: expect.stringContaining('a cell that begins with a quote'),
    });
  });

  it.each([
    ['phone,address', '+12025550101,"12 Main St\nSpringfield, Ohio 43210-1234"'],
    ['phone,address', '+5511987654321,"Av. Paulista 1578\nSão Paulo - SP, 01310-100"'],
    ['name,address,phone', 'Ann,"12 Main St,\nSpringfield, IL 62701",+12025550101'],
    ['name,address,phone', 'Ann,"12 Main St, Apt 4,\nSpringfield, IL",+12025550101'],
    ['address,phone', '"12 Main St,\nSpringfield",+12025550101'],
    ['phone,name,address', '+12025550101,Ann,"Rua X, 12, Apto 4\nSão Paulo, SP, 01310-100"'],
    ['note,phone', '"Please wait\nat the door",+12025550101'],
    ['phone,note', '+12025550101,"Say ""hello""\nor ""call +12025550102"", and wait"'],
    ['phone,name,note', '+12025550101,Ann,"Ring twice,\nthen +12025550102, and\n\nwait"'],
    ['phone,note', '+12025550101,"Ring twice\n+12025550102 is my wife"'],
    ['phone,address', '+12025550101,"Main St 5, Berlin\nGermany, Europe"'],
    ['name,address', 'Ann,"Main St 5\nBerlin, Tel. +49 151 23456781"'],
    ['name,address,phone', 'Taro,"Shibuya 1-2-3\n150-0001 Tokyo, Japan",n/a'],
  ])('with the columns %s may have several lines in a cell: %j', (columns, row) => {
    expect(rowsOf(`${columns}\n${row}\n${row}`)).toHaveLength(2);
  });

  it.each([
    ['an Excel workbook', Buffer.from('PK\x03\x04\x14\x00\x06\xff\xe4', 'latin1')],
    ['an Excel workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0])],
    ['an HTML page', Buffer.from('\ufeff \n<!DOCTYPE html><title>Sign in</title>')],
    ['an HTML page', Buffer.from('<!-- 7 --><html><table>')],
    ['an HTML page', Buffer.from('<?xml version="1.0"?><Workbook>')],
    ['It is JSON', Buffer.from('[\n{"phone_number":"+12025550101"}]')],
    ['It is JSON', Buffer.from('{ "contacts": [] }')],
    ['NUL', Buffer.from('phone_number,name\n+12025550101,Ann', 'utf16le')],
    ['NUL', Buffer.from('phone_number,näme\n+12025550101,Änn', 'utf16le').swap16()],
    ['an encoding other than', Buffer.from('phone,name\n+12025550101,M\x81ller', 'latin1')],
    ['an encoding other than', Buffer.from('phone,name\n+12025550101,Mich\x8fle', 'latin1')],
    ['an encoding other than', Buffer.from('phone,name\n+12025550101,\xc8\xe2\xe0\xed', 'latin1')],
    ['an encoding other than', Buffer.from('phone,name\n+12025550101,Micha\xb3owski', 'latin1')],
    ['an encoding other than', Buffer.from('phone,name\n+12025550101,\u001b$B;3ED\u001b(B')],
    ['an encoding other than', Buffer.from('phone,name\n+12025550101,\u000e;3ED\u000f')],
    ['an encoding other than', Buffer.from('phone,name\n+12025550101,JosÃ\u0089')],
    ...[
      ['Shift JIS', '\x93\x63\x92\x86'],
      ['GBK', '\xcd\xf5\xce\xb0'],
      ['Windows-874', '\xca\xc1\xaa\xd2\xc2'],
      ['Windows-1250', 'Pawe\xb3'],
      ['Mac OS', 'Jos\x8e'],
      ['Mac OS', 'M\x9fller'],
      ['Mac OS', 'Gro\xa7e'],
    ].map(([, name = '']): [string, Buffer] => [
      'an encoding other than',
      Buffer.from(`phone,name\n+12025550101,${name}`, 'latin1'),
    ]),
  ])('says what a file is instead: %s (%#)', async (kind, bytes) => {
    const objection: unknown = expect.stringContaining(kind);
    expect(readWholeCsv(await decodeCsvFile(bytes))).toEqual({ objection });
  });

  it.each([
    'Schöööööön',
    'José Þýðir',
    'créée',
    '50 m³',
    ...['50 m² und 3 cm³', 'Müller®', 'Mª José', 'MªCarmen', 'N° 5 n°12 Nº3', '20°C', 'O´Brien'],
    ...['col·lecció', 'Abs.§3', '½ Liter', '«Été»', 'ÆØÅ'],
    'São João',
    'Ærøskøbing',
    '¿Qué?',
    'Иван',
    'Ann\vLee',
  ])('may hold the word %s', async (name) => {
    const text = `phone,name\n+12025550101,${name}`;
    const isWestern = name !== 'Иван';
    for (const bytes of [Buffer.from(text), ...(isWestern ? [Buffer.from(text, 'latin1')] : [])]) {
      expect(rowsOf(await decodeCsvFile(bytes))).toMatchObject([{ name }]);
    }
  });

  it.each(['Zoë™', 'René†', 'Škoda', 'ŽELJKO', 'DŽemal', 'Œuvre d’Œil', '“Ann”', 'Bob’s – 5 €'])(
    'may hold %s, in signs that Windows-1252 has and Latin 1 lacks',
    (name) => expect(otherFormatOf(`phone,name\n+12025550101,${name}`, true)).toBeUndefined(),
  );

  it.each([
    ['name\u200e', 'phone'],
    ['\u200fname', '\ufeffphone\u200b'],
  ])('has columns whose names hold no invisible marks: %j, %j', (name, phone) => {
    const reading = readWholeCsv(`${phone};${name}\n+12025550101;Ann\n`);
    expect(reading).toMatchObject({ columns: ['phone', 'name'] });
    expect(reading).toMatchObject({ rows: [{ phone: '+12025550101', name: 'Ann' }] });
  });

  it('has no two columns whose names look alike', () => {
    expect(readWholeCsv('phone;size;size\u200e\n1;2;3')).toEqual({
      objection: expect.stringContaining('two columns named "size"'),
    });
  });

  it.each(['Gracias¿cuándo llega?', '3 m³pro Tag', 'Größe ÄÖÜß'])(
    'in UTF-8 may hold %s',
    async (note) => {
      const text = `phone,note\n+12025550101,${note}`;
      expect(rowsOf(await decodeCsvFile(Buffer.from(text)))).toMatchObject([{ note }]);
    },
  );

  it('may have names of columns that only look like another format', () => {
    expect(rowsOf('[phone],{name},<size>\n+1,Ann,7')).toHaveLength(1);
    expect(rowsOf('<phone>,sep=;\n+1,Ann')).toHaveLength(1);
  });

  it('counts the line that names the delimiter', () => {
    expect(readWholeCsv('sep=;\na;b\n1')).toEqual({
      objection: expect.stringContaining('at line 3'),
    });
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

  it('is read the same in slices of any length', () => {
    const parts = [
      'a',
      '1',
      ',',
      ';',
      '"',
      '"x\ny"',
      '\n',
      '\r\n',
      '\r',
      '\t',
      '\ufeff',
      ' ',
    ].concat('1234567', '"1234567\n1234567"');
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 40 });
    const withoutLine = (reading: ReturnType<typeof readWholeCsv>) =>
      'objection' in reading ? reading.objection.replace(/line \d+/, '') : reading;
    fc.assert(
      fc.property(text, fc.nat({ max: 12 }), (found, sliceLength) => {
        const whole = readWholeCsv(found.join(''));
        const sliced = readWholeCsv(found.join(''), sliceLength);
        expect('objection' in whole || Array.isArray(whole.rows)).toBe(true);
        expect(withoutLine(sliced)).toEqual(withoutLine(whole));
      }),
      { numRuns: runs(1_000, 10_000) },
    );
  });

  it('tells the line of a mistake, in slices of any length, with line breaks of any kind', () => {
    const cells = ['"x\ny",2', '"x\r\ny",2', '"x\ry",2', '"x\r\n\r\ny",2'];
    const good = fc.array(fc.constantFrom('1,2', '"a",b', ...cells, '', ' 1 , 2 '));
    const lineBreak = fc.constantFrom('\n', '\r\n', '\r');
    const bad = fc.constantFrom('1,2,3', '1', '1,"2" 3', '1,2"');
    const sliceLength = fc.nat({ max: 40 });
    fc.assert(
      fc.property(good, good, lineBreak, bad, sliceLength, (before, after, end, row, length) => {
        const start = `a,b${end}${before.map((one) => one + end).join('')}`;
        const line = start.split(/\r\n|\r|\n/).length;
        expect(readWholeCsv(`${start}${row}${end}${after.join(end)}`, length)).toEqual({
          objection: expect.stringContaining(`at line ${line}: `),
        });
      }),
      { numRuns: runs(250, 2_000) },
    );
  });

  it('tells the line of a mistake in its header', () => {
    expect(readWholeCsv('\r\n"a\r\nb","c" d\r\n1,2')).toEqual({
      objection: expect.stringContaining('at line 3: '),
    });
  });

  it.each(['a,b\n1,"2', 'a,"b'])(
    'is not searched to its end for a quote that closes: %p',
    (start) => {
      const text = start + '\n1,2'.repeat(400_000);
      expect(readWholeCsv(text)).toEqual({ objection: expect.stringContaining('Max Record Size') });
    },
  );

  it.each([
    ['UTF-8', Buffer.from('näme')],
    ['UTF-16 little endian', Buffer.from('\ufeffnäme', 'utf16le')],
    ['UTF-16 big endian', Buffer.from('\ufeffnäme', 'utf16le').swap16()],
    ['Windows-1252', Buffer.from('näme', 'latin1')],
  ])('is decoded from %s', async (encoding, bytes) => {
    const { text, isGuessed } = await decodeCsvFile(bytes);
    expect(text.replace('\ufeff', '')).toBe('näme');
    expect(isGuessed).toBe(encoding === 'Windows-1252');
  });

  it.each(['utf8', 'utf16le', 'latin1'] as const)(
    'of several megabytes is decoded from %s',
    async (encoding) => {
      const text = `x${'näme,'.repeat(600_000)}`;
      const mark = encoding === 'utf16le' ? '\ufeff' : '';
      const decoded = await decodeCsvFile(Buffer.from(mark + text, encoding));
      expect(decoded.text.replace('\ufeff', '') === text).toBe(true);
    },
  );
});

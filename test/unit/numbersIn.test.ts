import { getCountries } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/max/metadata';
import { mayName, namedIn, numbersIn } from '../../nodes/OutboundAiCalling/contacts/numbersIn';
import { spelledLike } from '../../nodes/OutboundAiCalling/contacts/writings';
import { fc, runs, seed } from '../generators';

describe('the numbers that a cell may name', () => {
  it.each([
    ['9876543210/11', 'IN', ['+919876543210', '+919876543211']],
    ['9876543210-11', 'IN', ['+919876543210', '+919876543211']],
    ['9876543210/11', undefined, ['+919876543210', '+919876543211']],
    ['020 7946 0958/9', 'GB', ['+442079460958', '+442079460959']],
    ['020 7946 0958/9', undefined, ['+442079460958', '+442079460959']],
    ['030 123456-78/79', 'DE', ['+493012345678', '+493012345679']],
    ['202-555-0123 or 0124', 'US', ['+12025550123', '+12025550124']],
    ['202-555-0123 / 555-0124', 'US', ['+12025550123', '+12025550124']],
    ['2025550123.5', 'US', ['+12025550123']],
    ['987654321O', 'IN', ['+919876543210']],
    ['44 (0)20 7946 0958', undefined, ['+442079460958']],
    ['4407911123456', undefined, ['+447911123456']],
    ['5215512345678', undefined, ['+525512345678']],
    ['54 11 15 2345 6789', undefined, ['+5491123456789']],
    ['011 15-2345-6789', undefined, ['+5491123456789']],
    ['0351 15 234-5678', undefined, ['+5493512345678']],
    ['11 2345 6789', 'AR', ['+5491123456789', '+541123456789']],
    ['+54 11 2345-6789', undefined, ['+5491123456789']],
    ['+54 9 11 2345-6789', undefined, ['+541123456789']],
    ['011 15-2345-6789', undefined, ['+541123456789']],
    ['11 2345-6789', undefined, ['+5491123456789']],
    ['8 029 491-19-11', undefined, ['+375294911911']],
    ['8 612 34567', undefined, ['+37061234567']],
    ['011 1 202 555 0123', undefined, ['+12025550123']],
    ['98765 43210 98765 43211', 'IN', ['+919876543210', '+919876543211']],
    ['98765 43210 98765 43211', undefined, ['+919876543210', '+919876543211']],
    ['06 12 34 56 78 01 23 45 67 89', 'FR', ['+33612345678', '+33123456789']],
    ['06 12 34 56 78 01 23 45 67 89', undefined, ['+33612345678', '+33123456789']],
    ['3. 0151 12345678', 'DE', ['+493015112345678', '+4915112345678']],
    ['27. 612703536', 'ES', ['+27612703536', '+34612703536']],
    ['20. 34485189', 'DK', ['+4534485189']],
    ['12. 43 664 610679', 'AT', ['+43664610679']],
    ['3. 4915152596589', 'DE', ['+4915152596589']],
    ['1. 6912345678', 'DE', ['+306912345678']],
    ['(201) 555-1979 + (201) 555-1737', 'US', ['+12015551979', '+12015551737']],
    ['131 3348 3496 + 131 9235 4156', undefined, ['+8613133483496', '+8613192354156']],
    ['+49 30 123456 + 49 30 654321', undefined, ['+4930123456', '+4930654321']],
    ['45 34 49 48 63 / 45 34 46 70 38', undefined, ['+4534494863', '+4534467038']],
    ['2026-01-02 0151 12345678', 'DE', ['+4915112345678']],
    ['+4407911123456', undefined, ['+447911123456']],
    ['wa.me/919876543210', undefined, ['+919876543210']],
    ['919876543210@c.us', undefined, ['+919876543210']],
    ['98765_43210', 'IN', ['+919876543210']],
    ['+12025550123 ext. 7', undefined, ['+12025550123']],
    ['+39 333 1234567 - 2', undefined, ['+393331234567']],
    ['+393331234567 10:30', undefined, ['+393331234567']],
    ['+43 664 123456 - 2', 'US', ['+43664123456']],
    ['+66812345678, ๐๘๙๙๙๙๙๙๙๙', 'TH', ['+66812345678', '+66899999999']],
    ['+919876543210 / ૯૮૭૬૫૪૩૨૧૧', undefined, ['+919876543210', '+919876543211']],
    ['＋９５ ၉၇၈၁၂၃၄၅၆၇', undefined, ['+959781234567']],
    ['333 1234567 2', 'IT', ['+393331234567']],
    [
      ...['98765 43210 98765 43211 98765 43212', undefined],
      ['+919876543210', '+919876543211', '+919876543212'],
    ],
    ['06 12 34 56 78', 'FR', ['+33612345678', '+49612345678']],
    ['0612345678', 'DE', ['+33612345678', '+49612345678']],
  ] as const)('%p (%p) spares %p', (cell, country, people) => {
    for (const e164 of people) expect(mayName(cell, e164, country)).toBe(true);
    expect(numbersIn(cell, country).isRead).toBe(true);
  });

  it.each([
    ['3123-4567', '+551131234567'],
    ['2345 6789', '+912223456789'],
    ['8523 5678', '+861085235678'],
    // A second prefix of the country, in one piece.
    ['80671234567', '+380671234567'],
    // A whole number of a small country, with more behind it.
    ['5812345 2026-11-22', '+3545812345'],
    ['5812345 (2 times)', '+3545812345'],
    ['92151382OO', '+79215138200'],
  ])('%p, which may lack its beginning, spares %p', (cell, e164) => {
    expect(mayName(cell, e164)).toBe(true);
    expect(mayName(cell, e164.replace(/.$/, '1'))).toBe(false);
  });

  it.each([
    ['97123456', '+2290197123456'],
    ['229 97 12 34 56', '+2290197123456'],
    ['11 8765 4321', '+5511987654321'],
    ['55 11 8765-4321', '+5511987654321'],
    ['(1) 2345678', '+576012345678'],
  ])('%p, from before a renumbering, spares %p', (cell, e164) => {
    expect(mayName(cell, e164)).toBe(true);
    expect(numbersIn(cell).isRead).toBe(true);
  });

  it.each([
    ['+22997123456', '+2290197123456'],
    ['+55 11 8765-4321', '+5511987654321'],
    ['+551187654321; +551187654322', '+5511987654321'],
    ['+5712345678', '+576012345678'],
  ])(
    '%p, from before a renumbering, spares %p also with a plus, and a hint tells of it',
    (cell, e164) => {
      expect(mayName(cell, e164)).toBe(true);
      expect(mayName(cell, e164, 'IN')).toBe(true);
      expect(numbersIn(cell).isRead).toBe(false);
    },
  );

  it('a part of a number with a plus spares nobody', () => {
    expect(mayName('+52 1 55 1234 5678', '+49521551234')).toBe(false);
  });

  it.each([
    ['1131234567', '+5511931234567'],
    ['234567', '+912223234567'],
    ['0012 3456', '+912200123456'],
  ])('%p, a landline or fewer than eight digits, does not spare %p', (cell, e164) => {
    expect(mayName(cell, e164)).toBe(false);
  });

  it.each([
    ['+1 202-555-0100 to 0199', undefined, '+12025550100', '+12025550199'],
    ['+1 202-555-0100 to 555-0199', undefined, '+12025550100', '+12025550199'],
    ['202-555-0100 to 0199', 'US', '+12025550100', '+12025550199'],
    ['202-555-0199 to 0100', 'US', '+12025550100', '+12025550199'],
    ['+49 30 1234500 bis 99', undefined, '+49301234500', '+49301234599'],
    ['030 1234500 bis 99', 'DE', '+49301234500', '+49301234599'],
    ['+49 (0)30 1234500 bis 1234599', undefined, '+49301234500', '+49301234599'],
    ['+33 1 23 45 67 08 à 12', undefined, '+33123456708', '+33123456712'],
    ['+12025550100 - +12025550199', undefined, '+12025550100', '+12025550199'],
    ['from 2025550100 to 2025550199', undefined, '+12025550100', '+12025550199'],
    ['+12025550000 to 9999', undefined, '+12025550000', '+12025559999'],
    ['202-555-0100 - 0199', undefined, '+12025550100', '+12025550199'],
    ['202-555-0100-0199', 'US', '+12025550100', '+12025550199'],
    ['202-555-0100–0199', undefined, '+12025550100', '+12025550199'],
    ['202-555-0199 - 0100', 'US', '+12025550100', '+12025550199'],
    ['202-555-0100 - 555-0199', undefined, '+12025550100', '+12025550199'],
    ['2025550123-45', 'US', '+12025550123', '+12025550145'],
    ['+1 202-555-0100 – 99', undefined, '+12025550100', '+12025550199'],
    ['+1 202-555-0100 – 99', 'DE', '+12025550100', '+12025550199'],
    ['+1202555010[1-5]', undefined, '+12025550101', '+12025550105'],
    ['202-555-0100 ~ 0199', 'US', '+12025550100', '+12025550199'],
    ['202-555-0100〜0199', undefined, '+12025550100', '+12025550199'],
    ['202-555-0100..0199', 'US', '+12025550100', '+12025550199'],
    ['202-555-0100…0199', undefined, '+12025550100', '+12025550199'],
    ['202-555-0100 -> 0199', undefined, '+12025550100', '+12025550199'],
    ['202-555-0100 → 0199', undefined, '+12025550100', '+12025550199'],
    ['202-555-0100 ~ 202-555-0199', 'US', '+12025550100', '+12025550199'],
    ['202-555-0100 .. 202-555-0199', undefined, '+12025550100', '+12025550199'],
    ['+12025550100 -> +12025550199', undefined, '+12025550100', '+12025550199'],
    ['+12025550100 → +12025550199', 'IN', '+12025550100', '+12025550199'],
    ['9876543200-99', 'IN', '+919876543200', '+919876543299'],
    ['98765 43200 - 43299', 'IN', '+919876543200', '+919876543299'],
    ['2345 6723-57', 'HK', '+85223456723', '+85223456757'],
    // These might be extensions, too.
    ['+49 30 1234500-99', undefined, '+49301234500', '+49301234599'],
    ['+49 30 12345-00 - 99', 'DE', '+49301234500', '+49301234599'],
    ['+49 30 1234511-15', undefined, '+49301234511', '+49301234515'],
    ['030 1234500-99', 'DE', '+49301234500', '+49301234599'],
  ] as const)('%p (%p) spares everybody from %p to %p', (cell, country, first, last) => {
    const [from, to] = [Number(first), Number(last)];
    const within = [from, from + 1, Math.floor((from + to) / 2), to - 1, to];
    const spares = (number: number) => mayName(cell, `+${number}`, country);
    expect(within.filter((number) => !spares(number))).toEqual([]);
    expect([from - 1].filter(spares)).toEqual([]);
    expect(numbersIn(cell, country).isRead).toBe(true);
  });

  it(`spares a range and nobody else (seed ${seed})`, () => {
    const number = fc.integer({ min: 0, max: 9_999 });
    fc.assert(
      fc.property(number, number, number, (one, other, asked) => {
        const numberOf = (last: number) => `+1202555${String(last).padStart(4, '0')}`;
        const isWithin = asked >= Math.min(one, other) && asked <= Math.max(one, other);
        const cell = `${numberOf(one)} to ${numberOf(other)}`;
        expect(mayName(cell, numberOf(asked))).toBe(isWithin);
      }),
      { numRuns: runs(300, 5_000) },
    );
  });

  it.each(['- 2026', '- 2026-01-15', '– 4711', '-4711'])(
    'a year, a date or an extension behind a hyphen, as in "+12025550100 %s", makes no range',
    (behind) => {
      expect(mayName(`+12025550100 ${behind}`, '+12025550100')).toBe(true);
      const others = ['+12025550777', '+12025551500', '+12025551900', '+12025553333'];
      expect(others.filter((one) => mayName(`+12025550100 ${behind}`, one))).toEqual([]);
    },
  );

  it.each([
    ...['+12025550100 to 65000', '+12025550100 to +12035550100', '+12025550100/20 to 29'],
    ...['+12025550100 ~ +12035550100', '+12025550100..65000'],
  ])('%p, a long range or one without a beginning, is not all read', (cell) => {
    expect(mayName(cell, '+12025550100')).toBe(true);
    expect(mayName(cell, '+12025550150')).toBe(false);
    expect(numbersIn(cell).isRead).toBe(false);
  });

  it.each([919_877_000_000, '9.19877E+11', '919877000000'])(
    '%p, which may have lost its last digits, is not all read',
    (cell) => {
      expect(numbersIn(cell).isRead).toBe(false);
      expect(numbersIn(cell, 'IN').isRead).toBe(false);
    },
  );

  it('of a range are found beside one that is not read', () => {
    const cell = '+12025550100 to 0109; +12025550200 to 65000';
    expect(mayName(cell, '+12025550105')).toBe(true);
    expect(numbersIn(cell).isRead).toBe(false);
  });

  it.each([
    ['+49 30 123456-78', '+4930123460'],
    ['+49 30 12345-67', '+493012350'],
    ['+43 1 58858-0', '+43158852'],
    ['8-912-345-67-89', '+33891234578'],
    ['62-812-3456-7890', '+33628125000'],
    ['0532-123-45-67', '+4553212350'],
    ['98765 43210 - 91234 56789', '+919555555555'],
    ['030 / 123456 - 78', '+4930123460'],
    ['9876543210/15', '+919876543212'],
    ['9876543210 or 15', '+919876543212'],
  ])('%p is no range, and does not spare %p', (cell, e164) => {
    expect(mayName(cell, e164)).toBe(false);
  });

  it.each([
    ['3. 0151 12345678', ['+4915112345678', '+493015112345678']],
    ['1. 098765 43210', ['+919876543210']],
    ['7. (202) 555-1001', ['+12025551001']],
    ['5. 06 12 34 56 78', ['+33612345678']],
    ['3. 030 12345', ['+493012345']],
    ['7. 581 2345', ['+3545812345']],
    ['44. 7911 123456', ['+917911123456', '+447911123456']],
    ['Order 17 0803 123 4567', ['+2348031234567']],
    ['Order 17 20 12 34 56', ['+4520123456']],
    ['No. 3 0803 123 4567', ['+2348031234567']],
    ['Herr Maier 3 0803 123 4567', ['+2348031234567']],
    ['Order 17 9876543210/11', ['+919876543210', '+919876543211']],
    ['1.2.26 0803 123 4567', ['+2348031234567']],
    ['2026-01-02 030 12345', ['+493012345']],
    ['3. 0803 123 4567 (2)', ['+2348031234567']],
  ])('%p spares %p, whatever stands before the number', (cell, people) => {
    expect(people.filter((e164) => !mayName(cell, e164))).toEqual([]);
    expect(numbersIn(cell).isRead).toBe(true);
  });

  it.each([
    ['2,025,551,001', undefined],
    ['12,025,551,001', undefined],
    ['2,025,551,001.00', 'US'],
    ['+1,20,25,55,10,01', 'IN'],
  ] as const)('%p (%p), an amount for a spreadsheet, spares its person', (cell, country) => {
    expect(mayName(cell, '+12025551001', country)).toBe(true);
    expect(numbersIn(cell, country).isRead).toBe(true);
  });

  it.each([
    ['0011 44 7911 123456', 'DE', '+447911123456'],
    ['044 55 6480 5852', 'MX', '+525564805852'],
    ['01 55 9589 0251', 'MX', '+525595890251'],
    ['011-9899389231', 'IN', '+919899389231'],
    ['01 347 3850449', 'IT', '+393473850449'],
    ['+39 333 1234567 2x', undefined, '+393331234567'],
    ['+62 812 345 678 2x', undefined, '+62812345678'],
    ['+49 30 12345*', undefined, '+493012345'],
    ['+49 30 12345-xx', undefined, '+493012345'],
    ['030 12345XX', 'DE', '+493012345'],
    ['+49 30 12345??', undefined, '+493012345'],
    ['+49 30 12345…', undefined, '+493012345'],
    ['+49 30 12345 +', undefined, '+493012345'],
    ['+49 30 12345-##', undefined, '+493012345'],
    ['+49 176 1234567●', undefined, '+491761234567'],
    ['+49 30 12345 ●●', undefined, '+493012345'],
    ['030 12345●● (home)', 'DE', '+493012345'],
    ['+49 30 12345●●, +49 30 123456', undefined, '+493012345'],
    ['+49 30 12345٭٭', undefined, '+493012345'],
    ['+49 30 12345••', undefined, '+493012345'],
    ['0176 1234567_', 'DE', '+491761234567'],
    ['+49 176 1234567 __', undefined, '+491761234567'],
    ['+49 176 __ 1234567', undefined, '+491761234567'],
    ['98765__43210', 'IN', '+919876543210'],
    ['+49 30 12345--', undefined, '+493012345'],
    ['+49 30 12345 . . .', undefined, '+493012345'],
    ['+12025550101 ②③④', undefined, '+12025550101'],
    ['+49 30 123456²', undefined, '+4930123456'],
    // Digits that only a few programs can show.
    ['+12025550101, +𞥑𞥒𞥐𞥒𞥕𞥕𞥕𞥐𞥑𞥐𞥒', undefined, '+12025550101'],
  ] as const)('%p (%p) spares %p, and does not count as read', (cell, country, e164) => {
    expect(mayName(cell, e164, country)).toBe(true);
    expect(numbersIn(cell, country).isRead).toBe(false);
  });

  it.each([
    ...['🚫 +4930123456', '+4930123456 🚫', '+4930123456 ✗', '† +4930123456 †', '~~+4930123456~~'],
    ...['<!-- +4930123456 -->', '+49 30--123456', '+4930123456;', '+4930123456 -', '“+4930123456”'],
    ...[
      '+4930123456 -- no calls',
      '+4930123456!',
      '+4930123456=',
      '4930123456@c.us',
      '+4930123456 ☎',
    ],
  ])('%p spares its person and is read, whatever stands beside it', (cell) => {
    expect(mayName(cell, '+4930123456')).toBe(true);
    expect(numbersIn(cell).isRead).toBe(true);
  });

  it.each([
    ['987654321', 'IN'],
    ['(646) 555-0123 5', 'US'],
    ['+12025550123 for 77', undefined],
    ['call +1 202 555 0123 after 5', undefined],
    ['9.19876E+11', undefined],
    ['555-0123', undefined],
    ['nobody', undefined],
    ['1 2 3 4 5 6 7 8 9 0 / '.repeat(2_000), undefined],
    [`+12025550123${' '.repeat(5_000)}+12025550124`, undefined],
    ...['x', '#', '.', '-', '+', '~', '→'].map(
      (sign) => [`1234567 ${sign.repeat(4_900)}5`, 'US'] as const,
    ),
  ] as const)('%p (%p) are not all read', (cell, country) => {
    expect(numbersIn(cell, country).isRead).toBe(false);
  });

  it(`are found with any default country where they are found without one (seed ${seed})`, () => {
    const digits = (longest: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: longest });
    const begin = fc.constantFrom('', '+', '0', '00', '011', '0011', '810', '8 0', '44 ', '(');
    const sign = fc.constantFrom('', ' ', '-', '/', '.', ', ', ' or ', ') ', ' (0) ', ' ext ');
    const groups = fc.array(fc.tuple(digits(6), sign), { minLength: 1, maxLength: 8 });
    const cell = fc
      .tuple(begin, fc.oneof(groups, digits(14)))
      .map((parts) => parts.flat(2).join(''));
    fc.assert(
      fc.property(cell, fc.constantFrom(...getCountries(metadata)), (text, country) => {
        const [without, found] = [numbersIn(text), numbersIn(text, country)];
        // What is written as usual in the country is not taken apart: only the whole may mean others.
        if (found.isRead && found.digits.length < 2 && /\d\D+\d/.test(text)) return;
        expect(found.people).toEqual(expect.arrayContaining(without.people));
        expect(found.digits).toEqual(expect.arrayContaining(without.digits));
      }),
      { numRuns: runs(1_000, 10_000) },
    );
  });

  it('of one number with a plus have no digits of other countries', () => {
    expect(numbersIn('+33 6 12 34 56 78', 'DE')).toEqual({
      people: ['+33612345678'],
      digits: [],
      isRead: true,
    });
  });

  it('are those of a cell with very many endings at its beginning, and not all are read', () => {
    const { people, isRead } = numbersIn(`+49 151 12345678${'/79'.repeat(1_000)}`);
    expect(people).toEqual(expect.arrayContaining(['+4915112345678', '+4915112345679']));
    expect(isRead).toBe(false);
  });

  it('are found before what cannot be read', () => {
    expect(namedIn(`+12025550123${' '.repeat(5_000)}!`)).toContain('+12025550123');
    expect(mayName('(646) 555-0123 5', '+16465550123', 'US')).toBe(true);
  });

  it('spare nobody with the extension of another', () => {
    expect(namedIn('+12025550123 ext. 7')).toEqual(['+12025550123']);
  });

  it('name a person once, so that a row counts as one call', () => {
    expect(namedIn('919876543210')).toEqual(['919876543210']);
    expect(namedIn('44 7911 123456')).toEqual(['447911123456']);
    expect(namedIn('+5491123456789')).toEqual(['+541123456789']);
  });

  it('are looked for in the digits of every script', () => {
    const { usual, rare } = spelledLike('+12025550123');
    expect(usual).toEqual(['%0%1%2%3%', '%2%5%5%5%']);
    const others = ['%\uff10%\uff11%\uff12%\uff13%', '%٠%١%٢%٣%'];
    expect(rare).toEqual(expect.arrayContaining([...others, '%๐%๑%๒%๓%', '%၀%၁%၂%၃%']));
    expect(
      mayName(
        '+\uff11\uff12\uff10\uff12\uff15\uff15\uff15\uff10\uff11\uff12\uff13',
        '+12025550123',
      ),
    ).toBe(true);
  });
});

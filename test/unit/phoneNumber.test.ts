import {
  isCountry,
  readPhoneNumber,
  type DefaultCountry,
} from '../../nodes/OutboundAiCalling/contacts/phoneNumber';
import { fc, runs } from '../generators';

describe('a phone number', () => {
  it.each([
    ['+12025550123', undefined, '+12025550123'],
    ['+1 (202) 555-0123', undefined, '+12025550123'],
    ['0012025550123', undefined, '+12025550123'],
    ['00 1 202 555 0123', undefined, '+12025550123'],
    ["'+12025550123", undefined, '+12025550123'],
    ['tel:+1-202-555-0123', undefined, '+12025550123'],
    ['＋１２０２５５５０１２３', undefined, '+12025550123'],
    ['\u200e+1 202 555 0123\u202c', undefined, '+12025550123'],
    ['098765 43210', 'IN', '+919876543210'],
    ['919876543210', 'IN', '+919876543210'],
    [9876543210, 'IN', '+919876543210'],
    ['٠٩٨٧٦٥٤٣٢١٠', 'IN', '+919876543210'],
    ['07400 123456', 'GB', '+447400123456'],
    ['9876543210.0', 'IN', '+919876543210'],
    ['030/123456', 'DE', '+4930123456'],
    ['06221 / 123 456', 'DE', '+496221123456'],
    ['033603/12345', 'DE', '+493360312345'],
    ['0043/1/5550100', undefined, '+4315550100'],
    ['+49 30/123456-789', undefined, '+4930123456789'],
    ['+49 30 123456-0', undefined, '+49301234560'],
    ['+49 170 12 34 56 7', undefined, '+491701234567'],
    ['+43 664 12 34 56 7', undefined, '+436641234567'],
    ['+49 4931 123456', undefined, '+494931123456'],
    ['+27 27 834 0004', undefined, '+27278340004'],
    ['+49 (0)30 123456', undefined, '+4930123456'],
    // Spain has no zero before its numbers.
    ['+34 (0) 612 345 678', undefined, '+34612345678'],
    ['0475/12 34 56', 'BE', '+32475123456'],
    ['011 44 20 7946 0958', 'US', '+442079460958'],
    ['+1 246 250 1234', undefined, '+12462501234'],
    ['+1 416 555 0123', undefined, '+14165550123'],
    ['+1 800 555 1234', undefined, '+18005551234'],
  ] as const)('%p (%p) is %p', (value, country, e164) => {
    expect(readPhoneNumber(value, country)).toEqual({ e164 });
  });

  it.each([
    ['', 'is missing'],
    [null, 'is missing'],
    ['9876543210', 'has no country code'],
    ['+1', 'is too short'],
    ['+12', 'is too short'],
    ['+120', 'does not have the length'],
    ['+1202', 'does not have the length'],
    ['+1202555012345678', 'does not have the length'],
    ['9.19876543210E+11', 'was shortened by a spreadsheet'],
    ['9,19876543210E+11', 'was shortened by a spreadsheet'],
    [`+${'1'.repeat(30)}`, 'is too long'],
    [`+12025550123${' '.repeat(100)}`, 'is too long'],
    ['call me', 'is not a phone number'],
    ['+12025550123 ext. 7', 'has an extension'],
    ['+12025550123;ext=7', 'has an extension'],
    ['+4930123456, 789', 'has an extension'],
    ['+12025550123x7', 'has an extension'],
    ['+12025550123, Ann', 'is not a phone number'],
    ['O151 12345678', 'has the letter "O" next to a digit'],
    ['+49 151 O1234567', 'has the letter "O" next to a digit'],
    ['+49 151 1234567O', 'has the letter "O" next to a digit'],
    ['+49 l51 12345678', 'has the letter "l" next to a digit'],
    ['9,876,543,210', 'has commas between its digits'],
    ['9,876,543,210.00', 'has commas between its digits'],
    ['+9,87,65,43,210', 'has commas between its digits'],
    [{ phone: 1 }, 'is not a phone number'],
  ])('%p %s', (value, objection) => {
    expect(readPhoneNumber(value)).toEqual({ objection: expect.stringContaining(objection) });
  });

  it.each<[unknown, DefaultCountry]>([
    ['919877000000', 'IN'],
    [919_877_000_000, 'IN'],
    ["'919877000000.0", 'IN'],
    ['9877000000', 'IN'],
    ['4915112000000', undefined],
  ])('%p (%p) may have lost its last digits in a spreadsheet', (value, country) => {
    const objection = expect.stringContaining('ends with six zeros');
    expect(readPhoneNumber(value, country)).toEqual({ objection });
  });

  it.each<[string, DefaultCountry, string]>([
    ['+919877000000', undefined, '+919877000000'],
    ['98770 00000', 'IN', '+919877000000'],
    ['09877000000', 'IN', '+919877000000'],
    ['9876100000', 'IN', '+919876100000'],
    ['22000000', 'NO', '+4722000000'],
  ])('%p (%p) is a whole number with its zeros', (value, country, e164) => {
    expect(readPhoneNumber(value, country)).toEqual({ e164 });
  });

  it.each([
    '+4930123456/789',
    '+49301234/35',
    '+4930123456 / 789 / 790',
    '+4930123456~789',
    '+4930123456 (789)',
    '+12025550123 [4567]',
    '+12025550123,+12025550199',
    '+12025550123 / +12025550199',
    '+12025550123;2025550199',
    '+12025550123 | 2025550199',
    '+12025550123\n+12025550199',
    '+12025550123 or 2025550199',
    '+4930123456 oder 0301234567',
    '+12025550123 +12025550199',
    '9876543210 & 9876543211',
  ])('%p is not made one number of two', (value) => {
    for (const country of [undefined, 'DE', 'IN', 'US'] as const) {
      expect(readPhoneNumber(value, country)).toEqual({
        objection: expect.stringContaining('two numbers'),
      });
    }
  });

  it.each([
    ['447911123456', 'DE', '+447911123456 (GG)', '+49447911123456 (DE)'],
    ['919876543210', 'DE', '+919876543210 (IN)', '+49919876543210 (DE)'],
    ['3235550123', 'US', '+13235550123 (US)', '+3235550123 (BE)'],
    ['323-555-0123', 'CO', '+573235550123 (CO)', '+3235550123 (BE)'],
    ['220-301-2345', 'US', '+12203012345 (US)', '+2203012345 (GM)'],
    ['+39 (0)345 1234567', undefined, '+393451234567 (IT)', '+3903451234567 (IT)'],
    ['009 1 20 2555 0123', 'CO', '+12025550123 (US)', '+912025550123 (IN)'],
    ['3. 0151 12345678', 'DE', '+493015112345678 (DE)', '+4915112345678 (DE)'],
    ['27. 612703536', 'ES', '+27612703536 (ZA)', '+34612703536 (ES)'],
    ['49. (268) 773-9606', 'AG', '+492687739606 (DE)', '+12687739606 (AG)'],
    ['31) 50 157 0138', 'AE', '+31501570138 (NL)', '+971501570138 (AE)'],
    ['12. 664 890279', 'AT', '+4312664890279 (AT)', '+43664890279 (AT)'],
    ['049 151 12345678', 'DE', '+494915112345678 (DE)', '+4915112345678 (DE)'],
    ['062812107838', 'ID', '+6262812107838 (ID)', '+62812107838 (ID)'],
    ['(2) 0151 12345678', 'DE', '+492015112345678 (DE)', '+4915112345678 (DE)'],
    ['089 0171 1234567', 'DE', '+498901711234567 (DE)', '+491711234567 (DE)'],
    ['5 0664 1234567', 'AT', '+43506641234567 (AT)', '+436641234567 (AT)'],
    ['4711 0664 1234567', 'AT', '+436641234567 (AT)', 'mistyped'],
    ['0091 805 555 1234', undefined, '+918055551234 (IN)', '+18055551234 (US)'],
    ['+494915112345678', undefined, '+494915112345678 (DE)', '+4915112345678 (DE)'],
    ['+4949 170 1234567', 'US', '+49491701234567 (DE)', '+491701234567 (DE)'],
    ['+38338343201234', undefined, '+38338343201234 (XK)', '+38343201234 (XK)'],
    ['0049491701234567', undefined, '+49491701234567 (DE)', '+491701234567 (DE)'],
    ['494915112345678', 'DE', '+494915112345678 (DE)', '+4915112345678 (DE)'],
    ['+49 170 1234567 2', undefined, '+4917012345672 (DE)', '+491701234567 (DE)'],
    ['0170 1234567 2', 'DE', '+4917012345672 (DE)', '+491701234567 (DE)'],
    ['0170 1234567 2.', 'DE', '+4917012345672 (DE)', '+491701234567 (DE)'],
    ['0170 1234567 2)', 'DE', '+4917012345672 (DE)', '+491701234567 (DE)'],
    ['+49 170 1234567 2)', undefined, '+4917012345672 (DE)', '+491701234567 (DE)'],
    ['+49 170 1234567 2.', undefined, '+4917012345672 (DE)', '+491701234567 (DE)'],
    ['+43 664 1234567-2', undefined, '+4366412345672 (AT)', '+436641234567 (AT)'],
    ['+62 812 3456 7890 2', undefined, '+62812345678902 (ID)', '+6281234567890 (ID)'],
    ['+49 30 1234567 8', undefined, '+493012345678 (DE)', '+49301234567 (DE)'],
    ['202-555-0123 5', 'US', '+20255501235 (EG)', '+12025550123 (US)'],
    ['202-555-0123.4', 'US', '+20255501234 (EG)', '+12025550123 (US)'],
  ] as const)('%p (%p) may be %p or %p, and is asked about', (value, country, one, other) => {
    const reading = readPhoneNumber(value, country);
    for (const part of [one, other, 'write it with a plus and its country code']) {
      expect(reading).toEqual({ objection: expect.stringContaining(part) });
    }
  });

  it.each([
    ['1 202 555 0123', 'PK', '+12025550123'],
    ['49 0151 12345678', 'DE', '+4915112345678'],
    ['4915112345678', 'DE', '+4915112345678'],
    ['491743681349', 'DE', '+491743681349'],
    ['442079460958', 'US', '+442079460958'],
    ['0011 65 9823 4567', 'AU', '+6598234567'],
    ['009 44 20 7946 0958', 'HK', '+442079460958'],
    ['002 1 202 555 0123', 'KR', '+12025550123'],
    ['8 10 44 7911 123456', 'RU', '+447911123456'],
    ['8 (912) 345-67-89', 'RU', '+79123456789'],
    ['0044 7911 123456', 'US', '+447911123456'],
    ['00263712345678', 'US', '+263712345678'],
    ['011 263 712345678', 'US', '+263712345678'],
    ['0043 664 1234567', 'DE', '+436641234567'],
    ['004520123456', 'DE', '+4520123456'],
    ['0012025550123', 'AT', '+12025550123'],
    ['0065 9123 4567', 'AT', '+6591234567'],
    ['(+1) 202 555 0123', 'DE', '+12025550123'],
    ['+44 (0)7911 123456', 'IT', '+447911123456'],
    ['+52 1 55 1234 5678', 'US', '+525512345678'],
    ['011 15 2345-6789', 'AR', '+5491123456789'],
    ['(323) 555-0123', 'US', '+13235550123'],
    ['323.555.0123', 'CA', '+13235550123'],
    ['9876543210.00', 'IN', '+919876543210'],
    ['०९८७६५४३२१०', 'IN', '+919876543210'],
  ] as const)('%p (%p) can only be %p', (value, country, e164) => {
    expect(readPhoneNumber(value, country)).toEqual({ e164 });
  });

  it.each([
    ['(203) 123-4567', 'US'],
    ['(436) 234-5678', 'CA'],
    ['(679) 234-5678', 'JM'],
    ['252-123-4567', 'US'],
    ['2031234567', 'US'],
    ['20255501235', 'US'],
    ['202-555-0123-4', 'US'],
    ['593 462 8713 3', 'US'],
    ['610 22 64 60 644', 'ES'],
    ['518 400 0842', 'PL'],
    ['316 204 02862', 'IT'],
    ['001520 2084244', 'DE'],
    ['0015202084244', 'DE'],
    ['9198 7654 3210', 'IN'],
    ['12025550123', 'IN'],
    ['1 202 555 0123', 'IN'],
    ['(91) 973439-1957', 'BR'],
    ['(95) 734-3285', 'US'],
    ['(49) 394-2334', 'US'],
    ['630226171', 'US'],
    ['49 454 0646', 'MX'],
    ['49 331 73 10', 'DK'],
    ['56935008619', 'GR'],
    ['(32) 5334 5959', 'CL'],
    ['92608909016', 'NP'],
    ['95161456', 'BJ'],
    ['35279625', 'MX'],
  ] as const)('%p (%p) may be mistyped, and rings nobody abroad', (value, country) => {
    const objection: unknown = expect.stringContaining('mistyped number of "Default Country"');
    expect(readPhoneNumber(value, country)).toEqual({ objection });
  });

  it.each([
    ['7654321', 'DE'],
    ['98765432', 'DE'],
    ['765 43 21', 'DE'],
    ['30 123456', 'DE'],
    ['20261125', 'DE'],
    ['5123456', 'FI'],
    ['2345678', 'SE'],
    ['1200.50', 'AT'],
    [2345678, 'SE'],
    ['49718055', 'IN'],
    ['49868372', 'BR'],
    ['49361475', 'IR'],
    ['8264197', 'US'],
    ['49495516', 'DE'],
  ] as const)('%p (%p) may lack its area code, and rings nobody elsewhere', (value, country) => {
    const objection: unknown = expect.stringContaining('or a number without its area code');
    expect(readPhoneNumber(value, country)).toEqual({ objection });
  });

  it.each([
    '00233979098312',
    '00212064722217',
    '0039613854624',
    '003510931091365',
    '00261488138852',
  ])('%p is in its country only with another digit, and rings nobody elsewhere', (value) => {
    const objection: unknown = expect.stringContaining('or a mistyped number');
    expect(readPhoneNumber(value)).toEqual({ objection });
  });

  it.each([
    ['30 1234567', 'DE', '+49301234567'],
    ['030 123456', 'DE', '+4930123456'],
    ['1 266 5678', 'HU', '+3612665678'],
    ['50 234 56 78', 'FI', '+358502345678'],
  ] as const)('%p (%p) has its area code: %p', (value, country, e164) => {
    expect(readPhoneNumber(value, country)).toEqual({ e164 });
  });

  it.each(['+49 30 123456\n2', '+49 30 123456\r\n2', '+49 30 123456\t2', '+49 30\u2028123456'])(
    'what follows the number of %j in another line or column is none of its digits',
    (value) => {
      expect(readPhoneNumber(value)).toHaveProperty('objection');
    },
  );

  it.each([
    ...['🚫 +12025550123', '📵+12025550123', '❌ +1 202 555 0123', '+12025550123 ⛔'],
    ...['† +4915123456789', '+4915123456789 ✝', '~~+12025550123~~', '★ Tel. +12025550123'],
    ...[
      '~+4915123456789~',
      '~ Tel. +49 151 23456789 ~',
      '<!-- +49 151 23456789 -->',
      '<!--+4915123456789',
    ],
    ...['// +49 151 23456789', '//+4915123456789', '/* +49 151 23456789 */', '-- +49 151 23456789'],
    ...['!= +4915123456789', '<>+4915123456789', '? +4915123456789', '(?) +49 151 23456789'],
    ...['% +4915123456789', '📠 +49 151 23456789', '§ +4915123456789', '@ +4915123456789'],
    ...['\\\\ +4915123456789', '_+4915123456789', '⁂ +4915123456789'],
  ])('the sign of %p may be a wish not to be called', (value) => {
    const [sign] = /[~/\\]+|<>|--|[^<(+\d\sTel.]/u.exec(value) ?? [];
    expect(readPhoneNumber(value)).toEqual({
      objection: `has the sign "${sign}" beside it, which may be a wish not to be called (enter the number alone)`,
    });
  });

  it.each([
    ...['🇮🇳 +919876543210', '● +919876543210', '+919876543210 🏠', '✅ +919876543210'],
    ...['\ufffc+919876543210', '\u0001+919876543210\u2800', '\uf095 +919876543210'],
  ])('flags, homes, telephones and signs that nobody sees do not matter: %j', (value) => {
    expect(readPhoneNumber(value)).toEqual({ e164: '+919876543210' });
  });

  it.each(['keine ✗', '★★★', '🚫'])('is not named where there is no number: %s', (text) => {
    const { objection } = readPhoneNumber(text) as { objection: string };
    expect(objection).toBe('is not a phone number');
  });

  it('names no sign that says nothing of the number', () => {
    const { objection } = readPhoneNumber('☎ +12025550123 🚫') as { objection: string };
    expect(objection).toContain('the sign "🚫"');
    expect(readPhoneNumber('☎ Ann')).toEqual({ objection: 'is not a phone number' });
  });

  it.each(['+49 30 123456²', '+4930123456 ①', '①+4930123456', '+43 1 234567³'])(
    'the footnote of %p is no digit of the number',
    (value) => {
      expect(readPhoneNumber(value)).toEqual({ objection: 'is not a phone number' });
    },
  );

  it.each([
    ['0170 1234567 2-', 'DE'],
    ['0170 1234567 2 ()', 'DE'],
    ['+49 170 1234567 2-', undefined],
    ['+49 170 1234567 2 (', undefined],
  ] as const)('%p (%p) has one digit behind a number, and is refused', (value, country) => {
    expect(readPhoneNumber(value, country)).toHaveProperty('objection');
  });

  it.each([
    ['+49 30 12345*', undefined],
    ['Tel. +49 30 1234****', undefined],
    ['+49 30 12345?? (Home)', undefined],
    ['+49 30 1234…', undefined],
    ['030 12345...', 'DE'],
    ['030 12345**', 'DE'],
    ['+49 176 1234567●', undefined],
    ['+49 176 1234567 ●', undefined],
    ['+49 30 12345•', undefined],
    ['+49 30 12345●● (Home)', undefined],
    ['+49 30 12345٭٭', undefined],
    ['+49 30 12345##', undefined],
    ['+49 30 12345□', undefined],
    ['+49 30 12345--', undefined],
    ['+49 30 12345 - -', undefined],
    ['+49 30 12345 -', undefined],
    ['+49 30 12345 !!', undefined],
    ['+49 30 12345 . . .', undefined],
    ['+49 30 12345 . . . mobile', undefined],
    ['+49 30 12345 ()', undefined],
    ['+49 30 12345[ ]', undefined],
    ['+49 176 1234567_', undefined],
    ['0176 1234567_', 'DE'],
    ['0176 1234567 _', 'DE'],
    ['0664 123456_', 'AT'],
    ['0664 123456 -', 'AT'],
    ['0664 123456/', 'AT'],
    ['0664 123456 . .', 'AT'],
  ] as const)('%p (%p) leaves its last digits open', (value, country) => {
    expect(readPhoneNumber(value, country)).toHaveProperty('objection');
  });

  it.each([
    ['+__ 30 12345678', undefined],
    ['+_30 12345678', undefined],
    ['+49 __ 30 1234567', undefined],
    ['+49 30 __ 12345', undefined],
    ['+49 30●●12345', undefined],
    ['+49 30 -- 12345', undefined],
    ['+49 30 ... 12345', undefined],
    ['+49 30 •• 12345', undefined],
    ['+49 ( ) 30 12345', undefined],
    ['030 __ 12345', 'DE'],
    ['030 - - 12345', 'DE'],
    ['0__ 30 12345678', 'DE'],
  ] as const)('%p (%p) leaves digits open within it', (value, country) => {
    expect(readPhoneNumber(value, country)).toHaveProperty('objection');
  });

  it.each([
    ...[
      '+919876543210.',
      '+919876543210。',
      '+919876543210 |',
      '+91 98765 43210 - Home',
      '+91_98765_43210',
    ],
    ...['+91 98765 43210: Home.', '[+919876543210]', '- +91 (98765) - 43210', '“+919876543210”,'],
  ])('one usual sign between or behind the digits of %p leaves none open', (value) => {
    expect(readPhoneNumber(value)).toEqual({ e164: '+919876543210' });
  });

  it.each([
    ['2026-11-22', 'DE', 'is a date'],
    ['22.11.26', 'DE', 'is a date'],
    ['05/11/26', 'DE', 'is a date'],
    ['01.02.26 14:30', 'LU', 'is a date'],
    ['22.11.2026', 'DE', 'is a date'],
    ['22. 11. 2026', 'NO', 'is a date'],
    ['22 11 2026', 'NO', 'is a date'],
    ['22-11 2026', 'DK', 'is a date'],
    ['2026 11 22', 'DK', 'is a date'],
    ['11/22/2026', 'DE', 'is a date'],
    ['2026-11-22 10:00', undefined, 'is a date'],
    ['9999999999', 'IN', 'is made up'],
    ['+91 99999 99999', undefined, 'is made up'],
    ['+44 1234567890', undefined, 'is made up'],
    ['1234567890', 'US', 'is not a phone number'],
    ['5555555555', 'US', 'is not a phone number'],
    ['+12025550123 (do not call)', undefined, 'is not a phone number'],
    ['+91 98765 43210 DND', undefined, 'is not a phone number'],
    ['old: +91 98765 43210', undefined, 'is not a phone number'],
    ['+91 98765 43210 x', undefined, 'is not a phone number'],
  ] as const)('%p (%p) %s', (value, country, objection) => {
    expect(readPhoneNumber(value, country)).toEqual({
      objection: expect.stringContaining(objection),
    });
  });

  it.each([
    ['646\u2013555\u20130123', 'US', '+16465550123'],
    ['646\u2011555\u20110123', 'US', '+16465550123'],
    ['646\u2022555\u20220123', 'US', '+16465550123'],
    ['(646) 5550123', 'US', '+16465550123'],
    ['646-5550123', 'US', '+16465550123'],
    ['[646] 555-0123', 'US', '+16465550123'],
    ['"9876543210"', 'IN', '+919876543210'],
    ['="9876543210"', 'IN', '+919876543210'],
    ['\u20199876543210', 'IN', '+919876543210'],
    ['9876543210;', 'IN', '+919876543210'],
    ['9876543210,', 'IN', '+919876543210'],
    ['98765_43210', 'IN', '+919876543210'],
    ['tel://+12025550123', undefined, '+12025550123'],
    ['whatsapp:+919876543210', undefined, '+919876543210'],
    ['p:+919876543210', undefined, '+919876543210'],
    ['+00 44 20 7946 0958', undefined, '+442079460958'],
    ['+91 98765 43210 (WhatsApp)', undefined, '+919876543210'],
    ['Tel. +49 151 23456789', undefined, '+4915123456789'],
    ['Mobile: +91 98765 43210', undefined, '+919876543210'],
    ['Mobil: +49 151 23456789', undefined, '+4915123456789'],
    ['M: +44 7911 123456', undefined, '+447911123456'],
    ['+91 98765 43210 (Home)', undefined, '+919876543210'],
    ['+91 98765 43210 whatsapp', undefined, '+919876543210'],
    ['\u{1f4de} +91 98765 43210', undefined, '+919876543210'],
    ['☎\ufe0f +91 98765 43210 ✓', undefined, '+919876543210'],
    ['<+919876543210>', undefined, '+919876543210'],
    ['(+91) 98765 43210 (cell)', undefined, '+919876543210'],
  ] as const)('%p (%p) is %p, whatever a program put around it', (value, country, e164) => {
    expect(readPhoneNumber(value, country)).toEqual({ e164 });
  });

  it.each([
    ['11833', 'DE'],
    ['116117', 'DE'],
    ['1450', 'AT'],
    ['+49 11833', undefined],
    ['07700 900123', 'GB'],
    ['+1 1 202 555 0123', undefined],
    ['++12025550123', undefined],
    ['1-800-FLOWERS', 'US'],
    ['(323) 555-0123', 'GB'],
    ['323-555-0123', 'DE'],
    ['044 791 112 3456', 'MX'],
  ] as const)('%p (%p) is no number that is known, and refused', (value, country) => {
    expect(readPhoneNumber(value, country)).toHaveProperty('objection');
  });

  it.each([
    ['+1 900 555 1234', 'premium'],
    ['+1 246 976 1234', 'premium'],
    ['+44 871 234 5678', 'premium'],
    ['+49 900 1234567', 'premium'],
    ['+49 180 5123456', 'shared'],
    ['+33 899 12 34 56', 'premium'],
    ['+91 1860 123 4567', 'shared'],
    ['+44 70 1234 5678', 'personal'],
    ['+44 330 123 4567', 'company'],
    ['+979 123 456 789', 'no country'],
    ['+878 10 1234567890', 'no country'],
    ['+881 612 345 678', 'no country'],
    ['+808 1234 5678', 'no country'],
  ])('%p is not called: %s', (value, kind) => {
    expect(readPhoneNumber(value)).toEqual({ objection: expect.stringContaining(kind) });
  });

  it.each([
    ['112', 'DE'],
    ['110', 'DE'],
    ['911', 'US'],
    ['999', 'GB'],
    ['100', 'IN'],
    ['+49112', undefined],
    ['+112', undefined],
    ['+44999', undefined],
  ] as const)('%p (%p) is an emergency number, and refused', (value, country) => {
    expect(readPhoneNumber(value, country)).toHaveProperty('objection');
  });

  it('is E.164 or comes with an objection, whatever comes in', () => {
    const digits = fc.array(fc.constantFrom(..."0123456789+-() .٣４\u200e'eE/x#"), {
      maxLength: 22,
    });
    const anything = fc.oneof(
      digits.map((found) => found.join('')),
      fc.string(),
      fc.anything(),
    );
    fc.assert(
      fc.property(anything, fc.constantFrom(undefined, 'IN', 'US', 'DE'), (value, country) => {
        const reading = readPhoneNumber(value, country as 'IN' | undefined);
        if ('e164' in reading) expect(reading.e164).toMatch(/^\+[1-9]\d{4,14}$/);
        else expect(reading.objection).not.toBe('');
      }),
      { numRuns: runs(2_000, 5_000) },
    );
  });

  it('knows countries by their ISO code', () => {
    expect(isCountry('IN')).toBe(true);
    expect(isCountry('XX')).toBe(false);
  });
});

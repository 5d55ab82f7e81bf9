import fc from 'fast-check';
import { isCountry, readPhoneNumber } from '../../nodes/OutboundAiCalling/contacts/phoneNumber';

describe('a phone number', () => {
  it.each([
    ['+12025550123', undefined, '+12025550123'],
    ['+1 (202) 555-0123', undefined, '+12025550123'],
    ['0012025550123', undefined, '+12025550123'],
    ["'+12025550123", undefined, '+12025550123'],
    ['tel:+1-202-555-0123', undefined, '+12025550123'],
    ['＋１２０２５５５０１２３', undefined, '+12025550123'],
    ['\u200e+1 202 555 0123\u202c', undefined, '+12025550123'],
    ['098765 43210', 'IN', '+919876543210'],
    ['919876543210', 'IN', '+919876543210'],
    [9876543210, 'IN', '+919876543210'],
    ['٠٩٨٧٦٥٤٣٢١٠', 'IN', '+919876543210'],
    ['07700 900123', 'GB', '+447700900123'],
  ] as const)('%p (%p) is %p', (value, country, e164) => {
    expect(readPhoneNumber(value, country)).toEqual({ e164 });
  });

  it.each([
    ['', 'is missing'],
    [null, 'is missing'],
    ['9876543210', 'has no country code'],
    ['+1', 'is too short'],
    ['+1202', 'does not have the length'],
    ['+1202555012345678', 'does not have the length'],
    ['9.19876543210E+11', 'was shortened by a spreadsheet'],
    ['9,19876543210E+11', 'was shortened by a spreadsheet'],
    [`+${'1'.repeat(30)}`, 'is too long'],
    ['call me', 'is not a phone number'],
    ['+12025550123 ext. 7', 'has an extension'],
    [{ phone: 1 }, 'is not a phone number'],
  ])('%p %s', (value, objection) => {
    expect(readPhoneNumber(value)).toEqual({ objection: expect.stringContaining(objection) });
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
      { numRuns: 5000 },
    );
  });

  it('knows countries by their ISO code', () => {
    expect(isCountry('IN')).toBe(true);
    expect(isCountry('XX')).toBe(false);
  });
});

import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import {
  getCountryCallingCode,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from 'libphonenumber-js/max';
import { readPhoneNumber } from '../../nodes/OutboundAiCalling/contacts/phoneNumber';
import { fc, runs, seed } from '../generators';
import { readWholeCsv } from '../wholeCsv';

/** Types of numbers, as the library names them, that are not called. */
const SERVICES = ['PREMIUM_RATE', 'SHARED_COST', 'PERSONAL_NUMBER', 'UAN', 'PAGER', 'VOICEMAIL'];

const CASES = runs(5_000, 20_000);

/** The number that a text is in E.164, when the library finds it valid; undefined otherwise. */
function validAsItStands(e164: string): PhoneNumber | undefined {
  const number = parsePhoneNumberFromString(e164, { extract: false });
  return number?.number === e164 && number.isValid() ? number : undefined;
}

describe(`reading phone numbers from seed ${seed}`, () => {
  const country = fc.constantFrom(undefined, 'IN', 'US', 'DE', 'BR', 'GB', 'AR', 'IT');

  it('never breaks, and always gives a number or a reason', () => {
    const character = fc.constantFrom(...'0123456789+-()  .٣４५\u200e\'eE,/x#*abc;=&<>"~|\n');
    const text = fc.array(character, { maxLength: 24 }).map((found) => found.join(''));
    const value = fc.oneof(text, fc.string(), fc.integer(), fc.double(), fc.anything());
    fc.assert(
      fc.property(value, country, (raw, code) => {
        const reading = readPhoneNumber(raw, code);
        return 'e164' in reading
          ? /^\+[1-9]\d{4,14}$/.test(reading.e164)
          : reading.objection.length > 0;
      }),
      { numRuns: CASES },
    );
  });

  it('never changes, adds or leaves out a digit of the number within its country', () => {
    const character = fc.constantFrom(...'00112233445566778899+-()  ./~,;x|\n');
    const text = fc.array(character, { minLength: 5, maxLength: 26 }).map((all) => all.join(''));
    // In Argentina and Brazil, by the rules there, digits are moved or left out for calls from abroad.
    const strict = fc.constantFrom(undefined, 'IN', 'US', 'DE', 'GB', 'IT', 'FR');
    let read = 0;
    fc.assert(
      fc.property(text, strict, fc.constantFrom('', '+49', '+1202', '030'), (rest, code, start) => {
        const reading = readPhoneNumber(start + rest, code);
        if (!('e164' in reading)) return;
        read++;
        // A sheet that takes the number for a decimal one adds ".0" or ".00", and keeps no zero in front.
        const digits = (start + rest).replace(/\.0+\s*$/, '').replace(/\D/g, '');
        const number = parsePhoneNumberFromString(reading.e164);
        expect(number?.number).toBe(reading.e164);
        expect(readPhoneNumber(reading.e164)).toEqual(reading);
        const written = [digits, (start + rest).replace(/\D/g, '')];
        expect(written.some((all) => all.endsWith(number?.nationalNumber ?? '?'))).toBe(true);
      }),
      {
        numRuns: CASES,
        seed,
        examples: [
          ['000.0,', 'DE', '030'],
          ['30123456/789', 'DE', '+49'],
          ['000.00', 'DE', '030'],
          ['9(0)0-6000', undefined, '+49'],
        ],
      },
    );
    expect(read).toBeGreaterThan(CASES / 1000);
  });

  it('takes every valid number of a person, and none of a service', () => {
    const digits = fc.stringMatching(/^[1-9]\d{6,14}$/);
    let taken = 0;
    fc.assert(
      fc.property(digits, fc.constantFrom('', ' ', '-'), (found, gap) => {
        const number = validAsItStands(`+${found}`);
        if (number === undefined) return;
        taken++;
        const spelled = `+${found.split('').join(gap)}`;
        const isService = number.isNonGeographic() || SERVICES.includes(number.getType() ?? '');
        const reading = readPhoneNumber(spelled);
        // A person may have written the calling code twice: then both numbers are named.
        const isTwice = found.startsWith(number.countryCallingCode.repeat(2));
        if (isTwice && 'objection' in reading && reading.objection.includes(number.number)) return;
        expect(reading).toEqual(
          isService ? { objection: expect.any(String) } : { e164: number.number },
        );
      }),
      { numRuns: CASES },
    );
    expect(taken).toBeGreaterThan(CASES / 100);
  });

  it('agrees with the library in countries that share a calling code', () => {
    const text = fc.stringMatching(/^\+(1|44|7|39|61|47|358|262)[2-9]\d{5,10}$/);
    let read = 0;
    fc.assert(
      fc.property(text, country, (e164, code) => {
        const number = validAsItStands(e164);
        const isCalled = number !== undefined && !SERVICES.includes(number.getType() ?? '');
        const reading = readPhoneNumber(e164, code);
        if (isCalled) expect(reading).toEqual({ e164 });
        else expect(reading).not.toEqual({ e164 });
        if (isCalled) read++;
      }),
      { numRuns: CASES },
    );
    expect(read).toBeGreaterThan(CASES / 100);
  });

  it('reads digits without a plus only when they are of one person', () => {
    let ofTwo = 0;
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9]\d{6,13}$/), country, (digits, code) => {
        const callingCode = code === undefined ? '' : getCountryCallingCode(code);
        const meant = new Set([`+${digits}`, `+${callingCode}${digits}`].filter(validAsItStands));
        const reading = readPhoneNumber(digits, code);
        // A mobile number that has lost its plus is no landline without its 0, which Italy does not have.
        const full = validAsItStands(`+${digits}`);
        const isMobile = full?.getType() === 'MOBILE' && full.country === code && code !== 'IT';
        if (meant.size > 1 && isMobile) meant.delete(`+${callingCode}${digits}`);
        if (meant.size > 1) ofTwo++;
        if (meant.size > 1 || code === undefined) expect(reading).toHaveProperty('objection');
        else if ('e164' in reading && meant.size === 1) expect(meant).toContain(reading.e164);
      }),
      { numRuns: CASES },
    );
    expect(ofTwo).toBeGreaterThan(0);
  });
});

describe(`reading CSV texts from seed ${seed}`, () => {
  it('never breaks, and always gives rows or a reason', () => {
    const character = fc.constantFrom(
      'a',
      '1',
      ',',
      ';',
      '"',
      '\n',
      '\r',
      '\t',
      '|',
      '\ufeff',
      ' ',
    );
    const text = fc.array(character, { maxLength: 60 }).map((found) => found.join(''));
    fc.assert(
      fc.property(text, (csv) => {
        const reading = readWholeCsv(csv);
        return 'objection' in reading ? reading.objection.length > 0 : Array.isArray(reading.rows);
      }),
      { numRuns: CASES },
    );
  });

  it('agrees with the library on everything that was written with a known delimiter', () => {
    const cell = fc.string({ maxLength: 12 }).map((found) => `<${found}>`);
    const rows = fc.array(fc.record({ phone: cell, name: cell }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        rows,
        fc.constantFrom(',', ';', '\t', '|'),
        fc.constantFrom(1, 50, undefined),
        (written, delimiter, sliceLength) => {
          const csv = stringify(written, { header: true, delimiter });
          const expected = parse(csv, { columns: true, delimiter, trim: true });
          const reading = readWholeCsv(csv, sliceLength);
          expect('rows' in reading && reading.rows).toEqual(expected);
        },
      ),
      { numRuns: CASES / 10 },
    );
  });
});

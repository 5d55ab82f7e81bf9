import fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import {
  parsePhoneNumberFromString as parseWithMin,
  type CountryCode,
} from 'libphonenumber-js/min';
import { readCsv } from '../../nodes/OutboundAiCalling/contacts/csv';
import { readPhoneNumber } from '../../nodes/OutboundAiCalling/contacts/phoneNumber';

jest.setTimeout(300_000);

/** What the library itself makes of it, with all that it knows of every country. */
function parsePossibleNumber(text: string, defaultCountry: CountryCode): string | undefined {
  const international = text.replace(/^00(?=[1-9])/, '+');
  const number = parseWithMin(international, { extract: false, defaultCountry });
  return number?.isPossible() === true ? number.number : undefined;
}

const CASES = 100_000;
const seed = Number(process.env.READING_SEED ?? Date.now() % 1_000_000);

describe(`reading a hundred thousand phone numbers from seed ${seed}`, () => {
  it('never breaks, and always gives a number or a reason', () => {
    const character = fc.constantFrom(...'0123456789+-()  .٣４५\u200e\'eE,/x#*abc;=&<>"\n');
    const text = fc.array(character, { maxLength: 24 }).map((found) => found.join(''));
    const value = fc.oneof(text, fc.string(), fc.integer(), fc.double(), fc.anything());
    const country = fc.constantFrom(undefined, 'IN', 'US', 'DE', 'BR');
    fc.assert(
      fc.property(value, country, (raw, code) => {
        const reading = readPhoneNumber(raw, code as 'IN' | undefined);
        return 'e164' in reading
          ? /^\+[1-9]\d{4,14}$/.test(reading.e164)
          : reading.objection.length > 0;
      }),
      { numRuns: CASES, seed },
    );
  });

  it('agrees with the library on every number that it knows to be valid', () => {
    const digits = fc.stringMatching(/^[1-9]\d{6,14}$/);
    let valid = 0;
    fc.assert(
      fc.property(digits, fc.constantFrom('', ' ', '-'), (found, gap) => {
        const number = parsePhoneNumberFromString(`+${found}`);
        if (number?.isValid() !== true) return;
        valid++;
        const spelled = `+${found.split('').join(gap)}`;
        expect(readPhoneNumber(spelled)).toEqual({ e164: number.number });
      }),
      { numRuns: CASES, seed },
    );
    expect(valid).toBeGreaterThan(1000);
  });

  it('agrees with the library on what is a number in countries that share a calling code', () => {
    const countries = ['US', 'CA', 'JM', 'GB', 'JE', 'RU', 'KZ', 'IT', 'VA', 'AU', 'NO'] as const;
    const text = fc.stringMatching(/^(\+(1|44|7|39|61|47))?\d{4,12}$/);
    let possible = 0;
    fc.assert(
      fc.property(text, fc.constantFrom(...countries), (spelled, country) => {
        const number = parsePossibleNumber(spelled, country);
        const reading = readPhoneNumber(spelled, country);
        if (number === undefined) {
          expect(reading).toHaveProperty('objection');
          return;
        }
        possible++;
        expect(reading).toEqual({ e164: number });
      }),
      { numRuns: CASES, seed },
    );
    expect(possible).toBeGreaterThan(1000);
  });
});

describe(`reading a hundred thousand CSV texts from seed ${seed}`, () => {
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
        const reading = readCsv(csv);
        return 'objection' in reading ? reading.objection.length > 0 : Array.isArray(reading.rows);
      }),
      { numRuns: CASES, seed },
    );
  });

  it('agrees with the library on everything that was written with a known delimiter', () => {
    const cell = fc.string({ maxLength: 12 }).map((found) => `<${found}>`);
    const rows = fc.array(fc.record({ phone: cell, name: cell }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.constantFrom(',', ';', '\t', '|'), (written, delimiter) => {
        const csv = stringify(written, { header: true, delimiter });
        const expected = parse(csv, { columns: true, delimiter, trim: true });
        const reading = readCsv(csv);
        expect('rows' in reading && reading.rows).toEqual(expected);
      }),
      { numRuns: CASES / 10, seed },
    );
  });
});

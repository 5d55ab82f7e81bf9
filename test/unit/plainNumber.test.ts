import fc from 'fast-check';
import { getCountries, getCountryCallingCode } from 'libphonenumber-js/core';
import examples from 'libphonenumber-js/examples.mobile.json';
import metadata from 'libphonenumber-js/max/metadata';
import { readAnyNumber } from '../../nodes/OutboundAiCalling/contacts/phoneNumber';
import { readPlainNumber } from '../../nodes/OutboundAiCalling/contacts/plainNumber';
import { runs, seed } from '../generators';

const COUNTRIES = getCountries(metadata);

describe('a plain phone number', () => {
  it.each([
    ['+12025550123', undefined, '+12025550123'],
    ['+49 151 23456789', undefined, '+4915123456789'],
    ['(202) 555-0123', 'US', '+12025550123'],
    ['098765 43210', 'IN', '+919876543210'],
    ['9876543210', 'IN', '+919876543210'],
  ] as const)('%p (%p) is read without the library', (text, country, e164) => {
    expect(readPlainNumber(text, country)).toBe(e164);
  });

  it.each([
    ['9876543210', undefined],
    ['011 15 1234 5678', 'AR'],
    ['0043 1 5550100', 'DE'],
    ['+44 1534 456789', undefined],
    ['+1 900 555 0123', undefined],
    ['+49301234(35)6', undefined],
  ] as const)('%p (%p) is left to the library', (text, country) => {
    expect(readPlainNumber(text, country)).toBeUndefined();
  });

  const digit = fc.constantFrom(...'0123456789');
  const digits = fc.array(digit, { minLength: 3, maxLength: 15 }).map((all) => all.join(''));
  /** What a country calls a number, with some of its last digits drawn. */
  const within = (country: (typeof COUNTRIES)[number]) =>
    fc.oneof(
      digits,
      fc.tuple(fc.nat(9), digits).map(([kept, drawn]) => {
        const example = examples[country];
        return (
          example.slice(0, kept) + drawn.repeat(5).slice(0, Math.max(0, example.length - kept))
        );
      }),
    );
  const spelling = fc.constantFrom(...COUNTRIES).chain((country) => {
    const code = getCountryCallingCode(country, metadata);
    const before = ['', '0', '1', '8', code, `+${code}`, `+${code}0`, `00${code}`, `011${code}`];
    return fc.record({
      before: fc.oneof(fc.constant(`+${code}`), fc.constantFrom(...before)),
      number: within(country),
      separators: fc.dictionary(fc.nat(16).map(String), fc.constantFrom(...' -.()/')),
      defaultCountry: fc.constantFrom(undefined, country, country, ...COUNTRIES),
    });
  });

  it(`is what the library reads (seed ${seed})`, () => {
    let plain = 0;
    fc.assert(
      fc.property(spelling, ({ before, number, separators, defaultCountry }) => {
        const text = [...`${before}${number}`]
          .map((character, index) => character + (separators[index] ?? ''))
          .join('');
        const e164 = readPlainNumber(text, defaultCountry);
        if (e164 === undefined) return;
        plain++;
        expect(readAnyNumber(text, defaultCountry)).toEqual({ e164 });
      }),
      { numRuns: runs(4_000, 200_000), seed },
    );
    expect(plain).toBeGreaterThan(100);
  });
});

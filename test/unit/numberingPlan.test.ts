import fc from 'fast-check';
import type { CountryCode } from 'libphonenumber-js/core';
import { getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/examples.mobile.json';
import { metadata, typeOf } from '../../nodes/OutboundAiCalling/contacts/numberingPlan';
import { runs, seed } from '../generators';

jest.setTimeout(900_000);

const callingCodes = [
  ...Object.keys(metadata.country_calling_codes),
  ...Object.keys(metadata.nonGeographic),
];
const countries = Object.keys(metadata.countries) as CountryCode[];

/** Numbers close to those that are in use, of every country, and numbers of any digits. */
const numbers = fc.oneof(
  fc.tuple(fc.constantFrom(...countries), fc.stringMatching(/^\d{0,7}$/)).map(([country, end]) => {
    const example = getExampleNumber(country, examples)?.number ?? '+12025550123';
    return example.slice(0, example.length - end.length) + end;
  }),
  fc
    .tuple(fc.constantFrom(...callingCodes), fc.stringMatching(/^\d{4,14}$/))
    .map(([callingCode, rest]) => `+${callingCode}${rest}`),
);

describe(`the type of a number, from seed ${seed}`, () => {
  it('is the one that the library finds, whatever the country', () => {
    const found = new Set<string>();
    fc.assert(
      fc.property(numbers, (text) => {
        const number = parsePhoneNumberFromString(text, { extract: false });
        if (number === undefined) return;
        const type = number.getType();
        found.add(String(type));
        expect(typeOf(number)).toBe(type === 'FIXED_LINE_OR_MOBILE' ? 'FIXED_LINE' : type);
      }),
      { numRuns: runs(5_000, 200_000), seed },
    );
    expect([...found]).toEqual(
      expect.arrayContaining(['undefined', 'FIXED_LINE', 'FIXED_LINE_OR_MOBILE', 'MOBILE', 'VOIP']),
    );
  });
});

import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { metadata, typeOf } from '../../nodes/OutboundAiCalling/contacts/numberingPlan';
import { runs, seed } from '../generators';

jest.setTimeout(900_000);

/** Where a plan holds its calling code, its pattern and the patterns of its types. */
const [CALLING_CODE, PATTERN, TYPES] = [0, 2, 11] as const;

type Plan = [string, ...unknown[]];

/** Every pattern of every country, and of the calling codes that no country has for itself. */
const ranges = [...Object.values(metadata.countries), ...Object.values(metadata.nonGeographic)]
  .map((plan) => plan as Plan)
  .flatMap((plan) => {
    const types = (plan[TYPES] ?? []) as Array<[string] | 0>;
    const patterns = [plan[PATTERN] as string, ...types.map((type) => (type ? type[0] : ''))];
    return patterns
      .filter((pattern) => pattern !== '')
      .map((pattern) => ({ callingCode: plan[CALLING_CODE], pattern }));
  });

/** Numbers of every range, and such with other digits or another length. */
const numbers = fc
  .constantFrom(...ranges)
  .chain(({ callingCode, pattern }) =>
    fc
      .tuple(
        fc.stringMatching(new RegExp(`^(?:${pattern})$`)),
        fc.nat({ max: 14 }),
        fc.stringMatching(/^\d{0,2}$/),
      )
      .map(([digits, at, other]) =>
        other === ''
          ? `+${callingCode}${digits}`
          : `+${callingCode}${digits.slice(0, at)}${other}${digits.slice(at + 1)}`,
      ),
  );

describe(`the type of a number, from seed ${seed}`, () => {
  it('is the one that the library finds, whatever the country', () => {
    const found = new Set<unknown>();
    fc.assert(
      fc.property(numbers, (text) => {
        const number = parsePhoneNumberFromString(text, { extract: false });
        if (number === undefined) return;
        const type = number.getType();
        found.add(type);
        expect(typeOf(number)).toBe(type === 'FIXED_LINE_OR_MOBILE' ? 'FIXED_LINE' : type);
      }),
      { numRuns: runs(3_000, 100_000), seed },
    );
    // Every type, and none.
    expect(found.size).toBe(12);
  });
});

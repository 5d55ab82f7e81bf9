import { readIdentifier } from '../../nodes/OutboundAiCalling/service/identifier';
import { fc } from '../generators';

describe('an id', () => {
  it.each([
    [4821, 4821],
    ['4821', 4821],
    [' 4821\n', 4821],
    ['007', 7],
  ])('%p is read as %p', (value, id) => expect(readIdentifier(value)).toBe(id));

  it.each([
    0,
    -1,
    1.5,
    NaN,
    Infinity,
    '',
    'abc',
    '1/2',
    '../1',
    '1e3',
    '0x10',
    null,
    undefined,
    true,
    {},
    [1],
    2 ** 53,
  ])('%p is none', (value) => expect(readIdentifier(value)).toBeUndefined());

  it('is a positive whole number whatever comes in', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const id = readIdentifier(value);
        expect(id === undefined || (Number.isSafeInteger(id) && id > 0)).toBe(true);
      }),
    );
  });
});

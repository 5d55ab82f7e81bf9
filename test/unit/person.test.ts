import { mayName } from '../../nodes/OutboundAiCalling/contacts/numbersIn';
import { e164sOf, personOf } from '../../nodes/OutboundAiCalling/contacts/person';

describe('the person of a number', () => {
  it.each([
    ['+541123456789', '+5491123456789'],
    ['+970599123456', '+972599123456'],
    ['+97022951234', '+97222951234'],
    ['+3780549886123', '+390549886123'],
    ['+442890123456', '+3534890123456'],
  ])('is the same under %s and %s', (one, other) => {
    expect(personOf(other)).toBe(personOf(one));
    expect(e164sOf(one).sort()).toEqual([one, other].sort());
    expect(e164sOf(other)).toEqual(e164sOf(one));
    expect(mayName(one, other)).toBe(true);
    expect(mayName(other, one)).toBe(true);
  });

  it.each([
    // Israel's own numbers.
    ['+970541234567', '+972541234567'],
    ['+97025612345', '+97225612345'],
    // Italy beside San Marino, and Dublin beside Belfast.
    ['+3780541123456', '+390541123456'],
    ['+442071234567', '+3532071234567'],
  ])('is another one under %s and %s', (one, other) => {
    expect(personOf(other)).not.toBe(personOf(one));
    expect(e164sOf(other)).toEqual([other]);
  });
});

import { hasAllDigits, isRecord, numberOf, textOf } from '../../nodes/OutboundAiCalling/http/json';

const LARGEST = Number.MAX_SAFE_INTEGER;

describe('a value of an answer', () => {
  it.each([
    [{}, true],
    [{ a: 1 }, true],
    [[], false],
    [null, false],
    [undefined, false],
    ['{}', false],
    [7, false],
  ])('%j is a record: %s', (value, is) => {
    expect(isRecord(value)).toBe(is);
  });

  it.each([
    ['a', 'a'],
    ['', ''],
    [0, '0'],
    [-1.5, '-1.5'],
    [LARGEST, String(LARGEST)],
    [-LARGEST, String(-LARGEST)],
    [LARGEST + 1, null],
    [-LARGEST - 1, null],
    [true, null],
    [null, null],
    [undefined, null],
    [{ toString: () => 7 }, null],
    [[7], null],
  ])('%j as text is %j', (value, text) => {
    expect(textOf(value)).toBe(text);
  });

  it.each([
    [7, 7],
    [0, 0],
    ['7.5', 7.5],
    [' 7 ', 7],
    ['', null],
    ['  ', null],
    ['seven', null],
    [Infinity, null],
    ['Infinity', null],
    [NaN, null],
    [true, null],
    [null, null],
    [[7], null],
  ])('%j as a number is %j', (value, number) => {
    expect(numberOf(value)).toBe(number);
  });

  it('has all its digits up to the largest safe number', () => {
    expect([LARGEST, -LARGEST, 1.5].every(hasAllDigits)).toBe(true);
    expect([LARGEST + 1, -LARGEST - 1, 1e300].some(hasAllDigits)).toBe(false);
  });
});

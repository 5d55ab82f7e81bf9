import { inDigits } from '../../nodes/OutboundAiCalling/contacts/writtenNumber';

describe('a number that a spreadsheet has shortened, or written as an amount', () => {
  it.each([
    ['9.19876543210E+11', '919876543210'],
    // The spreadsheet has omitted a final zero.
    ['9.1987654321E+11', '919876543210'],
    ['9E+0', '9'],
    ['9,876,543,210', '9876543210'],
    ['+9,87,65,43,210.00', '+9876543210'],
  ])('has its digits again: %p', (text, digits) => {
    expect(inDigits(text)).toBe(digits);
  });

  it.each(['9.198765432E+11', '9.2E+11', '9.19876543210E+40', '919876543210', '9876543210,11'])(
    'stays as it is when digits are lost, or when it is none: %p',
    (text) => expect(inDigits(text)).toBe(text),
  );
});

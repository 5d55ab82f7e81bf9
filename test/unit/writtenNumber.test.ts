import { inDigits } from '../../nodes/OutboundAiCalling/contacts/writtenNumber';

describe('a number that a spreadsheet has shortened', () => {
  it.each([
    ['9.19876543210E+11', '919876543210'],
    // The spreadsheet has omitted a final zero.
    ['9.1987654321E+11', '919876543210'],
    ['9E+0', '9'],
  ])('has its digits again: %p', (text, digits) => {
    expect(inDigits(text)).toBe(digits);
  });

  it.each(['9.198765432E+11', '9.2E+11', '9.19876543210E+40', '919876543210'])(
    'stays as it is when digits are lost, or when it is none: %p',
    (text) => expect(inDigits(text)).toBe(text),
  );
});

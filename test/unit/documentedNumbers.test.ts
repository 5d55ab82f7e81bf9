import { mayName } from '../../nodes/OutboundAiCalling/contacts/numbersIn';
import {
  readPhoneNumber,
  type DefaultCountry,
} from '../../nodes/OutboundAiCalling/contacts/phoneNumber';
import { inlineCodeOf } from '../documents';

/** What the page says of each of its numbers: whose it is, or that nobody is called. */
const CALLED: Record<string, [DefaultCountry, e164: string]> = {
  '098765 43210': ['IN', '+919876543210'],
  '44 7911 123456': ['IN', '+447911123456'],
  '0044 7911 123456': ['IN', '+447911123456'],
  '+3235550123': [undefined, '+3235550123'],
  'Tel. +49 151 23456789': [undefined, '+4915123456789'],
  '☎ +1 202 555 0123': [undefined, '+12025550123'],
  '+91 98765 43210 (Home)': [undefined, '+919876543210'],
  '+54 9 11 2345 6789': [undefined, '+5491123456789'],
  '+970 599 123 456': [undefined, '+970599123456'],
  '+972 599 123 456': [undefined, '+972599123456'],
  '+378 0549 886123': [undefined, '+3780549886123'],
  '+39 0549 886123': [undefined, '+390549886123'],
  '+44 28 9012 3456': [undefined, '+442890123456'],
  '+353 48 9012 3456': [undefined, '+3534890123456'],
  '+54 11 2345 6789': [undefined, '+541123456789'],
  '4915112345678': ['DE', '+4915112345678'],
  '(323) 555-0123': ['US', '+13235550123'],
  '323-555-0123': ['US', '+13235550123'],
  '+49 30 123456-0': [undefined, '+49301234560'],
  '๐๘๑ ๒๓๔ ๕๖๗๘': ['TH', '+66812345678'],
};
const NOT_CALLED: Record<string, DefaultCountry> = {
  '3235550123': 'US',
  '9.19E+11': 'IN',
  '919877000000': 'IN',
  '2026-11-22': 'US',
  '9999999999': 'IN',
  '1234567890': 'US',
  '447911 123456': 'IN',
  '0015202084244': 'DE',
  '49718055': 'IN',
  '3. 0151 12345678': 'DE',
  '7654321': 'DE',
  '22.11.26': 'LU',
  '+49 30 123456²': undefined,
  '+49 30 12345**': undefined,
  '+49 30 12345...': undefined,
  '+49 176 1234567_': undefined,
  '+49 30 12345 -': undefined,
  '+49 30 -- 12345': undefined,
  '~+49 151 23456789~': undefined,
  '<!-- +49 151 23456789 -->': undefined,
  '// +49 151 23456789': undefined,
  '+494915112345678': undefined,
  '+49 170 1234567 2': undefined,
  '0170 1234567 2)': 'DE',
};
const LISTED: Record<string, [DefaultCountry, ...e164: string[]]> = {
  'Order 17 0803 123 4567': [undefined, '+2348031234567'],
  '2,025,551,001': [undefined, '+12025551001'],
  // It stands among those that are not called, too.
  '3. 0151 12345678': [undefined, '+493015112345678', '+4915112345678'],
  '9876543210/11': ['IN', '+919876543210', '+919876543211'],
  '+49 30 12345-xx': [undefined, '+493012345'],
  '+49 30 12345●●': [undefined, '+493012345'],
  '3123-4567': [undefined, '+551131234567', '+862131234567'],
  '97123456': [undefined, '+2290197123456'],
  '202-555-0100 to 0199': ['US', '+12025550100', '+12025550150', '+12025550199'],
  '202-555-0100-0199': [undefined, '+12025550100', '+12025550150', '+12025550199'],
  '202-555-0100 ~ 0199': [undefined, '+12025550100', '+12025550150', '+12025550199'],
  '+49 30 1234500-99': [undefined, '+49301234500', '+49301234550', '+49301234599'],
  '+49 30 12345-67': [undefined, '+49301234567'],
  '202-555-0123 or 0124': ['US', '+12025550123', '+12025550124'],
};

const shown = inlineCodeOf('docs/phone-numbers.md').filter(
  (code) => code.replace(/\P{Nd}/gu, '').length > 4 && !code.startsWith('+1{{'),
);

describe('a number in the page about phone numbers', () => {
  it('is tried here', () => {
    const tried = [CALLED, NOT_CALLED, LISTED].flatMap((numbers) => Object.keys(numbers));
    expect(new Set(shown)).toEqual(new Set(tried));
  });

  it.each(Object.entries(CALLED))('is called: %s', (number, [country, e164]) => {
    expect(readPhoneNumber(number, country)).toEqual({ e164 });
  });

  it.each(Object.entries(NOT_CALLED))('is not called: %s', (number, country) => {
    expect(readPhoneNumber(number, country)).toEqual({ objection: expect.any(String) });
  });

  it.each(Object.entries(LISTED))(
    'stands for several on a list: %s',
    (number, [country, ...all]) => {
      expect(all.filter((e164) => !mayName(number, e164, country))).toEqual([]);
    },
  );
});

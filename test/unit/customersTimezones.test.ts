import metadata from 'libphonenumber-js/max/metadata';
import { countriesOf } from '../../nodes/OutboundAiCalling/contacts/countries';
import { isAllowedAt, nextAllowedAt } from '../../nodes/OutboundAiCalling/rules/hours';
import {
  customersTimezones,
  timezonesOfAll,
} from '../../nodes/OutboundAiCalling/rules/customersTimezones';

describe('the countries that a number may belong to', () => {
  it.each([
    ['+919812345678', ['IN']],
    ['+4930123456', ['DE']],
    ['+12025550123', ['US', 'CA']],
    ['+14165550123', ['US', 'CA']],
    ['+16715550123', ['GU']],
    ['+18765550123', ['JM']],
    ['+77011234567', ['KZ']],
    ['+79161234567', ['RU']],
    ['+447911123456', ['GB', 'GG', 'JE']],
    ['+447624123456', ['IM']],
    ['+61891621234', ['AU', 'CC', 'CX']],
    ['+35818123456', ['AX']],
    ['+35841234567', ['FI']],
    ['+390669812345', ['VA']],
    ['+390612345678', ['IT']],
    ['+262692123456', ['RE', 'YT']],
    ['+80012345678', []],
    ['+88213300655', []],
    ['+2101234567', []],
    ['', []],
  ])('%s: %j', (phone, countries) => {
    expect([...countriesOf(phone)].sort()).toEqual([...countries].sort());
  });
});

describe('the time zones of a customer', () => {
  it('are those of all countries whose codes the telephone has, however it is written', () => {
    const ofPalestine = customersTimezones('+970599123456');
    expect([...ofPalestine].sort()).toEqual(['Asia/Gaza', 'Asia/Hebron', 'Asia/Jerusalem']);
    expect(new Set(customersTimezones('+972599123456'))).toEqual(new Set(ofPalestine));
    expect(customersTimezones('+972541234567')).toEqual(['Asia/Jerusalem']);
  });

  it('are known for every country that has telephone numbers', () => {
    const codes = Object.entries(metadata.country_calling_codes);
    const without = codes.filter(([code]) => customersTimezones(`+${code}`).length === 0);
    expect(without).toEqual([]);
  });
  it.each([
    ['Ascension', '+24762889', 'Atlantic/St_Helena'],
    ['Tristan da Cunha', '+2908999', 'Atlantic/St_Helena'],
    ['Kosovo', '+38343201234', 'Europe/Belgrade'],
  ])('are known of %s, of which the language knows none', (_, phone, timezone) => {
    expect(customersTimezones(phone)).toEqual([timezone]);
  });
  it('are known to n8n', () => {
    for (const code of Object.keys(metadata.country_calling_codes)) {
      for (const timeZone of customersTimezones(`+${code}`)) {
        expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow();
      }
    }
  });
  it('are all of a country, and of all countries that share its numbers', () => {
    expect(customersTimezones('+12025550123')).toEqual(
      expect.arrayContaining([
        'America/New_York',
        'Pacific/Honolulu',
        'America/Adak',
        'America/St_Johns',
        'America/Vancouver',
      ]),
    );
    expect(customersTimezones('+79161234567')).toEqual(
      expect.arrayContaining(['Europe/Kaliningrad', 'Asia/Kamchatka']),
    );
  });
  it.each([{ timeZones: ['Asia/Thimphu'] }, { getTimeZones: () => ['Asia/Thimphu'] }])(
    'are asked in the way of any version of the language: %p',
    async (locale) => {
      await jest.isolateModulesAsync(async () => {
        const fresh = await import('../../nodes/OutboundAiCalling/rules/customersTimezones');
        const locales = jest
          .spyOn(Intl, 'Locale')
          .mockReturnValue(locale as unknown as Intl.Locale);
        expect(fresh.customersTimezones('+9607712345')).toEqual(['Asia/Thimphu']);
        expect(locales).toHaveBeenCalledWith('und-MV');
        locales.mockRestore();
      });
    },
  );
  it('are the same array for numbers of the same countries', () => {
    const phones = Array.from({ length: 100_000 }, (_, index) => `+1202${5550000 + index}`);
    const found = new Set(phones.map(customersTimezones));
    expect(found.size).toBe(1);
  });
  it('are asked for the hours of 1,000 customers in all countries', () => {
    const codes = Object.keys(metadata.country_calling_codes);
    const phones = Array.from(
      { length: 1_000 },
      (_, index) => `+${codes[index % codes.length]}${index}`,
    );
    const hours = { start: 540, end: 1080, days: new Set(['mon'] as const), timezone: 'UTC' };
    const now = Date.parse('2026-11-24T12:00:00Z');
    for (const phone of phones) {
      const timezones = customersTimezones(phone);
      expect(isAllowedAt(now, hours, timezones)).toBe(false);
      const next = nextAllowedAt(now, hours, timezones);
      expect(next === undefined || isAllowedAt(next, hours, timezones)).toBe(true);
    }
  });
  it('of a list are those of each person on it, each group once', async () => {
    const phones = ['+919812345678', '+4930123456', '+919812345679', '+88213300655'];
    const people = phones.map((customerPhone) => ({ customerPhone }));
    const timezones = await timezonesOfAll(people);
    expect(timezones).toEqual([['Asia/Calcutta'], ['Europe/Berlin', 'Europe/Busingen'], []]);
  });
});

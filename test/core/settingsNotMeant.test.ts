import type { IDataObject } from 'n8n-workflow';
import { BEGINS } from './clock';
import { execute, jsonOf, type Execution } from './engine';
import { hintsOf } from './hints';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 1000 });
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const hours = (start: string, end: string, more: IDataObject = {}) => ({
  callingHours: { hours: { start, end, days, timezone: 'workflow', ...more } },
});

const schedule = async (more: IDataObject, timezone = 'America/New_York'): Promise<Execution> =>
  await execute({
    parameters: {
      ...{ resource: 'call', operation: 'schedule', scriptId: 7, customerPhone: '+12025551000' },
      ...{ callAt: '', callLogTable: { mode: 'name', value: 'Calls' } },
      ...{ additionalFields: { orderNumber: 'A-1' }, rules: hours('09:00', '20:00'), ...more },
    },
    credential: world.credential(),
    workflowSettings: { timezone },
  });

describe('settings that a shop owner may not mean', () => {
  it.each(['1.440, 2.880', '30, 1.440'])('minutes such as %s are refused', async (afterMinutes) => {
    const options = { retry: { plan: { outcomes: 'no_answer', afterMinutes } } };
    const { error } = await schedule({ options });
    expect(error?.message).toMatch(/After Minutes.*which is no number of minutes/);
  });

  const after = async (afterMinutes: string) =>
    await schedule({ options: { retry: { plan: { outcomes: 'no_answer', afterMinutes } } } });
  const storedMinutes = () =>
    (JSON.parse(String(world.tables.rowsOf('Calls')[0]?.request)) as IDataObject).retry;

  it.each([
    ...[
      '1,440',
      '1,440,2880',
      '1,440; 2880',
      '1,440\n10080',
      '10,080',
      '30,120',
      '60, 1,440,2,880',
    ],
    ...['1，440', '1,440,10,080'],
  ])('minutes that may be one number or two (%j) are refused', async (afterMinutes) => {
    expect((await after(afterMinutes)).error?.message).toContain('which may be one number or two');
  });

  it.each([
    ['={{ [1, 440] }}', [1, 440]],
    ['1, 440', [1, 440]],
    ['30,120,1440', [30, 120, 1440]],
    ['0.5,120', [0.5, 120]],
    ['30; 120;\n1440\n', [30, 120, 1440]],
  ])('minutes that say which numbers they are (%j) are taken', async (afterMinutes, minutes) => {
    jsonOf(await after(afterMinutes));
    expect(storedMinutes()).toMatchObject({ afterMinutes: minutes });
  });

  it('a comma between minutes that lines or semicolons separate is refused', async () => {
    const { error } = await after('30, 120; 1440');
    expect(error?.message).toContain('has "30, 120", which is no number of minutes');
  });

  it.each([
    ['1.000', 'Older Than (Days) is not a number'],
    ['12.500', 'Older Than (Days) is not a number'],
  ])('a number such as %s deletes no rows: it may be one, or a thousand', async (days, message) => {
    jsonOf(await schedule({}));
    const { error } = await execute({
      parameters: {
        ...{ resource: 'callLog', operation: 'prune', pruneBy: 'age' },
        ...{ callLogTable: { mode: 'name', value: 'Calls' }, olderThanDays: `={{ "${days}" }}` },
      },
      credential: world.credential(),
    });
    expect(error?.message).toContain(message);
  });

  it.each([
    ['9:00', '6:00', '18:00'],
    ['9:00', '9:00', '21:00'],
    ['9:00', '3:00', '15:00'],
    ['10:00', '1:30', '13:30'],
    ['12:00', '8:00', '20:00'],
    ['13:00', '6:00', '18:00'],
  ])('hours from %s to %s, which hold all night, are told', async (start, end, evening) => {
    const hints = hintsOf(await schedule({ rules: hours(start, end) })).join();
    expect(hints).toContain(`people are called at night too. For the evening, enter ${evening}.`);
  });

  it('hours of the afternoon that are written as hours of the night are told', async () => {
    const hints = hintsOf(await schedule({ rules: hours('1:00', '6:00') })).join();
    expect(hints).toContain('01:00 to 06:00, are at night');
    expect(hints).toContain('enter 13:00 and 18:00.');
  });

  it.each([
    ['22:00', '08:00'],
    ['18:00', '06:00'],
    ['24:00', '23:59'],
  ])('hours from %s to %s, which nobody writes for the evening, are told', async (start, end) => {
    const hints = hintsOf(await schedule({ rules: hours(start, end) })).join();
    expect(hints).toContain('To call nobody at night, enter hours between 08:00 and 21:00.');
  });

  it.each([
    ['00:00', '00:00'],
    ['00:00', '24:00'],
    ['09:00', '00:00'],
    ['09:00', '24:00'],
  ])('hours from %s to %s are meant', async (start, end) => {
    const hints = hintsOf(await schedule({ rules: hours(start, end) })).join();
    expect(hints).not.toContain('at night');
  });

  it('hours that share no minute in the time zones of the country, once clocks have changed, are refused', async () => {
    // Newfoundland and Hawaii are 6.5 hours apart in winter, 7.5 in summer.
    const rules = hours('09:00', '16:00', { customersTimezone: true });
    const inSummer = { callAt: `${new Date().getFullYear() + 1}-07-01T12:00`, rules };
    const { error } = await schedule(inSummer);
    expect(error?.message).toMatch(
      /Calling Hours allow no call within eight days from \d{4}-07-01T12:00: the \d+ time zones/,
    );
    jsonOf(await schedule({ ...inSummer, callAt: `${new Date().getFullYear() + 1}-12-01T12:00` }));
  });

  // The next day on which it is midnight in UTC, as `toISOString` gives an appointment.
  const midnight = new Date(
    Math.ceil(BEGINS.getTime() / 86_400_000 + 1) * 86_400_000,
  ).toISOString();

  it('midnight in UTC counts as a day, and a hint names the time that may be meant', async () => {
    const execution = await schedule({ callAt: midnight }, 'Asia/Tokyo');
    const time = `${midnight.slice(0, 10)}T09:00`;
    expect(hintsOf(execution).join()).toContain('"Call At" that is midnight: in UTC');
    expect(hintsOf(execution).join()).toContain(`by the clock of the workflow: ${time}`);
    expect(hintsOf(await schedule({ callAt: time }, 'Asia/Tokyo')).join()).not.toContain('in UTC');
    expect(hintsOf(await schedule({ callAt: midnight }, 'UTC')).join()).not.toContain('in UTC');
  });

  const inZone = (timezone: string) => ({
    callingHours: { hours: { start: '09:00', end: '20:00', days, timezone } },
  });
  const [eve, day] = [-86_400_000, 0].map((after) =>
    new Date(Date.parse(midnight) + after).toISOString().slice(0, 10),
  );

  it.each([
    [`${eve}T15:00:00.000Z`, 'Asia/Tokyo', 'America/New_York'],
    [`={{ ${Date.parse(`${eve}T15:00:00Z`)} }}`, 'Asia/Tokyo', 'America/New_York'],
    [`${day}T18:30:00.000Z`, 'Asia/Kolkata', 'Europe/London'],
  ])('%s, midnight in %s, is a time of day for hours in %s', async (callAt, workflow, of) => {
    const execution = await schedule({ callAt, rules: inZone(of) }, workflow);
    const [call] = jsonOf(execution);
    const given = callAt.startsWith('=') ? Number(callAt.slice(4, -3)) : Date.parse(callAt);
    expect(Date.parse(String(call?.callAt))).toBe(given);
    expect(hintsOf(execution).join()).not.toContain('midnight');
  });

  it.each([
    [`${day}T00:00:00+09:00`, 'Asia/Tokyo'],
    [`${day}T00:00:00.000Z`, 'UTC'],
  ])(
    '%s, written as midnight in %s, is a day of hours elsewhere, and is told',
    async (...given) => {
      const [callAt, workflow] = given;
      const execution = await schedule({ callAt, rules: inZone('America/New_York') }, workflow);
      expect(jsonOf(execution)[0]?.callAt).toMatch(`${day}T`);
      expect(hintsOf(execution).join()).toContain(`by the clock of the workflow: ${day}T00:01`);
    },
  );

  it('an offset may stand apart from its time', async () => {
    const callAt = `${midnight.slice(0, 10)}T18:00:00 +0530`;
    expect((await schedule({ callAt })).error).toBeUndefined();
  });
});

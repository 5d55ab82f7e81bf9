import type { IDataObject } from 'n8n-workflow';
import { execute, type Execution } from './engine';
import { hintsOf } from './hints';
import { useServiceAndTables } from './serviceAndTables';

const world = useServiceAndTables({ speed: 1000 });

/** A key that somebody has pasted into a field of the node. */
const KEY = 'sk_live_9f8e7d6c5b4a39281706';
/** Any so many characters of it in a row are too many. */
const FEW = 8;

const named = (value: string) => ({ __rl: true, mode: 'name', value });
const CALL = {
  resource: 'call',
  operation: 'trigger',
  scriptId: 7,
  customerPhone: '+12025550123',
};
const SCHEDULE = {
  ...CALL,
  operation: 'schedule',
  callLog: 'dataTable',
  callLogTable: named('Calls'),
};
const hours = { start: '09:00', end: '18:00', days: ['mon'], timezone: KEY };
const plan = (outcomes: string, afterMinutes: string) => ({
  options: { retry: { plan: { outcomes, afterMinutes } } },
});

const FIELDS: Record<string, IDataObject> = {
  'a time zone': { ...CALL, rules: { callingHours: { hours } } },
  'a call log': { ...CALL, callLog: 'dataTable', callLogTable: { ...named(KEY), mode: 'list' } },
  'a do-not-call list': { ...CALL, rules: { doNotCallTable: named(KEY) } },
  'the log of a report': { resource: 'callLog', operation: 'report', callLogTable: named(KEY) },
  'a script': { ...CALL, scriptId: KEY },
  'a phone': { ...CALL, customerPhone: KEY },
  'a time': { ...SCHEDULE, callAt: KEY },
  minutes: { ...SCHEDULE, ...plan('no_answer', KEY) },
  outcomes: { ...SCHEDULE, ...plan(KEY, '30') },
  contacts: {
    resource: 'campaign',
    operation: 'create',
    scriptId: 7,
    campaignName: 'Shop',
    contactsSource: 'json',
    contactsJson: `[{"phone":"${KEY}"}]`,
  },
};

function shownBy(execution: Execution): string {
  const { error, items } = execution;
  const errors = items.map((item) => [item.error?.message, item.error?.description]);
  const told = [error?.message, error?.description, error?.stack, hintsOf(execution), errors];
  return JSON.stringify([told, items.map(({ json }) => json)]);
}

const partsOfKey = [...KEY].flatMap((_, at) =>
  at + FEW > KEY.length ? [] : KEY.slice(at, at + FEW),
);

describe.each(Object.entries(FIELDS))('the API key as %s', (_, parameters) => {
  it.each([undefined, 'continueRegularOutput', 'continueErrorOutput'] as const)(
    'is in no error, item or hint (on error: %s)',
    async (onError) => {
      const execution = await execute({
        parameters,
        settings: onError === undefined ? {} : { onError },
        credential: world.credential(KEY),
      });
      const shown = shownBy(execution);
      expect(shown.length).toBeGreaterThan(60);
      expect(partsOfKey.filter((part) => shown.includes(part))).toEqual([]);
    },
  );
});

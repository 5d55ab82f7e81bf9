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
  'outcomes of a report': {
    ...{ resource: 'callLog', operation: 'report', callLogTable: named('Calls') },
    options: { notReachedOutcomes: `no_answer, ${KEY}` },
  },
  'the order number of a call that the service refuses': {
    ...CALL,
    scriptId: 8,
    additionalFields: { orderNumber: KEY },
  },
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

/** All that n8n stores of an error, and what JSON leaves out. */
function fieldsOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const names = Object.getOwnPropertyNames(error);
  return Object.fromEntries(names.map((name) => [name, fieldsOf(error[name as keyof Error])]));
}

function shownBy(execution: Execution): string {
  const { error, items } = execution;
  const errors = [error, ...items.map((item) => item.error)].map(fieldsOf);
  const shown = [errors, hintsOf(execution), items.map(({ json }) => json)];
  // The node of an error is that of the workflow.
  return JSON.stringify(shown, (name, value: unknown) => (name === 'node' ? undefined : value));
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

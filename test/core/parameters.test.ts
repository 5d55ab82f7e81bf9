import type { IDataObject, WorkflowExecuteMode } from 'n8n-workflow';
import { fc, runs, seed } from '../generators';
import { startCallingService, type CallingService } from '../service';
import { execute, type Execution } from './engine';
import { ProcessedKeys } from './processedKeys';

let service: CallingService;
let keys: ProcessedKeys;
beforeAll(async () => {
  keys = await ProcessedKeys.install();
  service = await startCallingService({ speed: 1000, channelPool: 100_000 });
});
beforeEach(() => {
  keys.clear();
  service.reset();
});
afterAll(async () => await service.close());

const PHONE = '+12025550123';

/** Everything that an expression can give, as the item that it is read from holds it. */
const given = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(true, false, 'true', 'false', 'TRUE', ' yes ') },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(1, 0, '1', '0', 'on', 'off', 'no') },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>('', ' ', null, undefined, [], {}, [''], [null]),
  },
  fc.integer(),
  fc.double(),
  fc.integer().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.string(),
  fc.constantFrom('call', 'Call', 'testPhone', 'dryRun', 'dry run', '+12025550199'),
  fc.constantFrom('__proto__', 'toString', '9:00', '18:00', 'sat,sun', 'Asia/Kolkata', 'IN'),
  fc.jsonValue(),
);

const fromItem = (name: string) => `={{ $json[${JSON.stringify(name)}] }}`;
const call = {
  resource: 'call',
  operation: 'trigger',
  scriptId: 7,
  customerPhone: PHONE,
};
const create = {
  resource: 'campaign',
  operation: 'create',
  scriptId: 7,
  contactsSource: 'json',
  contactsJson: JSON.stringify([{ customerPhone: PHONE }]),
};
const start = { resource: 'campaign', operation: 'start', campaignId: '317' };
const table = { __rl: true, mode: 'name', value: 'Calls' };
const report = { resource: 'callLog', operation: 'report', callLogTable: table };
const prune = { resource: 'callLog', operation: 'prune', callLogTable: table };
const byPhone = { ...prune, pruneBy: 'phone', customerPhone: PHONE };
const hours = (more: IDataObject) => ({ callingHours: { hours: more } });
const VALUE = fromItem('value');

/** Every setting that takes an expression, in the operation that shows it. */
const settings: Record<string, IDataObject> = {
  scriptId: { ...call, scriptId: VALUE },
  customerPhone: { ...call, customerPhone: VALUE },
  simplify: { ...call, simplify: VALUE },
  campaignName: { ...call, additionalFields: { campaignName: VALUE } },
  customerName: { ...call, additionalFields: { customerName: VALUE } },
  orderNotes: { ...call, additionalFields: { orderNotes: VALUE } },
  orderNumber: { ...call, additionalFields: { orderNumber: VALUE } },
  moreVariables: { ...call, additionalFields: { moreVariables: { variable: VALUE } } },
  variableName: {
    ...call,
    additionalFields: { moreVariables: { variable: [{ name: VALUE, value: 'x' }] } },
  },
  variableValue: {
    ...call,
    additionalFields: { moreVariables: { variable: [{ name: 'brand', value: VALUE }] } },
  },
  mappedVariables: { ...call, scriptVariables: { mappingMode: 'defineBelow', value: VALUE } },
  mappedVariable: {
    ...call,
    scriptVariables: { mappingMode: 'defineBelow', value: { brand: VALUE } },
  },
  ...Object.fromEntries(
    ['concurrency', 'defaultCountry', 'requestTimeoutSeconds'].map((name) => [
      name,
      { ...call, options: { [name]: VALUE } },
    ]),
  ),
  ...Object.fromEntries(
    [
      'duplicateKey',
      'manualExecutions',
      'maxCalls',
      'maxCallsPerDay',
      'maxCallsPerPersonPerDay',
      'maxCostPerDay',
      'outsideCallingHours',
      'preventDuplicates',
      'testPhone',
    ].map((name) => [name, { ...call, rules: { [name]: VALUE } }]),
  ),
  maxWaitMinutes: {
    resource: 'call',
    operation: 'getOutcome',
    orderId: '1',
    options: { maxWaitMinutes: VALUE },
  },
  orderId: { resource: 'call', operation: 'getOutcome', orderId: VALUE },
  inProgress: { resource: 'call', operation: 'getOutcome', orderId: '1', inProgress: VALUE },
  ...Object.fromEntries(
    ['callLogTable', 'from', 'to', 'groupBy'].map((name) => [name, { ...report, [name]: VALUE }]),
  ),
  callLogTableValue: { ...report, callLogTable: { ...table, value: VALUE } },
  notReachedOutcomes: { ...report, options: { notReachedOutcomes: VALUE } },
  olderThanDays: { ...prune, olderThanDays: VALUE },
  prunedTable: { ...prune, callLogTable: VALUE },
  prunedPhone: { ...byPhone, customerPhone: VALUE },
  prunedPhoneCountry: { ...byPhone, options: { defaultCountry: VALUE } },
  campaignId: { resource: 'campaign', operation: 'pause', campaignId: VALUE },
  kind: { ...create, kind: VALUE },
  startImmediately: { ...create, startImmediately: VALUE },
  contactsJson: { ...create, contactsJson: VALUE },
  csvText: { ...create, contactsSource: 'csvText', csvText: VALUE, phoneColumn: 'phone' },
  phoneColumn: { ...create, contactsSource: 'csvText', csvText: `a\n${PHONE}`, phoneColumn: VALUE },
  campaignOutsideCallingHours: { ...create, rules: { outsideCallingHours: VALUE } },
  campaignHours: { ...create, rules: { callingHours: { hours: VALUE } } },
  startHours: { ...start, rules: { callingHours: { hours: VALUE } } },
  startTimezone: { ...start, rules: hours({ timezone: VALUE }) },
  startCustomersTimezone: { ...start, rules: hours({ customersTimezone: VALUE }) },
  binaryPropertyName: { ...create, contactsSource: 'csvFile', binaryPropertyName: VALUE },
  contactPhone: { ...create, contactsSource: 'inputItems', contactPhone: VALUE },
  ...Object.fromEntries(
    ['contactsPerCampaign', 'duplicateContacts', 'invalidContacts', 'maxConcurrency'].map(
      (name) => [name, { ...create, options: { [name]: VALUE } }],
    ),
  ),
};

const run = async (
  parameters: IDataObject,
  value: unknown,
  mode?: WorkflowExecuteMode,
): Promise<Execution> =>
  await execute({
    parameters,
    ...(mode === undefined ? {} : { mode }),
    items: [{ json: { value } as IDataObject }],
    credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
  });
const EXECUTIONS = runs(25, 40);
const always = async (check: (value: unknown) => Promise<void>) =>
  await fc.assert(fc.asyncProperty(given, check), {
    numRuns: EXECUTIONS,
    // An object that cannot be made a text of.
    examples: [[{ toString: '' }]],
  });
const raw =
  /is not a function|Cannot (read|use|convert)|undefined \(|not iterable|\[object Object\]/;
const isYes = (value: unknown) =>
  [true, 1, '1', 'true', 'yes', 'on'].includes(
    typeof value === 'string' ? value.trim().toLowerCase() : (value as number),
  );
const isNo = (value: unknown) =>
  [false, 0, '0', 'false', 'no', 'off'].includes(
    typeof value === 'string' ? value.trim().toLowerCase() : (value as number),
  );

describe(`whatever an expression gives (seed ${seed})`, () => {
  it.each(Object.keys(settings))('%s is read, or refused in words', async (name) => {
    await always(async (value) => {
      const received = service.seen.received.length;
      const { error } = await run(settings[name] ?? {}, value);
      if (error === undefined) return;
      expect(`${error.message} ${error.description}`).not.toMatch(raw);
      expect(error.name).toMatch(/^Node(Api|Operation)Error$/);
      // What the node itself refuses is refused before anything is sent.
      if (error.name === 'NodeOperationError') {
        expect(service.seen.received.length).toBe(received);
      }
    });
  });

  it('preventDuplicates is on, off when it says so, or refused', async () => {
    await always(async (value) => {
      keys.clear();
      const before = service.seen.calls.length;
      const parameters = settings.preventDuplicates ?? {};
      const [first] = [await run(parameters, value), await run(parameters, value)];
      const calls = service.seen.calls.length - before;
      expect(calls).toBe(isYes(value) ? 1 : isNo(value) ? 2 : 0);
      if (calls === 0) expect(first.error?.message).toContain('Prevent Duplicates is neither');
    });
  });

  it('manual executions call only when that is what was chosen, and production always does', async () => {
    await always(async (value) => {
      for (const name of ['manualExecutions', 'testPhone']) {
        const before = service.seen.calls.length;
        const { error, items } = await run(settings[name] ?? {}, value, 'manual');
        const phones = service.seen.calls.slice(before).map(({ phone }) => phone);
        if (name === 'manualExecutions' && value === 'call') expect(phones).toEqual([PHONE]);
        else expect(phones).toEqual(items[0]?.json.testCall ? [items[0].json.customerPhone] : []);
        if (error !== undefined) expect(error.message).toMatch(/Manual Executions|Test Phone/);
        else if (value === 'dryRun') expect(items[0]?.json).toMatchObject({ dryRun: true });
        const production = await run(settings[name] ?? {}, value);
        expect(production.items[0]?.json).toMatchObject({ customerPhone: PHONE });
      }
    });
  });

  it('a duplicate key keeps the same key from being called, and tells keys apart', async () => {
    await always(async (value) => {
      keys.clear();
      const before = service.seen.calls.length;
      const parameters = settings.duplicateKey ?? {};
      const [first] = [await run(parameters, value), await run(parameters, value)];
      const calls = service.seen.calls.length - before;
      expect(calls).toBe(first.error === undefined ? 1 : 0);
      const refusal =
        /Duplicate Key (?:is empty|is ".*", which comes from|has more digits|has \d+ characters)/;
      if (calls === 0) expect(first.error?.message).toMatch(refusal);
    });
  });

  it('startImmediately starts, does not when it says so, or is refused', async () => {
    await always(async (value) => {
      const before = service.seen.campaigns.length;
      const { error, items } = await run(settings.startImmediately ?? {}, value);
      if (error === undefined) {
        expect(isYes(value) || isNo(value)).toBe(true);
        expect(items[0]?.json.started).toBe(isYes(value));
        return;
      }
      expect(isYes(value) || isNo(value)).toBe(false);
      expect(error.message).toContain('Start Immediately is neither');
      expect(service.seen.campaigns.length).toBe(before);
    });
  });

  /** What comes first once all parameters are read: the credential has no n8n API key. */
  const isRead = (error: Execution['error']) => error?.message.includes('no n8n API key') === true;

  it('Older Than (Days) is a number of at least one, or refused', async () => {
    await always(async (value) => {
      const { error } = await run(settings.olderThanDays ?? {}, value);
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      const isDays = typeof number === 'number' && number >= 1 && number <= 36_500;
      if (isDays) expect(isRead(error)).toBe(true);
      else expect(error?.message).toContain('Older Than (Days) is not');
    });
  });

  it.each(['from', 'to'])('the time %s is read, left empty, or refused', async (name) => {
    await always(async (value) => {
      const { error } = await run(settings[name] ?? {}, value);
      const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value.trim());
      const isMs = typeof value === 'number' && value > 0;
      const mayBeRead = value === null || value === undefined || value === '' || isTime || isMs;
      const refusal = /^Nobody was called\. (From|To) is/;
      if (!mayBeRead) expect(error?.message).toMatch(/^Nobody .*is not a date and time/);
      else expect(isRead(error) || refusal.test(String(error?.message))).toBe(true);
    });
  });

  it('Max Calls is a cap or refused', async () => {
    await always(async (value) => {
      const { error } = await run(settings.maxCalls ?? {}, value);
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      const isCap = typeof number === 'number' && number >= 1 && Number.isInteger(number);
      if (!isCap) expect(error?.message).toContain('"Max Calls" is not');
      else expect(error).toBeUndefined();
    });
  });

  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  const at = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
  const HOUR_MS = 3_600_000;
  const tomorrow = () => days[(new Date().getUTCDay() + 1) % 7] as string;
  const dayAfter = () => days[(new Date().getUTCDay() + 2) % 7] as string;

  it('days in any form never call on another day', async () => {
    const forms = [
      (list: string[]) => list.join(','),
      (list: string[]) => JSON.stringify(list),
      (list: string[]) => list.map((day) => day.toUpperCase()),
      (list: string[]) => list.join(' '),
      (list: string[]) => list,
    ];
    const parameters = {
      ...call,
      rules: hours({ start: '00:00', end: '00:00', days: VALUE, timezone: 'UTC' }),
    };
    for (const form of forms) {
      const { items, error } = await run(parameters, form([tomorrow(), dayAfter()]));
      expect(error).toBeUndefined();
      expect(items[0]?.json).toMatchObject({ skipped: true, reason: 'outsideCallingHours' });
    }
    expect(service.seen.calls).toEqual([]);
  });

  it.each(['start', 'end', 'days', 'timezone', 'customersTimezone'])(
    'hours whose %s is anything at all never call outside them',
    async (field) => {
      const usual = { start: at(2 * HOUR_MS), end: at(4 * HOUR_MS), days, timezone: 'UTC' };
      const open: Record<string, RegExp> = {
        start: /^\s*\d/,
        end: /^\s*\d/,
        timezone: /./,
        customersTimezone: /$^/,
        days: /$^/,
      };
      await always(async (value) => {
        const before = service.seen.calls.length;
        const { error, items } = await run(
          { ...call, rules: hours({ ...usual, [field]: VALUE }) },
          value,
        );
        const isSkipped = items[0]?.json.skipped === true;
        if (error !== undefined) {
          expect(error.message).toMatch(
            /Calling Hours (have|allow no call)|Customer's Time Zone is neither/,
          );
        } else if (!isSkipped) expect(String(value)).toMatch(open[field] as RegExp);
        if (error !== undefined || isSkipped) expect(service.seen.calls.length).toBe(before);
      });
    },
  );

  it.each(['create', 'start'])(
    "%s never starts outside hours, whatever Customer's Time Zone is",
    async (operation) => {
      const parameters = operation === 'create' ? { ...create, startImmediately: true } : start;
      const closed = { start: at(2 * HOUR_MS), end: at(4 * HOUR_MS), days, timezone: 'UTC' };
      const rules = hours({ ...closed, customersTimezone: VALUE });
      await always(async (value) => {
        const before = service.seen.received.length;
        const { error, items } = await run({ ...parameters, rules }, value);
        const sent = service.seen.received.slice(before).map(({ route }) => route);
        expect(sent).toEqual(
          error === undefined && operation === 'create' ? ['createCampaign'] : [],
        );
        if (error === undefined) expect(items[0]?.json).toHaveProperty('nextAllowedAt');
        else expect(isNo(value)).toBe(false);
      });
    },
  );

  it('hours that are added but not set never call', async () => {
    for (const callingHours of [{}, { hours: {} }, { hours: null }, null, [], '']) {
      const parameters = { ...call, rules: { callingHours } } as unknown as IDataObject;
      const { error } = await run(parameters, null);
      expect(error?.message).toMatch(/^Nobody was called\. .*Calling ?Hours/i);
    }
  });
});

describe('a choice that the panel does not have', () => {
  const three = [0, 1, 2].map(() => ({ json: { phone: PHONE } }));
  const credential = () => ({ baseUrl: service.baseUrl, apiKey: 'test-key' });

  it.each([['items'], ['inputitems'], [''], [null], [true], [{}]])(
    'of the source of contacts loads nobody, instead of everybody for each item: %p',
    async (contactsSource) => {
      const parameters = { ...create, contactsSource, contactPhone: fromItem('phone') };
      const execution = await execute({ parameters, items: three, credential: credential() });
      expect(execution.error?.message).toMatch(/^Nobody was called\. "Contacts Source"/);
      expect(service.seen.received).toEqual([]);
    },
  );

  it.each([['datatable'], [true], [''], [null]])(
    'of the call log calls nobody, instead of keeping none: %p',
    async (callLog) => {
      const parameters = { ...call, callLog } as IDataObject;
      const execution = await execute({ parameters, items: three, credential: credential() });
      expect(execution.error?.message).toMatch(/^Nobody was called\. "Call Log"/);
      expect(service.seen.received).toEqual([]);
    },
  );
});

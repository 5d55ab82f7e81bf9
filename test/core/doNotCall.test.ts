import type { IDataObject } from 'n8n-workflow';
import { readPhoneNumber } from '../../nodes/OutboundAiCalling/contacts/phoneNumber';
import { fc, runs, seed } from '../generators';
import { startCallingService, type CallingService } from '../service';
import type { Table } from '../dataTables/dataTablesOfN8n';
import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';
import { listOf } from '../dataTables/doNotCallTable';
import { execute, jsonOf, type Execution } from './engine';

let service: CallingService;
let api: DataTablesServer;
beforeEach(async () => {
  service = await startCallingService({ speed: 1000 });
  api = await startDataTablesServer();
});
afterEach(async () => {
  await api.close();
  await service.close();
  expect(api.writes).toEqual([]);
});

const otherTable = (index: number) => ({
  ...listOf([]),
  id: `other${index}`,
  name: `Other ${index}`,
});

const LISTED = '+12025550101';
const OTHER = '+12025550102';
const BY_NAME = { __rl: true, mode: 'name', value: 'Do not call' };

const credential = (fields: IDataObject = {}) => ({
  baseUrl: service.baseUrl,
  apiKey: 'test-key',
  n8nApiKey: 'n8n-key',
  n8nApiUrl: api.url,
  ...fields,
});

interface Calls {
  rules?: unknown;
  options?: IDataObject;
  fields?: IDataObject;
}

async function call(phones: unknown[], { rules, options = {}, fields = {} }: Calls = {}) {
  return await execute({
    parameters: {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      rules: (rules ?? { doNotCallTable: BY_NAME }) as IDataObject,
      options,
    },
    items: phones.map((phone) => ({ json: { phone } as IDataObject })),
    credential: credential(fields),
  });
}

const calledPhones = () => service.seen.calls.map(({ body }) => body.customerPhone);
const skippedPhones = (execution: Execution) =>
  jsonOf(execution).flatMap(({ skipped, customerPhone }) =>
    skipped === true ? customerPhone : [],
  );
function hintsOf({ run }: Execution): string[] {
  const tasks = Object.values(run.data.resultData.runData).flat();
  return tasks.flatMap(({ hints = [] }) => hints.map(({ message }) => message));
}

/** But for the hint about people who were not called. */
function hintsAboutRows(execution: Execution): string[] {
  return hintsOf(execution).filter((hint) => !hint.includes(' not called: '));
}

describe('the do-not-call list', () => {
  it('keeps its people from being called, and says so', async () => {
    api.tables.push(listOf([{ phone: LISTED, reason: 'Asked on the telephone' }]));
    const execution = await call([OTHER, LISTED]);
    expect(jsonOf(execution)[1]).toEqual({
      skipped: true,
      reason: 'doNotCall',
      customerPhone: LISTED,
    });
    expect(calledPhones()).toEqual([OTHER]);
    expect(hintsOf(execution)).toEqual(['1 of 2 not called: 1 on the do-not-call list']);
  });

  it.each([
    ['+1 (202) 555-0101', {}],
    ['001 202 555 0101', {}],
    ['(202) 555-0101', { defaultCountry: 'US' }],
    ['202.555.0101', { defaultCountry: ' us ' }],
    ['+１２０２５５５０１０１', {}],
    ["'+12025550101", {}],
    ['tel:+1-202-555-0101', {}],
    [12025550101, { defaultCountry: 'US' }],
    [2025550101, { defaultCountry: 'US' }],
  ])('reads %p (%p)', async (phone, options) => {
    const type = typeof phone === 'number' ? 'number' : 'string';
    api.tables.push(listOf([{ phone }], { phone: type }));
    expect(skippedPhones(await call([LISTED, OTHER], { options }))).toEqual([LISTED]);
    expect(calledPhones()).toEqual([OTHER]);
  });

  it.each([
    ['11 2345 6789', '+54 9 11 2345-6789'],
    ['+54 9 11 2345-6789', '011 2345-6789'],
  ])('spares whom %p names, also when called as %p', async (phone, called) => {
    api.tables.push(listOf([{ phone }]));
    const execution = await call([called], { options: { defaultCountry: 'AR' } });
    expect(skippedPhones(execution)).toHaveLength(1);
    expect(calledPhones()).toEqual([]);
  });

  it('lets people go whose time is over, and nobody whose time cannot be read', async () => {
    const phones = Array.from({ length: 6 }, (_, index) => `+1202555020${index}`);
    const untils = ['2020-01-31', '2999-01-31', '2020-01-31T10:00:00Z', null, 'next spring', ' '];
    api.tables.push(listOf(untils.map((until, index) => ({ phone: phones[index] ?? '', until }))));
    const execution = await call(phones);
    expect(calledPhones().sort()).toEqual([phones[0], phones[2]]);
    expect(hintsOf(execution)).toEqual([
      expect.stringMatching(
        /^The "until" of 1 row of the do-not-call list "Do not call" .*"next spring"/,
      ),
      '4 of 6 not called: 4 on the do-not-call list',
    ]);
  });

  it.each([
    ['919876543210', 'DE'],
    ['919876543210.0', undefined],
    ['9.1987654321E+11', undefined],
    ['9.19876543210E+11', 'US'],
    ['0091 98765 43210', 'AU'],
    ['Never call 919876543210 again', 'DE'],
    ['91 98765 43210, 030 1234567', 'DE'],
  ])('spares whom %p (%p) may mean besides others', async (phone, defaultCountry) => {
    api.tables.push(listOf([{ phone }]));
    const options = defaultCountry === undefined ? {} : { defaultCountry };
    const execution = await call(['+919876543210', OTHER], { options });
    expect(skippedPhones(execution)).toEqual(['+919876543210']);
    expect(hintsAboutRows(execution)).toEqual([]);
  });

  it('spares both whom an entry may mean', async () => {
    api.tables.push(listOf([{ phone: '447911123456' }]));
    const both = ['+447911123456', '+49447911123456'];
    const execution = await call([...both, OTHER], { options: { defaultCountry: 'DE' } });
    expect(skippedPhones(execution)).toEqual(both);
  });

  it.each(['3. 0151 12345678', 'Order 17 0151 12345678', '15,112,345,678', '4,915,112,345,678'])(
    'spares whom %s names, without a default country',
    async (phone) => {
      const person = '+4915112345678';
      api.tables.push(listOf([{ phone }]));
      const execution = await call([person, OTHER]);
      expect(skippedPhones(execution)).toEqual([person]);
    },
  );

  it('spares whom an entry without a plus may mean in any country, whatever the country of an item', async () => {
    api.tables.push(listOf([{ phone: '06 12 34 56 78' }]));
    const french = '+33612345678';
    for (const defaultCountry of ['FR', 'DE', 'US', '']) {
      const execution = await call([french, OTHER], { options: { defaultCountry } });
      expect(skippedPhones(execution)).toEqual([french]);
    }
  });

  it('tells which rows are no phone number', async () => {
    const rows = [{ phone: 'Mrs Smith' }, { phone: null }, { phone: '9.19876E+11' }];
    api.tables.push(listOf(rows));
    const execution = await call([LISTED]);
    expect(hintsOf(execution)).toEqual([
      expect.stringMatching(/^3 rows of the do-not-call list .*"Mrs Smith".*Default Country/),
    ]);
  });

  it.each([
    ['+12025550101 ext. 5'],
    ['+1 202 555 0101 x5'],
    ['+12025550101#5'],
    ['+12025550101;isub=12'],
    ['+1 202 555 0101 / +1 202 555 0109'],
    ['+1 202 555 0109 or +1 202 555 0101 (home)'],
    ['+12025550109+12025550101'],
    ['Call +1 202 555 0101 never again'],
    ['2025550101'],
    ['1 (202) 555-0101'],
    ['2025550109, 2025550101'],
    [12025550101],
  ])('spares whom %p may mean', async (phone) => {
    const type = typeof phone === 'number' ? 'number' : 'string';
    api.tables.push(listOf([{ phone }], { phone: type }));
    const execution = await call([LISTED, OTHER]);
    expect(skippedPhones(execution)).toEqual([LISTED]);
    expect(hintsAboutRows(execution)).toEqual([]);
  });

  it.each([
    ['030 1234567', '+49301234567'],
    ['0049 30 1234567', '+49301234567'],
    ['49301234567', '+49301234567'],
    ['06 12345678', '+390612345678'],
    ['8 912 345-67-89', '+79123456789'],
    ['0 98765 43210', '+919876543210'],
  ])('takes %p without a country for the writing of %s', async (phone, called) => {
    api.tables.push(listOf([{ phone }]));
    expect(skippedPhones(await call([called, OTHER]))).toEqual([called]);
  });

  it('is read once for all calls of an execution', async () => {
    api.tables.push(listOf([{ phone: LISTED }]));
    await call(Array.from({ length: 50 }, (_, index) => `+1202555${1000 + index}`));
    expect(api.requests).toEqual(['GET /api/v1/data-tables', 'GET /api/v1/data-tables/list1/rows']);
    expect(service.seen.calls).toHaveLength(50);
  });

  const MANY = Array.from({ length: 9_000 }, (_, index) => ({
    phone: `+1202${2_000_000 + index * 7}`,
  }));
  const some = [0, 249, 250, 251, 4_249, 4_250, 4_251, 8_999].map((index) => MANY[index]?.phone);

  it.each([
    ['in few requests', () => undefined, 8],
    ['from an n8n without dry runs', () => (api.api.saysDryRuns = false), 41],
    [
      'with a key that may not change rows',
      () =>
        (api.fail = (request) =>
          request.startsWith('PATCH') ? { status: 403, message: 'Forbidden' } : undefined),
      41,
    ],
  ])('is read whole when it is long, %s', async (_how, arrange, most) => {
    api.tables.push(listOf(MANY));
    arrange();
    expect(skippedPhones(await call([...some, OTHER]))).toEqual(some);
    expect(calledPhones()).toEqual([OTHER]);
    expect(api.requests.length).toBeLessThanOrEqual(most);
    // Had this n8n written what a dry run names, the row would hold what it held before.
    for (const write of api.writes.splice(0)) {
      const { filter, data } = JSON.parse(write) as { filter: unknown; data: unknown };
      expect(filter).toMatchObject({
        filters: [{ columnName: 'id', condition: 'eq', value: 250 }],
      });
      expect(data).toEqual({ phone: MANY[249]?.phone });
    }
  });

  it('misses nobody while rows are added and deleted', async () => {
    const table = listOf(MANY);
    api.tables.push(table);
    api.beforeRows = () => {
      table.rows.splice(3, 40);
      table.rows.push({ id: (table.rows.at(-1)?.id ?? 0) + 1_000, phone: OTHER });
    };
    const last = MANY[8_999]?.phone;
    expect(skippedPhones(await call([MANY[0]?.phone, last]))).toEqual([MANY[0]?.phone, last]);
  });

  it('is read where most rows were deleted', async () => {
    const table = listOf(MANY);
    table.rows.forEach(
      (row, index) => (row.id = index < 400 ? index + 1 : 50_000_000 + index * 900),
    );
    api.tables.push(table);
    expect(skippedPhones(await call([...some, OTHER]))).toEqual(some);
    expect(api.requests.length).toBeLessThan(120);
  });

  it('is read while the tables of n8n are full, which refuses dry runs', async () => {
    const people = Array.from({ length: 300 }, (_, index) => ({
      phone: `+1202556${1000 + index}`,
    }));
    api.tables.push(listOf([...people, { phone: LISTED }]));
    api.fail = (request) =>
      request.startsWith('PATCH')
        ? { status: 400, message: 'Data table size limit exceeded' }
        : undefined;
    expect(jsonOf(await call([LISTED, OTHER]))).toMatchObject([
      { skipped: true, reason: 'doNotCall' },
      { callStatus: 'in_progress' },
    ]);
  });

  it('is read whole from an n8n that gives shorter pages than it was asked for', async () => {
    api.api.largestPage = 100;
    api.tables.push(...Array.from({ length: 150 }, (_, index) => otherTable(index)), listOf(MANY));
    expect(skippedPhones(await call([...some, OTHER]))).toEqual(some);
  });

  describe('that is long', () => {
    const now = () => new Date().toISOString();
    const [first, second] = [MANY[0]?.phone, MANY[1]?.phone];
    const read = async () => {
      api.requests.splice(0);
      const skipped = skippedPhones(await call([first, second, OTHER]));
      return { skipped, requests: api.requests.length };
    };

    it('is not read again while nobody changes it', async () => {
      api.tables.push(listOf([...MANY, { phone: 'nobody' }]));
      expect(await read()).toMatchObject({ skipped: [first, second] });
      expect(await read()).toEqual({ skipped: [first, second], requests: 2 });
      expect(hintsAboutRows(await call([first]))).toEqual([expect.stringMatching(/^1 row of/)]);
    });

    it.each<[string, (table: Table) => unknown, unknown[]]>([
      [
        'a row is added',
        (table) => table.rows.push({ id: 10_000, phone: OTHER, updatedAt: now() }),
        [first, second, OTHER],
      ],
      [
        'a row is changed',
        ({ rows }) => Object.assign(rows[0] ?? {}, { phone: OTHER, updatedAt: now() }),
        [second, OTHER],
      ],
      [
        'a row is changed by an n8n whose clock is late',
        (table) => {
          Object.assign(table.rows[0] ?? {}, { phone: OTHER, updatedAt: '2025-12-31T23:59:59Z' });
          table.updatedAt = '2025-12-31T23:59:59Z';
        },
        [second, OTHER],
      ],
      [
        'a row is deleted',
        (table) => {
          table.rows.splice(0, 1);
          table.updatedAt = now();
        },
        [second],
      ],
    ])('is read again when %s', async (_what, change, spared) => {
      const table = listOf(MANY);
      api.tables.push(table);
      await read();
      change(table);
      expect((await read()).skipped).toEqual(spared);
    });

    const add = (table: Table, phone: string) => {
      table.updatedAt = now();
      table.rows.push({ id: 10_000, phone, updatedAt: now() });
    };

    it('is not read whole when a row is added, whoever is called', async () => {
      const table = listOf(MANY);
      api.tables.push(table);
      await read();
      add(table, OTHER);
      api.requests.splice(0);
      expect(skippedPhones(await call([OTHER, '+12025550103']))).toEqual([OTHER]);
      // The tables, the state of this one, the newest rows, and the row that names somebody.
      expect(api.requests).toHaveLength(4);
      expect(calledPhones()).toEqual([OTHER, '+12025550103']);
    });

    it.each<[string, (table: Table) => unknown]>([
      ['was deleted', ({ rows }) => rows.splice(0, 1)],
      [
        'names another now',
        ({ rows }) => Object.assign(rows[0] ?? {}, { phone: '+12025550103', updatedAt: now() }),
      ],
      [
        'has ended',
        ({ rows }) => Object.assign(rows[0] ?? {}, { until: '2026-01-01', updatedAt: now() }),
      ],
    ])('lets people go whose row %s, also when another was added since', async (_what, change) => {
      const table = listOf(MANY, { until: 'string' });
      api.tables.push(table);
      await read();
      add(table, OTHER);
      change(table);
      expect((await read()).skipped).toEqual([second, OTHER]);
    });

    it('spares everybody whom it names when it is asked for many', async () => {
      const table = listOf(MANY);
      api.tables.push(table);
      await read();
      add(table, OTHER);
      api.requests.splice(0);
      const listed = MANY.slice(0, 200).map(({ phone }) => phone);
      expect(skippedPhones(await call([...listed, OTHER]))).toEqual([...listed, OTHER]);
      expect(api.requests.length).toBeLessThan(40);
    });

    it.each<[string, (table: Table) => unknown]>([
      ['was changed just now', (table) => (table.updatedAt = now())],
      ['does not tell changes of its rows', (table) => (table.updatedAt = '2025-01-01T00:00:00Z')],
      ['does not tell when it was changed', (table) => delete table.updatedAt],
    ])('is read each time when it %s', async (_how, arrange) => {
      const table = listOf(MANY);
      arrange(table);
      api.tables.push(table);
      await read();
      table.rows.splice(0, 1);
      expect((await read()).skipped).toEqual([second]);
    });

    it('lets people go when their time is over, and keeps whom another row names', async () => {
      const until = Date.now() + 3_000;
      const rows = [...MANY, { phone: OTHER, until }, { phone: second ?? '', until }];
      api.tables.push(listOf(rows, { until: 'number' }));
      expect((await read()).skipped).toEqual([first, second, OTHER]);
      await new Promise((resolve) => setTimeout(resolve, until - Date.now() + 10));
      expect(await read()).toEqual({ skipped: [first, second], requests: 2 });
    });
  });

  it('is read as it is, whatever the n8n API key looks like', async () => {
    api.tables.push(listOf([{ phone: '+1 202 5550101', reason: 'Asked' }]));
    const fields = { n8nApiKey: '5550101' };
    expect(skippedPhones(await call([LISTED], { fields }))).toEqual([LISTED]);
  });

  it('keeps the n8n API key out of what n8n says when it refuses', async () => {
    api.tables.push(listOf([]));
    api.fail = () => ({ status: 400, message: 'No to n8n-key-of-someone' });
    const { error } = await call([OTHER], { fields: { n8nApiKey: 'n8n-key-of-someone' } });
    expect(error?.message).toContain('n8n refused: No to [API key]');
  });

  it('is not guessed when two tables have its name', async () => {
    api.tables.push(listOf([]), { ...listOf([{ phone: LISTED }]), id: 'list2' });
    const { error } = await call([LISTED]);
    expect(error?.message).toMatch(
      /^Nobody was called\. The do-not-call list could not be read: There are 2 data tables "Do not call"/,
    );
    expect(error?.description).toContain('Choose it from the list under "Do-Not-Call List"');
    expect(service.seen.received).toEqual([]);
    const rules = { doNotCallTable: { __rl: true, mode: 'id', value: 'list2' } };
    expect(skippedPhones(await call([LISTED], { rules }))).toEqual([LISTED]);
  });

  describe('that cannot be read', () => {
    const refused = (status: number, message: string) =>
      (api.fail = (request) => (request.endsWith('/rows') ? { status, message } : undefined));

    it.each<[string, () => unknown, string, Calls]>([
      ['is gone', () => undefined, 'There is no data table "Do not call"', {}],
      [
        'lacks its column',
        () => api.tables.push({ ...listOf([]), columns: [{ name: 'Telephone', type: 'string' }] }),
        'has no column "phone"',
        {},
      ],
      [
        'has dates as phones',
        () => api.tables.push(listOf([], { phone: 'date' })),
        'its type is date',
        {},
      ],
      [
        'is refused',
        () => (api.tables.push(listOf([])), refused(403, 'Forbidden')),
        '"dataTableRow:read"',
        {},
      ],
      [
        'is deleted meanwhile',
        () => (api.tables.push(listOf([])), refused(404, "Could not find the data table: 'list1'")),
        'not exist',
        {},
      ],
      ['is broken', () => (api.tables.push(listOf([])), refused(400, 'No')), 'n8n refused: No', {}],
      ['has no key', () => undefined, 'has no n8n API key', { fields: { n8nApiKey: '' } }],
    ])('lets nobody be called when it %s', async (_why, arrange, told, calls) => {
      arrange();
      const { error } = await call([OTHER], calls);
      expect(error?.message).toMatch(/^Nobody was called\. The do-not-call list could not be read/);
      expect(error?.message).toContain(told);
      expect(error?.description).toMatch(/\w/);
      expect(service.seen.received).toEqual([]);
    });
  });

  describe('as an expression gives it', () => {
    const locator = (mode: unknown, value: unknown) => ({ __rl: true, mode, value });
    it.each([
      ['a name', locator('name', ' Do not call ')],
      ['an id', locator('id', 'list1')],
      ['a choice of the list', locator('list', 'list1')],
      ['an expression', locator('id', '={{ "list" + 1 }}')],
      ['a locator made by an expression', '={{ ({ mode: "id", value: "list1" }) }}'],
    ])('is found by %s', async (_what, doNotCallTable) => {
      api.tables.push(listOf([{ phone: LISTED }]));
      expect(skippedPhones(await call([LISTED], { rules: { doNotCallTable } }))).toEqual([LISTED]);
    });

    it('is found by a number for a name', async () => {
      api.tables.push({ ...listOf([{ phone: LISTED }]), name: '2026' });
      const rules = { doNotCallTable: locator('name', '={{ 2026 }}') };
      expect(skippedPhones(await call([LISTED], { rules }))).toEqual([LISTED]);
    });

    it.each([
      ['nothing chosen', locator('list', '')],
      ['spaces', locator('name', '  ')],
      ['an empty expression', locator('id', '={{ undefined }}')],
      ['null', null],
      ['a list', locator('id', ['list1'])],
      ['an object', locator('id', { id: 'list1' })],
      ['a switch', locator('id', true)],
      ['another mode', locator('url', 'list1')],
      ['no mode', { value: 'list1' }],
      ['a text', 'list1'],
      ['a number', 7],
      ['false', '={{ false }}'],
      ['an array', ['list1']],
    ])('is refused as %s', async (_what, doNotCallTable) => {
      api.tables.push(listOf([{ phone: LISTED }]));
      const { error } = await call([OTHER], { rules: { doNotCallTable } });
      expect(error?.message).toMatch(/Do-Not-Call List (is empty|names no data table)/);
      expect(service.seen.received).toEqual([]);
    });
  });

  /** Rows that name a phone, to a person who knows no country, and rows that name nobody. */
  const spellings = (phone: string) => {
    const national = phone.slice(2);
    const named = [
      phone,
      national,
      `00${phone.slice(1)}`,
      `1 ${national}`,
      `(${national.slice(0, 3)}) ${national.slice(3)}`,
      `${phone} ext. 5`,
      `${phone}, ${phone}`,
      `${phone};isub=12`,
      phone.replace(/5/g, '５'),
    ].map((row) => ({ row, names: phone }));
    const unnamed = [phone.slice(0, -1), national.slice(3), 'nobody'];
    return fc.constantFrom(...named, ...unnamed.map((row) => ({ row, names: undefined })));
  };
  const phones = fc.nat(30).map((number) => `+12025550${String(100 + number)}`);

  it(`spares whom its rows name, each read alone (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(phones.chain(spellings), { maxLength: 20 }),
        fc.uniqueArray(phones, { minLength: 1, maxLength: 20 }),
        fc.constantFrom(undefined, 'US' as const, 'IN' as const),
        async (rows, called, country) => {
          service.reset();
          api.tables.splice(0, 1, listOf(rows.map(({ row }) => ({ phone: row }))));
          const options = country === undefined ? {} : { defaultCountry: country };
          const execution = await call(called, { options });
          const namedByRow = rows.map(({ row, names = [] }) => {
            const reading = readPhoneNumber(row, country);
            return 'e164' in reading ? [reading.e164].concat(names) : [names].flat();
          });
          const named = namedByRow.flat();
          expect(skippedPhones(execution)).toEqual(called.filter((one) => named.includes(one)));
          expect(calledPhones().sort()).toEqual(
            called.filter((one) => !named.includes(one)).sort(),
          );
          const unread = namedByRow.filter((people) => people.length === 0).length;
          expect(hintsAboutRows(execution).map((hint) => parseInt(hint, 10))).toEqual(
            unread === 0 ? [] : [unread],
          );
        },
      ),
      { numRuns: runs(40, 400) },
    );
  });
});

describe('a campaign with a do-not-call list', () => {
  async function create(
    contacts: IDataObject[],
    options: IDataObject = {},
    { startImmediately = false, ...more }: { startImmediately?: boolean; retryOf?: Execution } = {},
  ) {
    return await execute({
      parameters: {
        resource: 'campaign',
        operation: 'create',
        scriptId: 7,
        contactsSource: 'json',
        contactsJson: JSON.stringify(contacts),
        startImmediately,
        rules: { doNotCallTable: BY_NAME },
        options,
      },
      credential: credential(),
      ...more,
    });
  }

  it('leaves its people out and lists them', async () => {
    api.tables.push(
      listOf([{ phone: '202 555 0101', reason: 'Moved' }, { phone: '+12025550104' }]),
    );
    const contacts = ['+12025550103', LISTED, '+12025550104', '+12025550103', LISTED];
    const [item] = jsonOf(
      await create(
        contacts.map((customerPhone) => ({ customerPhone })),
        { defaultCountry: 'US', duplicateContacts: 'removeByPhone' },
      ),
    );
    expect(item).toMatchObject({ contactCount: 1 });
    expect(item?.skippedContacts).toEqual([
      { row: 2, phone: LISTED, reason: 'The number is on the do-not-call list: Moved' },
      { row: 3, phone: '+12025550104', reason: 'The number is on the do-not-call list' },
      { row: 4, phone: '+12025550103', reason: 'The number is listed before' },
      { row: 5, phone: LISTED, reason: 'The number is on the do-not-call list: Moved' },
    ]);
  });

  it('is not created when nobody is left', async () => {
    api.tables.push(listOf([{ phone: LISTED }]));
    const { error } = await create([{ customerPhone: LISTED }, { customerPhone: LISTED }]);
    expect(error?.message).toBe(
      'Nobody was called. Contacts are missing: the list has nobody who can be called (on the do-not-call list: 2)',
    );
    expect(service.seen.received).toEqual([]);
  });

  it('is not created when the list cannot be read', async () => {
    const { error } = await create([{ customerPhone: OTHER }]);
    expect(error?.message).toMatch(/^Nobody was called\. The do-not-call list could not be read/);
    expect(service.seen.received).toEqual([]);
  });

  it('is not created from a list that was not chosen', async () => {
    const { error } = await execute({
      parameters: {
        resource: 'campaign',
        operation: 'create',
        scriptId: 7,
        contactsSource: 'json',
        contactsJson: JSON.stringify([{ customerPhone: OTHER }]),
        rules: { doNotCallTable: { __rl: true, mode: 'list', value: '' } },
      },
      credential: credential(),
    });
    expect(error?.message).toContain('Do-Not-Call List is empty');
    expect(service.seen.received).toEqual([]);
  });

  it('is not started by a retry when it holds somebody who is on the list by then, and says so', async () => {
    const contacts = [{ customerPhone: LISTED }, { customerPhone: OTHER }];
    api.tables.push(listOf([{ phone: '+12025559999' }]));
    service.faults.add({ kind: 'status', status: 401, route: 'controlCampaign' });
    const first = await create(contacts, {}, { startImmediately: true });
    expect(first.error?.message).toMatch(/^Nobody was called/);
    api.tables.splice(0, 1, listOf([{ phone: LISTED }]));
    const [item] = jsonOf(await create(contacts, {}, { startImmediately: true, retryOf: first }));
    expect(service.seen.campaigns.map(({ state }) => state)).toEqual(['not_started']);
    expect(item).toMatchObject({ started: false, skippedContacts: [{ phone: LISTED }] });
    expect(item?.message).toMatch(/with people whom this request does not name/);
  });
});

import type { IDataObject, IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { DoNotCallList } from '../../nodes/OutboundAiCalling/rules/doNotCallList';
import { DoNotCallLists } from '../../nodes/OutboundAiCalling/rules/doNotCallLists';
import { DataTablesOfN8n, type Table, type TableRow } from '../dataTables/dataTablesOfN8n';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const SETTING = { locator: { mode: 'name', value: 'No' }, defaultCountry: undefined };

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('the do-not-call list of an execution', () => {
  it('is read once for calls prepared together, and anew after a minute or a failure', async () => {
    const hints: string[] = [];
    const list = { length: 0, isExact: true, hints: () => ['1 row cannot be read'] };
    const reading = jest
      .spyOn(DoNotCallList, 'read')
      .mockResolvedValue(list as unknown as DoNotCallList);
    const columns = [{ name: 'phone', type: 'string' }];
    const body = { data: [{ id: 'list', name: 'No', columns }] };
    const answer = async () => await Promise.resolve({ statusCode: 200, headers: {}, body });
    const lists = new DoNotCallLists({
      getCredentials: async () => await Promise.resolve({ n8nApiKey: 'key' }),
      getInstanceBaseUrl: () => 'http://localhost:5678',
      getTimezone: () => 'UTC',
      addExecutionHints: ({ message }: { message: string }) => hints.push(message),
      helpers: { httpRequestWithAuthentication: answer },
    } as unknown as IExecuteFunctions);
    await Promise.all([lists.exact(SETTING), lists.exact(SETTING)]);
    expect(reading).toHaveBeenCalledTimes(1);
    jest.setSystemTime(NOON + 61_000);
    await lists.exact(SETTING);
    expect(reading).toHaveBeenCalledTimes(2);
    expect(hints).toHaveLength(1);
    jest.setSystemTime(NOON + 122_000);
    reading.mockRejectedValueOnce(new Error('n8n is busy'));
    await expect(lists.exact(SETTING)).rejects.toThrow('n8n is busy');
    await lists.exact(SETTING);
    expect(reading).toHaveBeenCalledTimes(4);
  });
});

describe('a long do-not-call list', () => {
  const HOUR_MS = 3_600_000;
  const QUARTER_MS = HOUR_MS / 4;
  const OTHER = '+12025559999';
  const COLUMNS = [{ name: 'phone', type: 'string' }];
  const phoneOf = (index: number) => `+1202555${1000 + index}`;
  const iso = (at: number) => new Date(at).toISOString();

  beforeEach(() => {
    // Only the clock stands still.
    jest.useFakeTimers({ now: NOON, doNotFake: ['setImmediate', 'setTimeout'] });
    jest.spyOn(DoNotCallList, 'read');
  });

  let made = 0;
  /** A table of people that nobody has changed for an hour, and executions that read it. */
  function peopleIn(count: number, more: Partial<Table> = {}) {
    const api = new DataTablesOfN8n();
    const rows = Array.from({ length: count }, (_, index) => ({
      ...{ id: index + 1, phone: phoneOf(index), updatedAt: iso(NOON - HOUR_MS) },
    }));
    const table: Table = {
      ...{ id: `list${++made}`, name: 'No', columns: COLUMNS, rows },
      ...{ updatedAt: iso(NOON - HOUR_MS), ...more },
    };
    api.tables.push(table);
    const send = async ({ url, method = 'GET', qs, body }: IHttpRequestOptions) => {
      const path = url.slice(url.indexOf('/data-tables'));
      const entries = Object.entries((qs ?? {}) as IDataObject);
      const query = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
      const answer = api.handle({ method, path, query, body: structuredClone(body) });
      const { status, body: given } = structuredClone(answer);
      return await Promise.resolve({ statusCode: status, headers: {}, body: given });
    };
    const executionNew = () =>
      new DoNotCallLists({
        getCredentials: async () => await Promise.resolve({ n8nApiKey: 'key' }),
        getInstanceBaseUrl: () => 'http://localhost:5678',
        getTimezone: () => 'UTC',
        addExecutionHints: () => undefined,
        helpers: {
          httpRequestWithAuthentication: async (_type: string, request: IHttpRequestOptions) =>
            await send(request),
        },
      } as unknown as IExecuteFunctions);
    const setting = { ...SETTING, locator: { mode: 'id', value: table.id } };
    const isListed = async (phone: string, lists = executionNew()) =>
      (await lists.reasonFor(setting, phone)) !== undefined;
    /** How often the whole table is read by an execution that asks for these people. */
    const readsWholeFor = async (...phones: string[]) => {
      const lists = executionNew();
      const before = jest.mocked(DoNotCallList.read).mock.calls.length;
      const listed: boolean[] = [];
      for (const phone of phones) listed.push(await isListed(phone, lists));
      return { reads: jest.mocked(DoNotCallList.read).mock.calls.length - before, listed };
    };
    const change = (index: number, cells: Partial<TableRow>, at = NOON) => {
      table.rows[index] = { ...table.rows[index], ...cells, updatedAt: iso(at) } as TableRow;
      table.updatedAt = iso(at);
    };
    return { table, change, executionNew, isListed, readsWholeFor, setting };
  }

  it.each([
    [250, 1],
    [251, 0],
  ])('of %i rows that nobody has changed is read %i times by the next', async (rows, reads) => {
    const { readsWholeFor } = peopleIn(rows);
    await readsWholeFor(phoneOf(0));
    const next = await readsWholeFor(phoneOf(rows - 1), OTHER);
    expect(next).toEqual({ reads, listed: [true, false] });
  });

  it('is read on when rows were added or changed, and names these people', async () => {
    const { readsWholeFor, change, table } = peopleIn(300);
    await readsWholeFor(phoneOf(0));
    jest.setSystemTime(NOON + QUARTER_MS);
    change(299, { phone: OTHER }, NOON + QUARTER_MS - 60_000);
    expect(await readsWholeFor(OTHER)).toEqual({ reads: 0, listed: [true] });
    // Another change follows the one that was read on.
    jest.setSystemTime(NOON + 2 * QUARTER_MS);
    table.rows.push({ id: 301, phone: '+12025559998', updatedAt: iso(NOON + 2 * QUARTER_MS - 1) });
    table.updatedAt = iso(NOON + 2 * QUARTER_MS - 1);
    expect(await readsWholeFor('+12025559998')).toEqual({ reads: 0, listed: [true] });
  });

  it('is read whole after an hour: an import that was committed late has older times', async () => {
    const { readsWholeFor, table, change } = peopleIn(300);
    await readsWholeFor(phoneOf(0));
    jest.setSystemTime(NOON + QUARTER_MS);
    change(0, { reason: 'Asked' }, NOON + QUARTER_MS - 60_000);
    expect(await readsWholeFor(OTHER)).toEqual({ reads: 0, listed: [false] });
    table.rows.push({ id: 301, phone: OTHER, updatedAt: iso(NOON - QUARTER_MS) });
    jest.setSystemTime(NOON + HOUR_MS - 1);
    expect(await readsWholeFor(OTHER)).toEqual({ reads: 0, listed: [false] });
    jest.setSystemTime(NOON + HOUR_MS);
    expect(await readsWholeFor(OTHER)).toEqual({ reads: 1, listed: [true] });
    jest.setSystemTime(NOON + 2 * HOUR_MS - 1);
    expect(await readsWholeFor(OTHER)).toEqual({ reads: 0, listed: [true] });
  });

  it('is read whole for a person who may be on it no longer', async () => {
    const { readsWholeFor, change } = peopleIn(300);
    await readsWholeFor(phoneOf(0));
    change(299, { phone: OTHER });
    expect(await readsWholeFor(phoneOf(0), phoneOf(1))).toEqual({ reads: 0, listed: [true, true] });
    expect(await readsWholeFor(phoneOf(299))).toEqual({ reads: 1, listed: [false] });
  });

  it('is read whole for many people, instead of asking about each', async () => {
    const { readsWholeFor, change } = peopleIn(300);
    const asked = (count: number) => Array.from({ length: count }, (_, index) => phoneOf(index));
    await readsWholeFor(phoneOf(0));
    change(299, { phone: OTHER });
    expect((await readsWholeFor(...asked(20))).reads).toBe(0);
    expect((await readsWholeFor(...asked(21))).reads).toBe(1);
  });

  it('is read on again while a change may not be visible yet', async () => {
    const { readsWholeFor, change, table } = peopleIn(300);
    change(0, {}, NOON - 15_000);
    await readsWholeFor(OTHER);
    // Another process has written it before, and its transaction ended only now.
    table.rows.push({ id: 301, phone: OTHER, updatedAt: iso(NOON - 20_000) });
    expect(await readsWholeFor(OTHER)).toEqual({ reads: 0, listed: [true] });
  });

  it.each([
    [249, 0],
    [250, 1],
  ])('of which %i rows have changed is read whole %i times', async (count, reads) => {
    const { readsWholeFor, change } = peopleIn(600);
    await readsWholeFor(OTHER);
    for (let index = 0; index < count; index++) change(index, { reason: 'Asked' });
    expect(await readsWholeFor(OTHER)).toEqual({ reads, listed: [false] });
  });

  it.each<[string, (table: Table) => void]>([
    [
      'a row was deleted',
      (table) => {
        table.rows.splice(0, 1);
        table.updatedAt = iso(NOON);
      },
    ],
    [
      'it got another column',
      (table) => {
        table.columns = [...COLUMNS, { name: 'reason', type: 'string' }];
      },
    ],
    [
      'n8n does not note its changes',
      (table) => {
        delete table.updatedAt;
      },
    ],
    [
      'n8n notes changes of its columns only',
      (table) => {
        table.updatedAt = iso(NOON - HOUR_MS - 1_001);
      },
    ],
    [
      'a changed row cannot be read',
      (table) => {
        table.rows[1] = { id: 2, phone: 'Nathan', updatedAt: iso(NOON) };
        table.updatedAt = iso(NOON);
      },
    ],
  ])('is read whole when %s', async (_, change) => {
    const { readsWholeFor, table } = peopleIn(300);
    await readsWholeFor(OTHER);
    change(table);
    expect(await readsWholeFor(OTHER)).toEqual({ reads: 1, listed: [false] });
  });

  it('may have a row whose time is a second ahead of that of its table', async () => {
    const { readsWholeFor } = peopleIn(300, { updatedAt: iso(NOON - HOUR_MS - 1_000) });
    await readsWholeFor(OTHER);
    expect((await readsWholeFor(OTHER)).reads).toBe(0);
  });

  it('is kept with two others, those used last', async () => {
    const worlds = [1, 2, 3, 4].map(() => peopleIn(300));
    const readsOf = async (index: number) => (await worlds[index]?.readsWholeFor(OTHER))?.reads;
    for (const index of [0, 1, 2]) await readsOf(index);
    expect(await readsOf(0)).toBe(0);
    expect(await readsOf(3)).toBe(1);
    expect([await readsOf(0), await readsOf(2), await readsOf(3)]).toEqual([0, 0, 0]);
    expect(await readsOf(1)).toBe(1);
  });

  it('is read exactly, for a campaign, once it was read on', async () => {
    const { readsWholeFor, change, executionNew, setting } = peopleIn(300);
    await readsWholeFor(OTHER);
    change(299, { phone: OTHER });
    expect(await readsWholeFor(OTHER)).toEqual({ reads: 0, listed: [true] });
    const list = await executionNew().exact(setting);
    expect([list.isExact, list.reasonFor(phoneOf(299))]).toEqual([true, undefined]);
  });

  it('is told to be no list, or none at all, before anybody is called', async () => {
    const { isListed, table } = peopleIn(0, { columns: [{ name: 'tel', type: 'string' }] });
    await expect(isListed(OTHER)).rejects.toMatchObject({
      ...{ name: 'DataTableError', kind: 'columnMissing' },
      message:
        'The do-not-call list could not be read: The data table "No" has no column "phone", so it is no do-not-call list',
      advice: expect.stringContaining('It has the columns tel.'),
    });
    table.id = 'another';
    await expect(isListed(OTHER)).rejects.toMatchObject({ kind: 'tableMissing' });
  });

  it('is read again by an execution after a minute, not before', async () => {
    const { table, executionNew, isListed } = peopleIn(3);
    const lists = executionNew();
    await isListed(OTHER, lists);
    table.rows.push({ id: 4, phone: OTHER, updatedAt: iso(NOON) });
    jest.setSystemTime(NOON + 59_999);
    expect(await isListed(OTHER, lists)).toBe(false);
    jest.setSystemTime(NOON + 60_000);
    expect(await isListed(OTHER, lists)).toBe(true);
  });
});

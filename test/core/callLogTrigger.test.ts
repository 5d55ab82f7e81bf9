import type { IDataObject } from 'n8n-workflow';
import { openLogOf, placeLogged } from '../n8n/loggedFromOutside';
import { startCallingService, type CallingService } from '../service';
import { startDataTablesServer, type DataTablesServer } from '../dataTables/dataTablesServer';
import { anotherProcess, type Publication, type PublicationOptions } from './triggerEngine';
import { publishWatch } from './watchedLog';

let tables: DataTablesServer;
let service: CallingService;
let table: string;
let logs = 0;
beforeAll(async () => {
  tables = await startDataTablesServer();
  // Every call ends before a trigger looks.
  service = await startCallingService({ speed: 100_000 });
});
afterAll(async () => {
  await tables.close();
  await service.close();
});
afterEach(() => jest.restoreAllMocks());
beforeEach(async () => {
  table = `Log ${++logs}`;
  await openLogOf(service, tables.baseUrl, 'key', table);
});

function publication(more: Partial<PublicationOptions> = {}, parameters: IDataObject = {}) {
  const own = publishWatch({ service, tables, table }, parameters, more);
  return Object.assign(own, { warn: jest.spyOn(own.logger, 'warn').mockImplementation() });
}

/** Places calls whose first look is due at once. */
async function place(count: number): Promise<number[]> {
  const log = await openLogOf(service, tables.baseUrl, 'key', table);
  const orderIds = await placeLogged(log, service, count);
  for (const row of tables.rowsOf(table)) {
    if (row.status === 'in_progress') row.runAt = Date.now() - 1_000;
  }
  return orderIds;
}

const firedIds = ({ fired }: Publication) => fired.map(({ orderId }) => orderId);
const places = () => tables.rowsOf(`Triggers of ${table} (${tables.idOf(table)})`);

describe('a log whose name is mistyped', () => {
  it('is not made: the error names the tables that there are', async () => {
    await place(1);
    const trigger = publication({}, { callLogTable: { __rl: true, mode: 'name', value: 'Logg' } });
    await expect(trigger.poll()).rejects.toMatchObject({
      message: expect.stringContaining('There is no data table "Logg" for the call log'),
      description: expect.stringContaining(table),
    });
    expect(tables.rowsOf('Logg')).toEqual([]);
  });
});

describe('a row that a person has edited into nonsense', () => {
  const events = { events: ['outcomeAvailable', 'outcomeUnavailable'] };
  const ruin = () => {
    const [row] = tables.rowsOf(table);
    if (row !== undefined) row.orderId = 'A-1';
  };

  it('fires Outcome Unavailable for every trigger that wants it', async () => {
    const first = publication({}, events);
    const second = publication({ workflowId: `other workflow of ${table}` }, events);
    const unwilling = publication({ workflowId: `third workflow of ${table}` });
    for (const one of [first, second, unwilling]) await one.poll();
    const [, sound] = await place(2);
    ruin();
    for (const one of [first, second, unwilling]) await one.poll();
    const [row] = tables.rowsOf(table).filter(({ status }) => status === 'given_up');
    const unavailable = {
      event: 'outcomeUnavailable',
      eventId: `${String(row?.account)}-${row?.callId}-1-outcomeUnavailable`,
      triggeredAt: row?.triggeredAt,
      attempt: 1,
      nextAttemptAt: null,
      customerPhone: row?.customerPhone,
      customerName: 'Ada',
      endReason: 'givenUp',
      message: 'The row cannot be read: orderId is not an order id: A-1',
      checks: 0,
      finished: false,
    };
    for (const one of [first, second]) {
      expect(one.fired.filter(({ event }) => event === 'outcomeUnavailable')).toEqual([
        unavailable,
      ]);
      expect(firedIds(one)).toContain(sound);
      await one.poll();
      expect(one.fired).toHaveLength(2);
    }
    expect(firedIds(unwilling)).toEqual([sound]);
  });
});

describe("a trigger's place beside its log", () => {
  it('that was deleted by hand goes on where it was, and says so', async () => {
    const trigger = publication();
    await trigger.poll();
    const before = await place(2);
    await trigger.poll();
    // Another trigger writes the ends that come now.
    const other = publication({ workflowId: `other workflow of ${table}` });
    await other.poll();
    const after = await place(2);
    await other.poll();
    const own = places().findIndex(({ trigger: key }) => String(key).startsWith('workflow of'));
    places().splice(own, 1);
    await trigger.poll();
    expect(firedIds(trigger).sort()).toEqual([...before, ...after].sort());
    expect(trigger.warn.mock.calls.flat().join()).toContain('it goes on where it was');
    await trigger.poll();
    expect(trigger.fired).toHaveLength(4);
    expect(places()).toHaveLength(2);
  });

  it('that was deleted while n8n was down begins anew, and says so', async () => {
    const staticData: IDataObject = {};
    const trigger = publication({ staticData });
    await trigger.poll();
    await place(2);
    await trigger.poll();
    expect(trigger.fired).toHaveLength(2);
    places().splice(0);
    const restarted = publication({ staticData, process: anotherProcess() });
    await restarted.poll();
    expect(restarted.warn.mock.calls.flat().join()).toContain('it begins again');
    await restarted.poll();
    expect(restarted.fired).toEqual([]);
    const fresh = await place(1);
    await restarted.poll();
    expect(firedIds(restarted)).toEqual(fresh);
    expect(restarted.warn).toHaveBeenCalledTimes(1);
  });

  it('is found among those of more triggers than fit into a page', async () => {
    const trigger = publication();
    await trigger.poll();
    const [own] = places();
    if (own === undefined) throw new Error('There is no place');
    own.polledAt = 1;
    for (let index = 0; index < 300; index++) {
      places().push({ ...own, id: 1000 + index, trigger: `other ${index}`, polledAt: Date.now() });
    }
    const orderIds = await place(1);
    const restarted = publication({ process: anotherProcess() });
    await restarted.poll();
    await restarted.poll();
    expect(firedIds(restarted)).toEqual(orderIds);
    expect(places()).toHaveLength(301);
    expect(restarted.warn).not.toHaveBeenCalled();
  });

  it('of a new trigger is made without a warning', async () => {
    const trigger = publication();
    await trigger.poll();
    await trigger.poll();
    expect(places()).toHaveLength(1);
    expect(trigger.warn).not.toHaveBeenCalled();
  });
});

describe('a trigger', () => {
  it.each([['calllog'], [''], [null], [true]])(
    'refuses to watch what there is no way for: %p',
    async (watch) => {
      await expect(publication({}, { watch }).poll()).rejects.toThrow(
        '"Watch" has an unknown value',
      );
    },
  );
});

import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { newCalls, TEN_AT_ONCE } from '../newCalls';
import type { RowToPlace } from '../../nodes/OutboundAiCalling/callLog/placing/rowToPlace';
import { LoggedCalls } from '../../nodes/OutboundAiCalling/callLog/placing/loggedCalls';
import { accountFingerprint } from '../../nodes/OutboundAiCalling/service/accountFingerprint';
import type { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { sharedN8n, type DataTables, type SharedN8n } from '../../scripts/n8n';
import { anotherProcess, Publication, type PublicationOptions } from '../core/triggerEngine';
import { leapOverWaits } from '../leapOverWaits';
import { startCallingService, type CallingService } from '../service';
import { openCallLog } from './callLogFromOutside';

// Triggers in this process, whose polls need no waiting, on the data tables of a real n8n.

const HOUR_MS = 3_600_000;
const SCRIPT = { scriptId: 7, customerName: 'Ada', variables: {} };

let n8n: SharedN8n;
let service: CallingService;
let tables: DataTables;
let n8nApiKey: string;
let clock = Date.UTC(2030, 0, 1);
let phones = 0;

beforeAll(async () => {
  const clockOfService = () => clock;
  service = await startCallingService({ clock: clockOfService, apiKeys: ['test-key', 'other'] });
  n8n = await sharedN8n();
  n8nApiKey = await n8n.client.createApiKey('Triggers on logs');
  tables = n8n.client.dataTables(n8nApiKey);
});
leapOverWaits(); // not over the start and the end of n8n, which are other processes'
afterAll(async () => {
  await service?.close();
});

const credentialOf = (apiKey = 'test-key') => ({
  baseUrl: service.baseUrl,
  apiKey,
  n8nApiKey,
  n8nApiUrl: `${n8n.client.baseUrl}/api/v1`,
});

async function openLog(table: string, apiKey = 'test-key'): Promise<CallLog> {
  const account = accountFingerprint(credentialOf(apiKey));
  const locator = { mode: 'name', value: table };
  return await openCallLog(n8n.client.baseUrl, n8nApiKey, locator, account);
}

/** A trigger on the log of that name; `more` tells where and whose it is. */
function trigger(table: string, more: Partial<PublicationOptions> & { apiKey?: string } = {}) {
  const { apiKey, parameters, ...others } = more;
  return new Publication({
    credential: credentialOf(apiKey),
    workflowId: table,
    parameters: { watch: 'callLog', callLogTable: { mode: 'name', value: table }, ...parameters },
    budgetMs: 20_000,
    ...others,
  });
}

/** Writes rows for so many calls ahead, placing those whose turn has come. */
async function writeAhead(log: CallLog, count: number): Promise<RowToPlace[]> {
  const requests = Array.from({ length: count }, () => ({
    ...SCRIPT,
    customerPhone: `+1202555${String(phones++).padStart(4, '0')}`,
  }));
  return (await LoggedCalls.writeAhead(log, newCalls(requests), TEN_AT_ONCE)).calls;
}

async function dial({ row }: RowToPlace, apiKey = 'test-key'): Promise<number> {
  const { scriptId, customerPhone } = row;
  const response = await fetch(`${service.baseUrl}/api/v1/calls/trigger`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ scriptId, customerPhone }),
  });
  return ((await response.json()) as { order_id: number }).order_id;
}

/** Places calls whose first look is due, which go on until {@link end}. */
async function place(log: CallLog, count: number, apiKey = 'test-key'): Promise<number[]> {
  const rows = await writeAhead(log, count);
  return await Promise.all(
    rows.map(async (row) => {
      await row.mark();
      const orderId = await dial(row, apiKey);
      await row.writePlaced(orderId, Date.now() - 60_000);
      expect(row.problem).toBeUndefined();
      return orderId;
    }),
  );
}

/** All calls placed until now have ended. */
function end(): void {
  clock += HOUR_MS;
}

/** Polls until so many ends were fired: a slow n8n needs several polls, and one may wait for a killed process. */
async function pollFor(count: number, trigger: Publication): Promise<void> {
  for (let polls = 0; polls < 10 && trigger.fired.length < count; polls++) await trigger.poll();
}

const sorted = (ids: number[]) => [...ids].sort((a, b) => a - b);
const orderIdsOf = ({ fired }: Publication) => sorted(fired.map(({ orderId }) => Number(orderId)));
const rowsOf = async ({ tableId }: CallLog) => await tables.rows(tableId);

describe('two triggers on one log', () => {
  it('each get every outcome once, whoever has looked, in one process or two', async () => {
    const log = await openLog('Shared');
    const here = trigger('Shared', { nodeId: 'here' });
    const there = trigger('Shared', { nodeId: 'there', process: anotherProcess() });
    await Promise.all([here.poll(), there.poll()]);
    const first = await place(log, 12);
    end();
    const asked = service.seen.requests.outcome;
    await pollFor(12, here);
    expect(orderIdsOf(here)).toEqual(sorted(first));
    await pollFor(12, there);
    expect(orderIdsOf(there)).toEqual(sorted(first));
    // The transcript is not in the log: the second trigger reads each outcome once.
    expect(service.seen.requests.outcome - asked).toBe(2 * first.length);
    expect(there.fired[0]).toMatchObject({
      customerName: 'Ada',
      transcript: expect.arrayContaining([expect.objectContaining({ text: expect.any(String) })]),
    });

    const second = await place(log, 12);
    end();
    await Promise.all([pollFor(24, here), pollFor(24, there)]);
    const all = sorted([...first, ...second]);
    expect(orderIdsOf(here)).toEqual(all);
    expect(orderIdsOf(there)).toEqual(all);
    expect(await rowsOf(log)).toHaveLength(24);
  });

  it('do not wait for each other: one is unpublished meanwhile, one added anew', async () => {
    const log = await openLog('Comes and goes');
    const steady = trigger('Comes and goes', { nodeId: 'steady' });
    const pausing = trigger('Comes and goes', { nodeId: 'pausing' });
    await steady.poll();
    await pausing.poll();
    const before = await place(log, 3);
    end();
    await steady.poll();
    const whilePaused = await place(log, 3);
    end();
    await steady.poll();

    const added = trigger('Comes and goes', { nodeId: 'added' });
    await added.poll();
    const after = await place(log, 3);
    end();
    await steady.poll();
    await pollFor(3, added);
    expect(orderIdsOf(added)).toEqual(sorted(after));

    const again = trigger('Comes and goes', { nodeId: 'pausing', process: anotherProcess() });
    await pollFor(9, again);
    await pollFor(9, steady);
    const all = sorted([...before, ...whilePaused, ...after]);
    expect(orderIdsOf(again)).toEqual(all);
    expect(orderIdsOf(steady)).toEqual(all);
  });

  it('one that was away finds hundreds of outcomes, page by page', async () => {
    const log = await openLog('Hundreds');
    const away = trigger('Hundreds', { nodeId: 'away' });
    const steady = trigger('Hundreds', { nodeId: 'steady', budgetMs: 60_000 });
    await away.poll();
    const orderIds = await place(log, 600);
    end();
    await pollFor(600, steady);
    expect(orderIdsOf(steady)).toEqual(sorted(orderIds).filter((id) => orderIds.includes(id)));
    const back = trigger('Hundreds', {
      nodeId: 'away',
      process: anotherProcess(),
      budgetMs: 60_000,
    });
    await pollFor(600, back);
    expect(orderIdsOf(back)).toEqual(sorted(orderIds));
    expect(back.executions.length).toBeGreaterThan(1);
  });
});

describe('a restart', () => {
  it('fires nothing again, and nothing is lost that was being handed over', async () => {
    const log = await openLog('Restarts');
    const first = trigger('Restarts');
    await first.poll();
    const handedOver = await place(log, 5);
    end();
    await pollFor(5, first);
    expect(orderIdsOf(first)).toEqual(sorted(handedOver));

    const inDoubt = await place(log, 2);
    end();
    first.start = 'silent';
    await first.poll(); // killed before n8n said that it has them
    const second = trigger('Restarts', { process: anotherProcess() });
    await pollFor(2, second);
    expect(orderIdsOf(second)).toEqual(sorted(inDoubt));
    const third = trigger('Restarts', { process: anotherProcess() });
    await third.poll();
    expect(third.fired).toEqual([]);
  });

  it('goes on with calls that a killed process had taken, when they are free again', async () => {
    const log = await openLog('Taken');
    const first = trigger('Taken');
    await first.poll();
    const orderIds = await place(log, 4);
    end();
    const lockedUntil = Date.now() + 1_000;
    expect(await log.lockDue(Date.now(), 100, lockedUntil)).toHaveLength(4);
    await new Promise((resolve) => setTimeout(resolve, lockedUntil - Date.now() + 1));
    await pollFor(4, first);
    expect(orderIdsOf(first)).toEqual(sorted(orderIds));
  });
});

describe('many rows that are due at once', () => {
  it('are taken a hundred at a time, also those that a killed process has held', async () => {
    const log = await openLog('Many');
    await place(log, 250);
    const locked = await log.lockDue(Date.now(), 250, Date.now() + 60_000);
    expect(locked).toHaveLength(250);
    // Rows that are noted together are due at the same time, a hundred at a time.
    await log.noteOpen(locked, { lookCount: 1, runAt: Date.now() - 1_000 }, locked);
    const takeAll = async (now: number, heldUntil: number) => {
      const taken: number[] = [];
      for (let rows = await log.lockDue(now, 100, heldUntil); rows.length > 0;) {
        taken.push(rows.length);
        rows = await log.lockDue(now, 100, heldUntil);
      }
      return taken;
    };
    const now = Date.now();
    expect(await takeAll(now, now + 2_000)).toEqual([100, 100, 50]);
    expect(await takeAll(now + 1_900, now + 60_000)).toEqual([]);
    expect(await takeAll(now + 2_100, now + 60_000)).toEqual([100, 100, 50]);
  });
});

describe('a hand-over that n8n refuses', () => {
  it('at once or late is made again, and stays due through a restart', async () => {
    const log = await openLog('Refused');
    const first = trigger('Refused');
    await first.poll();
    const orderIds = await place(log, 3);
    end();
    first.start = 'never';
    await first.poll();
    first.start = 'silent';
    await first.poll();
    first.say('never');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const second = trigger('Refused', { process: anotherProcess() });
    await pollFor(3, second);
    expect(orderIdsOf(second)).toEqual(sorted(orderIds));
    expect(first.fired).toEqual([]);
  });
});

describe('a clock that is set back by a day', () => {
  afterEach(() => jest.restoreAllMocks());

  it('keeps no call waiting, and no outcome from any trigger', async () => {
    const log = await openLog('Clock');
    const here = trigger('Clock', { nodeId: 'here' });
    const there = trigger('Clock', { nodeId: 'there' });
    await here.poll();
    await there.poll();
    const early = await place(log, 2);
    end();
    await here.poll();
    await there.poll();
    const late = await place(log, 2);
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 24 * HOUR_MS);
    end();
    // A slow n8n may need the whole first poll to mend the times of the rows.
    for (let poll = 0; poll < 2; poll++) {
      await here.poll();
      await there.poll();
    }
    const all = sorted([...early, ...late]);
    expect(orderIdsOf(here)).toEqual(all);
    expect(orderIdsOf(there)).toEqual(all);
    const added = trigger('Clock', { nodeId: 'added' });
    await added.poll();
    expect(added.fired).toEqual([]);
  });
});

describe('two accounts in one log', () => {
  it('never see rows of each other, though their order ids are the same', async () => {
    const mine = await openLog('Accounts');
    const yours = await openLog('Accounts', 'other');
    const [ofMine, ofYours] = [
      trigger('Accounts', { nodeId: 'mine' }),
      trigger('Accounts', { nodeId: 'yours', apiKey: 'other' }),
    ];
    await ofMine.poll();
    await ofYours.poll();
    const [orderId = 0] = await place(mine, 1);
    const [row] = await writeAhead(yours, 1);
    await row?.mark();
    await row?.writePlaced(orderId, Date.now() - 60_000);
    end();
    await pollFor(1, ofMine);
    await ofYours.poll();
    expect(orderIdsOf(ofMine)).toEqual([orderId]);
    expect(ofYours.fired).toEqual([]); // that account does not know this order
    const states = (await rowsOf(mine)).map(({ account, status }) => [account, status]);
    expect(states).toContainEqual([yours.account, 'in_progress']);
    expect(states).toContainEqual([mine.account, expect.stringMatching(/completed|failed/)]);
  });
});

describe('a table that people have a hand in', () => {
  it('keeps a column of their own through the end of a call', async () => {
    await tables.create('Own', [{ name: 'agent', type: 'string' }, ...LOG_COLUMNS]);
    const log = await openLog('Own');
    const first = trigger('Own');
    await first.poll();
    const [orderId] = await place(log, 1);
    const where = { column: 'orderId', equals: String(orderId) };
    await tables.update(log.tableId, where, { agent: 'Grace' });
    end();
    await pollFor(1, first);
    expect(await rowsOf(log)).toEqual([
      expect.objectContaining({
        agent: 'Grace',
        orderId: String(orderId),
        outcome: expect.any(String),
        outcomeKey: expect.any(String),
        finishedAt: expect.any(String),
      }),
    ]);
  });

  it('is refused by the name of a column that they have renamed, and stays as it is', async () => {
    const renamed = LOG_COLUMNS.map((column) =>
      column.name === 'attempt' ? { ...column, name: 'mine' } : column,
    );
    await tables.create('Renamed', renamed);
    await expect(openLog('Renamed')).rejects.toThrow(
      /"Renamed" is no call log: .* columns attempt$/,
    );
    const table = await tables.find('Renamed');
    expect(table?.columns.map(({ name }) => name)).not.toContain('attempt');
  });

  it('tells of a column that is there with another type', async () => {
    const others = LOG_COLUMNS.filter(({ name }) => name !== 'status');
    await tables.create('Wrong', [...others, { name: 'status', type: 'number' }]);
    await expect(openLog('Wrong')).rejects.toThrow(
      /"Wrong" cannot be used.*status \(number, not string\)/,
    );
  });

  it('gives up rows that were edited into nonsense, with the reason, and goes on with the others', async () => {
    const log = await openLog('Edited');
    const first = trigger('Edited', {
      parameters: { events: ['outcomeAvailable', 'outcomeUnavailable'] },
    });
    await first.poll();
    const [banana, old, timeless, ...rest] = await place(log, 6);
    const edit = async (orderId: number | undefined, data: Record<string, unknown>) =>
      await tables.update(log.tableId, { column: 'orderId', equals: String(orderId) }, data);
    await edit(banana, { orderId: 'banana' });
    await edit(old, { triggeredAt: '0001-01-01T00:00:00.000Z', orderId: '99887766' });
    await edit(timeless, { runAt: null });
    end();
    await pollFor(6, first);
    const lost = first.fired.filter(({ orderId }) => orderId === undefined);
    expect(lost).toEqual([
      expect.objectContaining({ event: 'outcomeUnavailable', endReason: 'givenUp' }),
    ]);
    const known = first.fired.map(({ orderId }) => orderId).filter((id) => id !== undefined);
    expect(sorted(known as number[])).toEqual(sorted([timeless ?? 0, ...rest, 99887766]));
    const rows = await rowsOf(log);
    expect(rows).toContainEqual(
      expect.objectContaining({
        status: 'given_up',
        lastError: 'The row cannot be read: orderId is not an order id: banana',
      }),
    );
    expect(first.fired).toContainEqual(
      expect.objectContaining({
        orderId: 99887766,
        event: 'outcomeUnavailable',
        endReason: 'givenUp',
      }),
    );
  });
});

describe('rows of an execution that died', () => {
  it('may have been placed, unless a later row of the call tells more', async () => {
    const log = await openLog('Died');
    const [told, untold] = await writeAhead(log, 2);
    await told?.mark();
    await untold?.mark();
    await told?.writePlaced(await dial(told), Date.now());
    const isPlacing = { column: 'status', equals: 'placing' };
    await tables.update(log.tableId, isPlacing, { lockedUntil: Date.now() - 1 });
    await trigger('Died').poll();
    const rows = await rowsOf(log);
    expect(rows.map(({ callId, status }) => [callId, status]).sort()).toEqual(
      [
        [told?.callId, 'in_progress'],
        [untold?.callId, 'maybe_placed'],
      ].sort(),
    );
    const inDoubt = rows.find(({ status }) => status === 'maybe_placed');
    expect(inDoubt?.lastError).toMatch(/it may have been placed/);
  });
});

describe('the editor', () => {
  it('shows an ended call, makes no table, and fires nothing by that', async () => {
    const nowhere = trigger('Nowhere', { mode: 'manual' });
    expect((await nowhere.poll())?.[0]?.[0]?.json).toMatchObject({ simulated: true });
    const names = (await tables.list()).map(({ name }) => name);
    expect(names.filter((name) => name.includes('Nowhere'))).toEqual([]);

    const log = await openLog('Sampled');
    const production = trigger('Sampled');
    await production.poll();
    const [orderId] = await place(log, 1);
    end();
    const items = (await trigger('Sampled', { mode: 'manual' }).poll())?.[0];
    expect(items?.[0]?.json).toMatchObject({ orderId, finished: true });
    await production.poll();
    expect(production.fired).toEqual([items?.[0]?.json]);
  });
});

import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { endAbandoned, recordEnds } from '../../nodes/OutboundAiCalling/callLog/ends/ends';
import { Scheduling } from '../../nodes/OutboundAiCalling/callLog/scheduling/scheduling';
import { DataTableError } from '../../nodes/OutboundAiCalling/dataTables/dataTableError';
import {
  givenUpColumns,
  outcomeColumns,
} from '../../nodes/OutboundAiCalling/callLog/table/rowColumns';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { newCalls } from '../newCalls';
import { MemoryTables } from './memoryTables';
import { inTime } from './inTime';

const OPEN = { account: 'own', status: 'in_progress', finishedAt: null, batch: '', lockedBy: '' };
/** Written into its row by a person while a call goes on. */
const BY_HAND = { status: 'completed', runAt: 1 };
const NOW = Date.parse('2026-11-21T12:00:00Z');
let made = 0;

beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const record = async (...given: Parameters<typeof recordEnds>) =>
  await inTime(recordEnds(...given));

/** A log with calls that go on. */
async function openCalls(count: number) {
  const tables = new MemoryTables(`ends${++made}`);
  const locator = { mode: 'id', value: tables.tableId };
  const log = await CallLog.openExisting(tables.context, locator, 'own');
  const calls = Array.from({ length: count }, (_, index) => String(index + 1));
  tables.insert(calls.map((orderId) => ({ ...OPEN, callId: `call${orderId}`, orderId })));
  return { tables, log };
}

/** What is to be written when each call has ended with such a summary and label. */
function endsOf(tables: MemoryTables, textOf: (orderId: string) => [string, string]) {
  return tables.rows.map((row) => {
    const orderId = String(row.orderId);
    const [summary, callOutcome] = textOf(orderId);
    const body = { success: true, callStatus: 'completed', callOutcome, summary };
    return { row: { ...row }, columns: outcomeColumns(readOutcome(body, Number(orderId)), NOW) };
  });
}

describe('an end that n8n refuses to store', () => {
  it('holds back no other, and is written without its free text', async () => {
    const { tables, log } = await openCalls(5);
    tables.isRefused = (method, body) => method === 'POST' && body.includes('unstorable');
    const ends = endsOf(tables, (orderId) => [
      orderId === '2' ? 'unstorable' : 'Wants it on Friday',
      'Order confirmed',
    ]);
    const { written } = await record(log, ends);
    const confirmed = { status: 'completed', outcomeKey: 'order_confirmed', lastError: null };
    const other = { ...confirmed, outcome: 'Order confirmed', summary: 'Wants it on Friday' };
    const refused = {
      ...confirmed,
      outcome: 'Order confirmed',
      summary: null,
      lastError:
        'n8n did not store the summary of this call, so it was left out. n8n refused: The value cannot be stored',
    };
    const expected = [1, 2, 3, 4, 5].map((orderId) => ({
      orderId: String(orderId),
      ...(orderId === 2 ? refused : other),
    }));
    expect(tables.rows).toMatchObject(expected);
    expect(written.map(({ end }) => end)).toMatchObject(expected);
  });

  it('is written with the key of a label that only some databases store', async () => {
    const { tables, log } = await openCalls(1);
    tables.isRefused = (method, body) => method === 'POST' && body.includes('\u{1f600}');
    await record(
      log,
      endsOf(tables, () => ['Fine', 'Confirmed \u{1f600}']),
    );
    const stored = { outcome: 'confirmed', outcomeKey: 'confirmed', summary: null };
    expect(tables.rows).toMatchObject([{ status: 'completed', ...stored }]);
  });

  it('is left for the next look while n8n fails, and written as it is when n8n is back', async () => {
    const { tables, log } = await openCalls(3);
    const ends = endsOf(tables, () => ['Fine', 'Sipariş onaylandı']);
    tables.isFailing = (method, body) => method === 'POST' && body.includes('call2');
    const { written, failure } = await record(log, ends);
    expect(written.map(({ end: { callId } }) => callId)).toEqual(['call1', 'call3']);
    expect(failure?.kind).toBe('failing');
    expect(tables.rows[0]).toMatchObject({ callId: 'call2', status: 'in_progress' });
    tables.isFailing = () => false;
    await record(log, ends.slice(1, 2));
    expect(tables.rows.at(-1)).toMatchObject({ callId: 'call2', outcome: 'Sipariş onaylandı' });
  });

  it('is written without its free text when n8n has failed at it five times in ten minutes', async () => {
    const { tables, log } = await openCalls(1);
    const ends = endsOf(tables, () => ['unstorable', 'Order confirmed']);
    tables.isFailing = (method, body) => method === 'POST' && body.includes('unstorable');
    const recordAt = async (minutes: number) => {
      jest.setSystemTime(NOW + minutes * 60_000);
      return (await record(log, ends)).written;
    };
    for (const minutes of [0, 1, 2, 3, 9]) expect(await recordAt(minutes)).toEqual([]);
    const lastError = expect.stringContaining('left out');
    expect(await recordAt(11)).toMatchObject([
      { end: { outcome: 'Order confirmed', summary: null, lastError } },
    ]);
  });

  it('is left for the next look when n8n has failed at it less than five times, however long', async () => {
    const { tables, log } = await openCalls(1);
    const ends = endsOf(tables, () => ['unstorable', 'Order confirmed']);
    tables.isFailing = (method, body) => method === 'POST' && body.includes('unstorable');
    await record(log, ends);
    jest.setSystemTime(NOW + 60 * 60_000);
    expect((await record(log, ends)).written).toEqual([]);
  });

  it('says also what it said before', async () => {
    const { tables, log } = await openCalls(1);
    const [row] = tables.rows.map((one) => ({ ...one, summary: 'unstorable' }));
    tables.isRefused = (method, body) => method === 'POST' && body.includes('unstorable');
    const columns = givenUpColumns('The outcome never came', NOW);
    await record(log, row === undefined ? [] : [{ row, columns }]);
    const lastError = expect.stringMatching(/^The outcome never came\. n8n did not store/);
    expect(tables.rows).toMatchObject([{ status: 'given_up', lastError }]);
  });

  it('leaves the calls open when n8n stores none of them', async () => {
    const { tables, log } = await openCalls(3);
    tables.isRefused = (method) => method === 'POST';
    const before = structuredClone(tables.rows);
    const ends = endsOf(tables, () => ['Fine', 'Order confirmed']);
    await expect(record(log, ends)).rejects.toThrow('The value cannot be stored');
    expect(tables.rows).toEqual(before);
    // Three, two and one together, and the one without its summary, then without its labels.
    expect(tables.requests.POST).toBe(5);
  });
});

describe.each<[string, Partial<MemoryTables>]>([
  ['full', { isFull: (method) => method === 'POST' }],
  ['busy', { isBusy: (method) => method === 'POST' }],
])('an end for which n8n is %s for a moment', (_, fault) => {
  it('is left for the next look, and loses nothing of what it says', async () => {
    const { tables, log } = await openCalls(2);
    const ends = endsOf(tables, () => ['Wants it on Friday', 'Sipariş onaylandı']);
    Object.assign(tables, fault);
    await expect(record(log, ends)).rejects.toThrow(DataTableError);
    Object.assign(tables, { isFull: () => false, isBusy: () => false });
    const { written } = await record(log, ends);
    const end = { outcome: 'Sipariş onaylandı', summary: 'Wants it on Friday', lastError: null };
    expect(written).toMatchObject([{ end }, { end }]);
  });
});

describe('a text with U+0000, which PostgreSQL refuses', () => {
  it('is stored without it', async () => {
    const { tables, log } = await openCalls(1);
    await record(
      log,
      endsOf(tables, () => ['On\u0000 Friday', 'Order confirmed']),
    );
    expect(tables.rows).toMatchObject([{ summary: 'On Friday', lastError: null }]);
  });
});

describe('ends of many calls that are refused together', () => {
  it('are each written once, also when n8n refuses to store one of them', async () => {
    const tables = new MemoryTables(`ends${++made}`);
    const locator = { mode: 'id', value: tables.tableId };
    const log = await CallLog.openExisting(tables.context, locator, 'own');
    const requests = Array.from({ length: 1_010 }, (_, index) => ({
      scriptId: 7,
      customerPhone: '+905551234567',
      variables: {},
      orderNumber: String(index),
    }));
    const list = await Scheduling.writeAhead(
      log,
      newCalls(requests).map((call) => ({ call, at: NOW })),
    );
    tables.isRefused = (method, body) => method === 'POST' && body.includes('"orderNumber":"1009"');
    await list.settle(requests.map(() => ({ reason: 'Nobody was called: a rule' })));
    const written = tables.rows.filter(({ finishedAt }) => finishedAt !== null);
    const orders = written.map(({ orderNumber }) => Number(orderNumber)).sort((a, b) => a - b);
    expect(orders).toEqual(Array.from({ length: 1_009 }, (_, index) => index));
  });
});

describe('ends that together are more than a proxy before n8n lets pass', () => {
  it('are written with all that they say, each in one request with the attempt that follows', async () => {
    const { tables, log } = await openCalls(150);
    const retry = { outcomes: ['no_answer'], afterMinutes: [30] };
    const request = JSON.stringify({ scriptId: 7, retry });
    for (const row of tables.rows) {
      Object.assign(row, { attempt: 1, request, triggeredAt: new Date(NOW).toISOString() });
    }
    const summary = 'Şu anda yok'.repeat(900);
    const ends = endsOf(tables, () => [summary, 'No answer']);
    const attemptsTogether: number[][] = [];
    tables.isRefused = (method, body) => {
      if (method !== 'POST') return false;
      const { data } = JSON.parse(body) as { data: Array<{ attempt: number }> };
      attemptsTogether.push(data.map(({ attempt }) => attempt));
      return false;
    };
    const { written } = await record(log, ends);
    expect(written).toHaveLength(150);
    expect(tables.rows.filter((row) => row.summary === summary)).toHaveLength(150);
    expect(tables.requests.POST).toBeLessThan(10);
    for (const attempts of attemptsTogether) {
      expect(attempts).toEqual(attempts.map((_, index) => (index % 2) + 1));
      expect(attempts.length % 2).toBe(0);
    }
  });
});

describe('an end after which a person is to be put on the do-not-call list', () => {
  /** A call of a person who asks for that, while a proxy answers in the place of n8n. */
  async function callBehindProxy() {
    const { tables, log } = await openCalls(1);
    const rules = {
      doNotCallTable: { mode: 'name', value: 'list' },
      doNotCallOutcomes: 'Not interested',
    };
    const cells = { customerPhone: '+905551234567', request: JSON.stringify({ rules }) };
    Object.assign(tables.rows[0] ?? {}, cells);
    const send = tables.send.bind(tables);
    tables.send = async (request) =>
      request.url.endsWith('/data-tables')
        ? { statusCode: 502, headers: {}, body: '<h1>Bad Gateway</h1>' }
        : await send(request);
    return { tables, log };
  }

  it('is left for the next look while a proxy answers in the place of n8n', async () => {
    const { tables, log } = await callBehindProxy();
    const ends = endsOf(tables, () => ['Angry', 'Not interested']);
    expect(await record(log, ends)).toMatchObject({
      written: [],
      failure: { kind: 'notN8n' },
    });
    expect(tables.rows).toMatchObject([{ status: 'in_progress' }]);
  });

  it('is told to whoever mends the log when a person has written the end', async () => {
    const { tables, log } = await callBehindProxy();
    Object.assign(tables.rows[0] ?? {}, { ...BY_HAND, outcome: 'Not interested' });
    const mending = inTime(endAbandoned(log, NOW));
    await expect(mending).rejects.toMatchObject({ kind: 'notN8n' });
    expect(tables.rows).toMatchObject([{ id: 1, finishedAt: null }]);
  });
});

describe('the end of an attempt that another follows', () => {
  const retry = { outcomes: ['no_answer'], afterMinutes: [30] };
  const PLANNED = new Date(NOW + 30 * 60_000).toISOString();
  const OTHER = '2026-11-22T08:00:00.000Z';

  /** One call whose outcome is asked for, and rows of its second attempt. */
  async function callWith(...seconds: Array<Record<string, unknown>>) {
    const { tables, log } = await openCalls(1);
    const request = JSON.stringify({ scriptId: 7, retry });
    const ringing = { attempt: 1, request, triggeredAt: new Date(NOW).toISOString(), runAt: 1 };
    Object.assign(tables.rows[0] ?? {}, ringing);
    tables.insert(seconds.map((more) => ({ ...tables.rows[0], attempt: 2, orderId: '', ...more })));
    const ends = endsOf(tables, () => ['Nobody', 'No answer']).slice(0, 1);
    return { tables, log, ends };
  }
  const toldOf = ({ rows }: MemoryTables) =>
    rows.map(({ id, attempt, status, nextAttemptAt }) => [
      id,
      attempt,
      status,
      nextAttemptAt ?? null,
    ]);

  it('announces it', async () => {
    const { tables, log, ends } = await callWith();
    await record(log, ends);
    expect(toldOf(tables)).toEqual([
      [2, 1, 'completed', PLANNED],
      [3, 2, 'scheduled', null],
    ]);
  });

  it.each<[string, Record<string, unknown>, string | null]>([
    ['that waits', { status: 'scheduled', dueAt: OTHER }, OTHER],
    ['that waits for a time that cannot be read', { status: 'scheduled', dueAt: 'x' }, PLANNED],
    ['that is over', { status: 'cancelled', finishedAt: OTHER }, null],
  ])('is written beside one %s, which stays as it is', async (_, second, nextAttemptAt) => {
    const { tables, log, ends } = await callWith(second);
    await record(log, ends);
    expect(toldOf(tables)).toEqual([
      [2, 2, second.status, null],
      [3, 1, 'completed', nextAttemptAt],
    ]);
  });

  it.each([
    ['cancelled', 'cancelled'],
    ['scheduled', 'scheduled'],
  ])('has it %s when a person writes %s meanwhile', async (expected, status) => {
    const { tables, log, ends } = await callWith();
    const deleteLocked = log.deleteLocked.bind(log);
    jest.spyOn(log, 'deleteLocked').mockImplementation(async (...rows) => {
      Object.assign(tables.rows[0] ?? {}, { status });
      return await deleteLocked(...rows);
    });
    await record(log, ends);
    const second = tables.rows.find(({ attempt }) => attempt === 2);
    expect(second).toMatchObject({ status: expected });
  });

  it('is not mixed up with that of a call whose row got its id', async () => {
    const { tables, log } = await openCalls(2);
    const request = JSON.stringify({ scriptId: 7, retry });
    for (const row of tables.rows) Object.assign(row, { attempt: 1, request });
    const ends = endsOf(tables, (orderId) => [orderId, 'No answer']);
    const [first] = tables.rows.splice(0, 1);
    Object.assign(tables.rows[0] ?? {}, { id: first?.id });
    await record(log, ends);
    const written = tables.rows.filter(({ status }) => status === 'completed');
    expect(written.map(({ callId, summary }) => `${callId} ${summary}`)).toEqual([
      ...['call1 1', 'call2 2'],
    ]);
  });
});

describe('ends of calls that another process has locked since, because this one stood still', () => {
  it('replace no row of a call between them that goes on', async () => {
    const { tables, log } = await openCalls(3);
    const retry = { outcomes: ['no_answer'], afterMinutes: [30] };
    const request = JSON.stringify({ scriptId: 7, retry });
    const planned = { request, attempt: 1, runAt: 1, lockedUntil: 0 };
    for (const row of tables.rows) Object.assign(row, planned);
    const held = await log.lockDue(NOW, 10, NOW + 60_000);
    jest.setSystemTime(NOW + 120_000);
    await log.lockDue(Date.now(), 10, Date.now() + 60_000);
    const ended = endsOf(tables, () => ['', 'Order confirmed']).filter(
      ({ row }) => row.orderId !== '2',
    );
    const own = ended.map(({ row, columns }) => ({
      row: held.find(({ id }) => id === row.id) ?? row,
      columns,
    }));
    await record(log, own, held);
    expect(tables.rows.map(({ orderId, status }) => [orderId, status]).sort()).toEqual([
      ['1', 'completed'],
      ['2', 'in_progress'],
      ['3', 'completed'],
    ]);
  });
});

describe('rows whose calls are over, and whose end nobody has written', () => {
  it('become ends, except those of lists to which a retry may still come', async () => {
    const { tables, log } = await openCalls(1);
    const lock = { batch: 'list', lockedUntil: NOW + 60_000 };
    const ofList = { status: 'not_placed', orderId: null, ...lock };
    Object.assign(tables.rows[0] ?? {}, ofList);
    await endAbandoned(log, NOW);
    expect(tables.rows).toMatchObject([{ id: 1, finishedAt: null }]);
    await endAbandoned(log, NOW + 60_000);
    expect(tables.rows).toMatchObject([{ id: 2, finishedAt: expect.any(String) }]);
  });

  it('become new ends, which triggers hand over, when a person has written the status', async () => {
    const { tables, log } = await openCalls(1);
    Object.assign(tables.rows[0] ?? {}, { ...BY_HAND, outcome: 'Yes' });
    await endAbandoned(log, NOW);
    expect(tables.rows).toMatchObject([
      { id: 2, status: 'completed', outcome: 'Yes', runAt: null },
    ]);
  });

  it('keep their ids when a person has emptied the time of an end: it is not handed over twice', async () => {
    const { tables, log } = await openCalls(1);
    Object.assign(tables.rows[0] ?? {}, { status: 'completed', outcome: 'Yes', runAt: null });
    await endAbandoned(log, NOW);
    expect(tables.rows).toMatchObject([{ id: 1, finishedAt: new Date(NOW).toISOString() }]);
  });

  it('are none of calls that go on, though a person has cancelled them', async () => {
    const { tables, log } = await openCalls(1);
    const ringing = { triggeredAt: new Date(NOW).toISOString(), runAt: 1 };
    Object.assign(tables.rows[0] ?? {}, { ...ringing, status: 'cancelled' });
    await endAbandoned(log, NOW);
    expect(tables.rows).toMatchObject([{ id: 1, status: 'cancelled', finishedAt: null }]);
  });
});

import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { recordEnds } from '../../nodes/OutboundAiCalling/callLog/ends/ends';
import { Scheduling } from '../../nodes/OutboundAiCalling/callLog/scheduling/scheduling';
import { DataTableError } from '../../nodes/OutboundAiCalling/dataTables/dataTableError';
import { outcomeColumns } from '../../nodes/OutboundAiCalling/callLog/table/rowColumns';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { newCalls } from '../newCalls';
import { MemoryTables } from './memoryTables';

const OPEN = { account: 'own', status: 'in_progress', finishedAt: null, batch: '', lockedBy: '' };
const NOW = Date.parse('2026-11-21T12:00:00Z');
let made = 0;

/** A log with calls that go on. */
async function openCalls(count: number) {
  const tables = new MemoryTables(`ends${++made}`);
  const locator = { mode: 'id', value: tables.tableId };
  const log = await CallLog.open(tables.context, locator, { account: 'own', create: false });
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
    const { written } = await recordEnds(log, ends);
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

  it('is written without a label that only some databases store', async () => {
    const { tables, log } = await openCalls(1);
    tables.isRefused = (method, body) => method === 'POST' && body.includes('\u{1f600}');
    await recordEnds(
      log,
      endsOf(tables, () => ['Fine', 'Confirmed \u{1f600}']),
    );
    expect(tables.rows).toMatchObject([{ status: 'completed', outcome: null, summary: null }]);
  });

  it('is left for the next look while n8n fails, and written as it is when n8n is back', async () => {
    const { tables, log } = await openCalls(3);
    const ends = endsOf(tables, () => ['Fine', 'Sipariş onaylandı']);
    tables.isFailing = (method, body) => method === 'POST' && body.includes('call2');
    const { written, failure } = await recordEnds(log, ends);
    expect(written.map(({ end: { callId } }) => callId)).toEqual(['call1', 'call3']);
    expect(failure?.kind).toBe('failing');
    expect(tables.rows[0]).toMatchObject({ callId: 'call2', status: 'in_progress' });
    tables.isFailing = () => false;
    await recordEnds(log, ends.slice(1, 2));
    expect(tables.rows.at(-1)).toMatchObject({ callId: 'call2', outcome: 'Sipariş onaylandı' });
  });

  it('is written without its free text when n8n has failed at it five times in ten minutes', async () => {
    const { tables, log } = await openCalls(1);
    const ends = endsOf(tables, () => ['unstorable', 'Order confirmed']);
    tables.isFailing = (method, body) => method === 'POST' && body.includes('unstorable');
    for (let times = 0; times < 4; times++) {
      expect((await recordEnds(log, ends)).written).toEqual([]);
    }
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 10 * 60_000);
    const lastError = expect.stringContaining('left out');
    expect((await recordEnds(log, ends)).written).toMatchObject([
      { end: { outcome: 'Order confirmed', summary: null, lastError } },
    ]);
  });

  it('leaves the calls open when n8n stores none of them', async () => {
    const { tables, log } = await openCalls(3);
    tables.isRefused = (method) => method === 'POST';
    const before = structuredClone(tables.rows);
    const ends = endsOf(tables, () => ['Fine', 'Order confirmed']);
    await expect(recordEnds(log, ends)).rejects.toThrow('The value cannot be stored');
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
    await expect(recordEnds(log, ends)).rejects.toThrow(DataTableError);
    Object.assign(tables, { isFull: () => false, isBusy: () => false });
    const { written } = await recordEnds(log, ends);
    const end = { outcome: 'Sipariş onaylandı', summary: 'Wants it on Friday', lastError: null };
    expect(written).toMatchObject([{ end }, { end }]);
  });
});

describe('a text with U+0000, which PostgreSQL refuses', () => {
  it('is stored without it', async () => {
    const { tables, log } = await openCalls(1);
    await recordEnds(
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
    const log = await CallLog.open(tables.context, locator, { account: 'own', create: false });
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

describe('an end after which a person is to be put on the do-not-call list', () => {
  it('is left for the next look while a proxy answers in the place of n8n', async () => {
    const { tables, log } = await openCalls(1);
    const rules = {
      doNotCallTable: { mode: 'name', value: 'list' },
      doNotCallOutcomes: 'Not interested',
    };
    const cells = { customerPhone: '+905551234567', request: JSON.stringify({ rules }) };
    Object.assign(tables.rows[0] ?? {}, cells);
    const ends = endsOf(tables, () => ['Angry', 'Not interested']);
    const send = tables.send.bind(tables);
    tables.send = async (request) =>
      request.url.endsWith('/data-tables')
        ? { statusCode: 502, headers: {}, body: '<h1>Bad Gateway</h1>' }
        : await send(request);
    expect(await recordEnds(log, ends)).toMatchObject({
      written: [],
      failure: { kind: 'notN8n' },
    });
    expect(tables.rows).toMatchObject([{ status: 'in_progress' }]);
  });
});

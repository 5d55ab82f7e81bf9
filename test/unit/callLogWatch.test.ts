import type { IDataObject } from 'n8n-workflow';
import { OutcomeReader } from '../../nodes/OutboundAiCalling/trigger/outcomeReader';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { Cursors, endsToHandOver } from '../../nodes/OutboundAiCalling/callLog/ends/cursors';
import { recordEnds } from '../../nodes/OutboundAiCalling/callLog/ends/ends';
import { STILL_UNDER_WAY } from '../../nodes/OutboundAiCalling/callLog/mending';
import type { Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import type {
  FinishedReading,
  OutcomeReading,
} from '../../nodes/OutboundAiCalling/service/callingService';
import { CallingServiceError } from '../../nodes/OutboundAiCalling/service/failure';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { CallLogWatch } from '../../nodes/OutboundAiCalling/trigger/watch/callLogWatch';
import { callsWithId, type EndedCall } from '../../nodes/OutboundAiCalling/trigger/watch/watch';
import { MemoryTables } from './memoryTables';

const ACCOUNT = '0123456789abcdef';
const FINISHED = '2026-11-21T12:00:00.000Z';
const OTHER_ACCOUNT = 'of another key';
let made = 0;

function finished(orderId: number, callOutcome = 'Confirmed'): OutcomeReading {
  const transcript = [{ speaker: 'agent', text: 'Hello' }];
  const body = { success: true, orderId, callStatus: 'completed', callOutcome, transcript };
  return { finished: true, result: readOutcome(body, orderId), body };
}

type Read = (orderId: number) => Promise<OutcomeReading>;
const readAll: Read = async (orderId) => await Promise.resolve(finished(orderId));

/** A log, and one trigger of it that was away while others wrote ends into the log. */
class Log {
  readonly tables = new MemoryTables(`watch${++made}x`);
  private log: CallLog | undefined;
  private processes = 0;
  private account = ACCOUNT;

  async opened(): Promise<CallLog> {
    const locator = { mode: 'id', value: this.tables.tableId };
    const { context } = this.tables;
    this.log ??= await CallLog.openExisting(context, locator, this.account);
    return this.log;
  }

  /** A person gives the credential the key of another account. */
  exchangeKey(): void {
    this.account = OTHER_ACCOUNT;
    this.log = undefined;
  }

  /** The rows of an attempt that ended, as they stand in the log. */
  insertEnded(orderId: number, more: IDataObject = {}): void {
    const ids = { callId: `call ${orderId}`, orderId: String(orderId), account: ACCOUNT };
    const outcome = { outcome: 'Confirmed', outcomeKey: 'confirmed', triggeredAt: FINISHED };
    const machinery = { lockedBy: '', lockedUntil: 0, batch: '', runAt: null };
    this.tables.insert([
      {
        ...ids,
        ...outcome,
        ...machinery,
        attempt: 1,
        status: 'completed',
        finishedAt: FINISHED,
        nextAttemptAt: null,
        ...more,
      },
    ]);
  }

  insertOpen(orderId: number, more: IDataObject = {}): void {
    const open = { status: 'in_progress', finishedAt: null, outcome: null, outcomeKey: null };
    this.insertEnded(orderId, { ...open, runAt: 1, ...more });
  }

  /** A poll of the trigger; of another process when that is said. */
  async open({ read = readAll, isRestarted = false }: { read?: Read; isRestarted?: boolean } = {}) {
    if (isRestarted) this.processes++;
    const log = await this.opened();
    const trigger = 'trigger';
    const reader = { workflow: 'Outcomes', trigger, giveUpAfterMs: 3_600_000 };
    return await CallLogWatch.open(log, await Cursors.open(log, reader), {
      trigger: `${trigger} ${this.processes}`,
      reader: new OutcomeReader({ readOutcome: read }),
      lookUntil: Date.now() + 60_000,
    });
  }
}

/** A log whose trigger was published before anything was written. */
async function published(): Promise<Log> {
  const log = new Log();
  await log.open();
  return log;
}

const idsOf = (ends: EndedCall[]) => callsWithId(ends).map(({ orderId }) => orderId);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Everything that a trigger takes and hands over, until there is nothing more. */
async function handOverAll(watch: CallLogWatch): Promise<number[]> {
  const found: number[] = [];
  for (let ends = await watch.nextEnds(); ends.length > 0; ends = await watch.nextEnds()) {
    found.push(...idsOf(ends));
    await watch.handedOver(ends);
  }
  return found;
}

/** The poll looks at the open calls, which have ended. */
async function lookAtAll(watch: CallLogWatch): Promise<void> {
  const calls = await watch.lockDue(Date.now(), 100);
  await watch.recordEnds(
    calls.map((call) => ({ call, end: { outcome: finished(call.orderId) } }) as EndedCall),
  );
}

const refusal = new CallingServiceError('keyRefused', 'no', {
  advice: '',
  mayHaveBeenProcessed: false,
});

describe('a trigger of a call log that was away', () => {
  it('hands over its own ends while those of others are still being read', async () => {
    const log = await published();
    log.insertEnded(1);
    log.insertOpen(2);
    let tell: (reading: OutcomeReading) => void = () => {};
    const slow = new Promise<OutcomeReading>((resolve) => (tell = resolve));
    const watch = await log.open({ read: async () => await slow });
    const reading = watch.nextEnds();
    await lookAtAll(watch);
    const own = await watch.nextEnds();
    expect(idsOf(own)).toEqual([2]);
    await watch.handedOver(own);
    tell(finished(1));
    expect(idsOf(await reading)).toEqual([1]);
  });

  it('hands over the outcomes since the API key was exchanged, and none from before', async () => {
    const log = new Log();
    // Calls of the other key that are younger than the trigger would come too.
    log.insertEnded(1, { account: OTHER_ACCOUNT });
    await log.open();
    log.insertEnded(2);
    expect(await handOverAll(await log.open())).toEqual([2]);
    log.exchangeKey();
    log.insertEnded(3, { account: OTHER_ACCOUNT });
    expect(await handOverAll(await log.open({ isRestarted: true }))).toEqual([3]);
    expect(await handOverAll(await log.open())).toEqual([]);
  });

  it('passes over a scheduled call into whose finishedAt a person has written', async () => {
    const log = await published();
    log.insertEnded(1, { status: 'scheduled', orderId: null, outcome: null, outcomeKey: null });
    log.insertEnded(2);
    const ends = await (await log.open()).nextEnds();
    expect(ends.map(({ call }) => call.callId)).toEqual(['call 2']);
  });

  it('hands over the outcome of a call that a person has scheduled while it went on', async () => {
    const log = await published();
    log.insertOpen(1, { status: 'scheduled' });
    const watch = await log.open();
    await lookAtAll(watch);
    expect(await handOverAll(watch)).toEqual([1]);
    expect(log.tables.rows).toMatchObject([{ orderId: '1', status: 'completed' }]);
  });

  it('finds such a call behind many others', async () => {
    const log = await published();
    for (const orderId of numbers(30)) log.insertOpen(orderId);
    log.insertOpen(31, { status: 'scheduled' });
    const watch = await log.open();
    await lookAtAll(watch);
    expect(await handOverAll(watch)).toContain(31);
  });

  it.each([
    ['that such a call goes on', { status: 'scheduled' }, STILL_UNDER_WAY],
    ['when a call is looked at whose time was emptied', { runAt: null }, '"data":{"runAt":'],
  ])('hands over other outcomes while n8n cannot write %s', async (_, edit, written) => {
    const log = await published();
    log.insertEnded(1);
    log.insertOpen(2, edit);
    log.tables.isRefused = (method, body) => method === 'PATCH' && body.includes(written);
    const watch = await log.open();
    expect(await handOverAll(watch)).toEqual([1]);
    await expect(watch.close()).rejects.toThrow('n8n refused');
  });

  it('is waited for with the end of a call that a person has cancelled in its row', async () => {
    const log = await published();
    log.insertOpen(1, { status: 'cancelled', orderId: null });
    log.insertOpen(2, { status: 'no word of ours', orderId: null });
    const ends = await endsToHandOver(await log.opened(), Date.now());
    const waitedFor = log.tables.rows.map((row) => ends.waitedForBy(row));
    expect(waitedFor).toEqual(['Outcomes', undefined]);
  });

  it('is waited for by nobody of a test call, or when the trigger has not polled for 40 days', async () => {
    const log = await published();
    log.insertEnded(1, { request: '{"testCall":true}' });
    log.insertEnded(2);
    const waitedFor = async () => {
      const ends = await endsToHandOver(await log.opened(), Date.now());
      return log.tables.rows.map((row) => ends.waitedForBy(row));
    };
    expect(await waitedFor()).toEqual([undefined, 'Outcomes']);
    log.tables.besideRows.forEach((row) => (row.polledAt = Date.now() - 41 * 24 * 3_600_000));
    expect(await waitedFor()).toEqual([undefined, undefined]);
  });

  it('has the outcome before, whatever number a person has written as its attempt', async () => {
    const log = await published();
    log.insertEnded(1, { nextAttemptAt: FINISHED });
    const given = { status: 'given_up', outcome: null, outcomeKey: null };
    log.insertEnded(2, { callId: 'call 1', attempt: 12_025_550_101, ...given });
    const ends = await (await log.open()).nextEnds();
    expect(ends).toMatchObject([{}, { lastOutcome: { call: { orderId: 1 } } }]);
  });

  it('keeps the pages of ends that it has not come to, also for the next process', async () => {
    const log = await published();
    numbers(600).forEach((orderId) => log.insertEnded(orderId));
    const watch = await log.open();
    const first = await watch.nextEnds();
    expect(first).toHaveLength(250);
    await watch.handedOver(first);
    // The process dies here.
    const rest = await handOverAll(await log.open({ isRestarted: true }));
    expect([...idsOf(first), ...rest]).toEqual(numbers(600));
  });

  it('hands over all others when the service refuses one transcript', async () => {
    const log = await published();
    numbers(30).forEach((orderId) => log.insertEnded(orderId));
    const read: Read = async (orderId) =>
      orderId === 7 ? await Promise.reject(refusal) : finished(orderId);
    const watch = await log.open({ read });
    expect(await watch.nextEnds()).toHaveLength(29);
  });

  it('reads a page again whose outcomes could not be read', async () => {
    const log = await published();
    numbers(300).forEach((orderId) => log.insertEnded(orderId));
    let isRefused = true;
    const read: Read = async (orderId) =>
      isRefused ? await Promise.reject(refusal) : finished(orderId);
    const watch = await log.open({ read });
    await expect(watch.nextEnds()).rejects.toBe(refusal);
    isRefused = false;
    expect(await handOverAll(await log.open({ read }))).toHaveLength(300);
  });
});

describe('the item of an end', () => {
  it('says what the row says, and has the transcript from the service', async () => {
    const log = await published();
    log.insertEnded(1, { outcome: 'No answer', outcomeKey: 'no_answer', summary: 'Nobody' });
    const [end] = await (await log.open()).nextEnds();
    expect(end?.end).toMatchObject({
      outcome: {
        result: { callOutcome: 'No answer', outcomeKey: 'no_answer', summary: 'Nobody' },
        body: { callOutcome: 'No answer' },
      },
    });
    expect(end?.end).toMatchObject({ outcome: { result: { transcript: [{ text: 'Hello' }] } } });
  });

  it('has the transcript also when its outcome seems to be still to come', async () => {
    const log = await published();
    log.insertEnded(1, { outcome: 'Queued', outcomeKey: 'queued' });
    const soFar = finished(1, 'Queued') as FinishedReading;
    const read: Read = async () =>
      await Promise.resolve({ finished: false, body: soFar.body, soFar });
    const [end] = await (await log.open({ read })).nextEnds();
    expect(end?.end).toMatchObject({
      outcome: { result: { callOutcome: 'Queued', transcript: [{ text: 'Hello' }] } },
    });
  });

  it.each([
    ['not_placed', 'notPlaced'],
    ['cancelled', 'cancelled'],
    ['maybe_placed', 'maybePlaced'],
    ['given_up', 'givenUp'],
  ])('of an attempt that is %s says so, and why', async (status, endReason) => {
    const log = await published();
    log.insertEnded(1, { status, lastError: 'why', orderId: null, outcome: null });
    const [end] = await (await log.open()).nextEnds();
    expect(end?.end).toEqual({ unavailable: { endReason, message: 'why' } });
  });

  it('says when the call is placed again as its row does', async () => {
    const log = await published();
    log.insertEnded(1, { nextAttemptAt: FINISHED });
    log.insertEnded(2);
    const ends = await (await log.open()).nextEnds();
    expect(ends.map(({ call }) => call.nextAttemptAt)).toEqual([FINISHED, null]);
  });
});

it.each([null, '2999-01-01T00:00:00Z'])(
  'a call whose triggeredAt a person has changed to %s is as old as its row',
  async (triggeredAt) => {
    const log = await published();
    const createdAt = new Date(Date.now() - 1_000).toISOString();
    log.insertOpen(1, { triggeredAt });
    Object.assign(log.tables.rows[0] as Row, { createdAt });
    const [call] = await (await log.open()).lockDue(Date.now(), 1);
    expect(call?.placedAt).toBe(Date.parse(createdAt));
  },
);

describe('a trigger of a log that is full', () => {
  it('hands over what has ended although a cancelled call cannot be ended, and then says so', async () => {
    const log = await published();
    log.insertEnded(1);
    log.insertOpen(2, { status: 'cancelled', orderId: null, runAt: null });
    log.tables.isFull = (method) => method === 'POST';
    const watch = await log.open();
    expect(await handOverAll(watch)).toEqual([1]);
    await expect(watch.close()).rejects.toThrow('size limit');
  });
});

describe('of several ends of one attempt', () => {
  it('the one that was written first is handed over', async () => {
    const log = await published();
    log.insertOpen(1);
    const open = await log.opened();
    const row = { ...(log.tables.rows[0] as Row) };
    const columns = { status: 'completed', finishedAt: FINISHED, outcome: 'First' };
    await recordEnds(open, [{ row, columns }]);
    // A process that stood still meanwhile.
    await recordEnds(open, [{ row, columns: { ...columns, outcome: 'Second' } }]);
    const ends = await (await log.open()).nextEnds();
    expect(ends).toMatchObject([{ end: { outcome: { result: { outcomeKey: 'first' } } } }]);
  });

  it.each(['transcript', 'n8n'] as const)(
    'one is handed over when the first comes to light after the second was refused by its %s',
    async (refusing) => {
      const log = await published();
      const refusal = new CallingServiceError('serviceFailing', 'It failed', {
        advice: '',
        mayHaveBeenProcessed: false,
      });
      log.insertEnded(1);
      log.insertEnded(1);
      const late = log.tables.rows.splice(0, 1);
      const read: Read = async (orderId) =>
        refusing === 'n8n' ? finished(orderId) : await Promise.reject(refusal);
      const before = await log.open({ read });
      await before.notHandedOver(await before.nextEnds());
      log.tables.rows.unshift(...late);
      jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
      expect(await handOverAll(await log.open())).toEqual([1]);
      expect(await handOverAll(await log.open({ isRestarted: true }))).toEqual([]);
    },
  );

  it('none is handed over that a person has scheduled again before its transcript could be read', async () => {
    const log = await published();
    log.insertEnded(1);
    const refusal = new CallingServiceError('serviceFailing', 'It failed', {
      advice: '',
      mayHaveBeenProcessed: false,
    });
    const before = await log.open({ read: async () => await Promise.reject(refusal) });
    expect(await before.nextEnds()).toEqual([]);
    Object.assign(log.tables.rows[0] ?? {}, { status: 'scheduled', runAt: 1 });
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    expect(await (await log.open()).nextEnds()).toEqual([]);
  });

  it('none is handed over of an attempt that neither rang nor is announced by the end before', async () => {
    const log = await published();
    log.insertEnded(1);
    log.insertEnded(2, { callId: 'call 1', attempt: 2, status: 'not_placed', orderId: '' });
    expect(idsOf(await (await log.open()).nextEnds())).toEqual([1]);
  });

  it('that of an attempt that rang is handed over, whatever the end before announces', async () => {
    const log = await published();
    log.insertEnded(1);
    log.insertEnded(2, { callId: 'call 1', attempt: 2 });
    expect(idsOf(await (await log.open()).nextEnds())).toEqual([1, 2]);
  });
});

describe('the end of a test call', () => {
  it('is not handed over, and holds back no other', async () => {
    const log = await published();
    const testCall = JSON.stringify({ scriptId: 7, variables: {}, testCall: true });
    numbers(3).forEach((n) => log.insertEnded(n, n === 2 ? { request: testCall } : {}));
    expect(await handOverAll(await log.open())).toEqual([1, 3]);
    expect(await handOverAll(await log.open({ isRestarted: true }))).toEqual([]);
  });

  it('is handed over neither when the poll itself has found it', async () => {
    const log = await published();
    log.insertOpen(5, { request: '{"testCall":true}' });
    const watch = await log.open();
    await lookAtAll(watch);
    expect(await watch.nextEnds()).toEqual([]);
  });
});

import type { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import type { Row } from '../../nodes/OutboundAiCalling/dataTables/dataTables';
import type { Place, Places } from '../../nodes/OutboundAiCalling/callLog/places';
import type { OutcomeReading } from '../../nodes/OutboundAiCalling/service/callingService';
import { CallingServiceError } from '../../nodes/OutboundAiCalling/service/failure';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { CallLogWatch } from '../../nodes/OutboundAiCalling/trigger/watch/callLogWatch';
import { callsWithId, type EndedCall } from '../../nodes/OutboundAiCalling/trigger/watch/watch';

const HOUR_MS = 3_600_000;

function finished(orderId: number): OutcomeReading {
  const body = { success: true, orderId, callStatus: 'completed', callOutcome: 'Confirmed' };
  return { finished: true, result: readOutcome(body, orderId), body };
}

/** A log with one trigger, which was away for an hour while others wrote ends into the log. */
class Log {
  readonly away = Date.now() - HOUR_MS;
  rows: Row[] = [];
  saved: Place = { since: this.away, position: this.away, handedOver: new Map() };

  readonly log = {
    tableId: 'table',
    account: 'account',
    closeAbandoned: async () => {},
    mendTimes: async () => {},
    takeDue: async () => [],
    nextDueAt: async () => undefined,
    endsFrom: async (time: number) =>
      this.rows.filter(({ runAt }) => Number(runAt) >= time).slice(0, 250),
    notFollowed: async () => new Set<string>(),
    recordEnds: async (ended: Array<{ row: Row }>) => {
      const rows = ended.map(({ row }) => this.ended(Number(row.orderId), Date.now()));
      this.rows.push(...rows);
      return rows;
    },
  } as Partial<CallLog> as CallLog;

  readonly places = {
    own: async () => ({ ...this.saved, handedOver: new Map(this.saved.handedOver) }),
    save: async ({ since, position, handedOver }: Place) => {
      this.saved = { since, position, handedOver: new Map(handedOver) };
    },
  } as Partial<Places> as Places;

  ended(orderId: number, runAt: number): Row {
    const ids = { id: orderId, callId: `call ${orderId}`, orderId: String(orderId) };
    return { ...ids, attempt: 1, status: 'completed', finishedAt: 'x', runAt };
  }

  async open(trigger: string, read: (orderId: number) => Promise<OutcomeReading>) {
    return await CallLogWatch.open(this.log, this.places, {
      trigger,
      service: { readOutcome: read },
      lookUntil: Date.now() + 60_000,
    });
  }
}

const idsOf = (ends: EndedCall[]) => callsWithId(ends).map(({ orderId }) => orderId);

/** An end that the poll itself has found. */
async function find(watch: CallLogWatch, log: Log, orderId: number): Promise<void> {
  const row = { ...log.ended(orderId, 0), finishedAt: null };
  const call = { orderId, placedAt: Date.now(), checks: 1, nextCheckAt: 0, row };
  const reading = finished(orderId);
  if (!reading.finished) throw new Error('not finished');
  await watch.recordEnds([{ call, end: { outcome: reading } }]);
}

describe('a trigger of a call log that was away', () => {
  it('keeps the ends of others that are still being read when it hands over its own', async () => {
    const log = new Log();
    log.rows = [log.ended(1, log.away + 1000)];
    let read: (reading: OutcomeReading) => void = () => {};
    const slow = new Promise<OutcomeReading>((resolve) => (read = resolve));
    const watch = await log.open('slow', async () => await slow);
    const reading = watch.takeEnds();
    await find(watch, log, 2);
    const own = await watch.takeEnds();
    expect(idsOf(own)).toEqual([2]);
    await watch.handedOver(own);
    read(finished(1));
    expect(idsOf(await reading)).toEqual([1]);
  });

  it('keeps the pages of ends that it has not come to, also for the next poll', async () => {
    const log = new Log();
    const backlog = Array.from({ length: 600 }, (_, index) => index + 1);
    log.rows = backlog.map((orderId) => log.ended(orderId, log.away + orderId * 1000));
    const read = async (orderId: number) => await Promise.resolve(finished(orderId));
    const watch = await log.open('pages', read);
    await find(watch, log, 1001);
    const first = await watch.takeEnds();
    expect(first.length).toBeLessThan(600);
    await watch.handedOver(first);
    // The process dies here, or the poll's time is over.
    const handedOver = idsOf(first);
    const next = await log.open('pages, restarted', read);
    for (let ends = await next.takeEnds(); ends.length > 0; ends = await next.takeEnds()) {
      handedOver.push(...idsOf(ends));
      await next.handedOver(ends);
    }
    expect(new Set(handedOver)).toEqual(new Set([...backlog, 1001]));
    expect(handedOver).toHaveLength(601);
  });

  it('reads a page again whose outcomes could not be read', async () => {
    const log = new Log();
    log.rows = Array.from({ length: 300 }, (_, n) => log.ended(n + 1, log.away + n * 1000));
    let isRefused = true;
    const refusal = new CallingServiceError('keyRefused', 'no', {
      advice: '',
      mayHaveBeenProcessed: false,
    });
    const watch = await log.open('refused', async (orderId) =>
      isRefused ? await Promise.reject(refusal) : finished(orderId),
    );
    await expect(watch.takeEnds()).rejects.toBe(refusal);
    isRefused = false;
    const found: number[] = [];
    for (let ends = await watch.takeEnds(); ends.length > 0; ends = await watch.takeEnds()) {
      found.push(...idsOf(ends));
      await watch.handedOver(ends);
    }
    expect(found).toHaveLength(300);
  });
});

describe('the end of a test call', () => {
  it('is not handed over, counts as handed over, and holds back no other', async () => {
    const log = new Log();
    const testCall = JSON.stringify({ scriptId: 7, variables: {}, testCall: true });
    log.rows = [1, 2, 3].map((orderId) => log.ended(orderId, log.away + orderId * 1000));
    Object.assign(log.rows[1] as Row, { request: testCall });
    const watch = await log.open('test calls', async (orderId) => finished(orderId));
    const ends = await watch.takeEnds();
    expect(idsOf(ends)).toEqual([1, 3]);
    await watch.handedOver(ends);
    expect(log.saved.position).toBe(log.away + 3000);
    const restarted = await log.open('test calls, restarted', async (id) => finished(id));
    expect(await restarted.takeEnds()).toEqual([]);
  });

  it('is handed over neither when the poll itself has found it', async () => {
    const log = new Log();
    const watch = await log.open('found', async (orderId) => finished(orderId));
    const ended = log.ended.bind(log);
    log.ended = (orderId, at) => ({ ...ended(orderId, at), request: '{"testCall":true}' });
    await find(watch, log, 5);
    expect(await watch.takeEnds()).toEqual([]);
  });
});

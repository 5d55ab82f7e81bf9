import { OutcomeReader } from '../../nodes/OutboundAiCalling/trigger/outcomeReader';
import { sleep, type IDataObject } from 'n8n-workflow';
import { CallLog } from '../../nodes/OutboundAiCalling/callLog/callLog';
import { Cursors } from '../../nodes/OutboundAiCalling/callLog/ends/cursors';
import type { OutcomeReading } from '../../nodes/OutboundAiCalling/service/callingService';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { PollRun } from '../../nodes/OutboundAiCalling/trigger/pollRun';
import { pollTime } from '../../nodes/OutboundAiCalling/trigger/lookTimes';
import { CallLogWatch } from '../../nodes/OutboundAiCalling/trigger/watch/callLogWatch';
import { MemoryTables } from './memoryTables';

const ACCOUNT = '0123456789abcdef';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** How long a request lasts. */
const REQUEST_MS = 100;
const DAY = 24 * 60 * MINUTE;
const START = Date.parse('2026-11-23T09:00:00Z');
let made = 0;

interface PlacedCall {
  orderId: number;
  endsAt: number;
}

/** A log in virtual time, and a trigger of it that n8n polls every minute. */
class PolledLog {
  readonly tables: MemoryTables;
  /** When each call was handed over. */
  readonly heardAt = new Map<number, number>();
  private readonly calls: PlacedCall[] = [];

  /** @param requestMs how long a request to n8n lasts */
  constructor(requestMs = REQUEST_MS) {
    this.tables = new MemoryTables(`polled${++made}x`, async () => await sleep(requestMs / 2));
  }

  get requests(): number {
    return Object.values(this.tables.requests).reduce((sum, count) => sum + count, 0);
  }

  place(lastsMs: number, firstLookInMs = 15 * SECOND): PlacedCall {
    const now = Date.now();
    const call = { orderId: this.calls.length + 1, endsAt: now + lastsMs };
    this.calls.push(call);
    this.tables.insert([
      {
        account: ACCOUNT,
        callId: `call ${call.orderId}`,
        orderId: String(call.orderId),
        attempt: 1,
        status: 'in_progress',
        triggeredAt: new Date(now).toISOString(),
        finishedAt: null,
        outcome: null,
        outcomeKey: null,
        nextAttemptAt: null,
        lockedBy: '',
        lockedUntil: 0,
        batch: '',
        lookCount: 0,
        runAt: now + firstLookInMs,
      },
    ]);
    return call;
  }

  private async read(orderId: number): Promise<OutcomeReading> {
    await sleep(REQUEST_MS);
    const { endsAt = Infinity } = this.calls[orderId - 1] ?? {};
    if (Date.now() < endsAt) return { finished: false, body: {} };
    const body = { success: true, orderId, callStatus: 'completed', callOutcome: 'Confirmed' };
    return { finished: true, result: readOutcome(body, orderId), body };
  }

  private async poll(): Promise<void> {
    const { lookUntil } = pollTime(Date.now(), 5 * MINUTE);
    const locator = { mode: 'id', value: this.tables.tableId };
    const log = await CallLog.openExisting(this.tables.context, locator, ACCOUNT);
    const trigger = 'trigger';
    const giveUpAfterMs = 60 * MINUTE;
    const cursors = await Cursors.open(log, { workflow: 'Outcomes', trigger, giveUpAfterMs });
    const readOutcome = async (orderId: number) => await this.read(orderId);
    const reader = new OutcomeReader({ readOutcome });
    const watch = await CallLogWatch.open(log, cursors, {
      trigger,
      reader,
      lookUntil,
    });
    const handOver = async (items: IDataObject[]) => {
      for (const { orderId } of items) this.heardAt.set(Number(orderId), Date.now());
      return await Promise.resolve(true);
    };
    await new PollRun({
      calls: watch,
      ends: {
        source: watch,
        itemOf: ({ call }) => ({ orderId: call.orderId }),
        handOver,
        failedLate: () => {},
      },
      reader,
      fastChecks: true,
      giveUpAfterMs,
      lookUntil,
      signal: new AbortController().signal,
      oneRound: false,
      isSuperseded: () => false,
    }).run();
  }

  /** Polls every minute, while something else happens. */
  async pollEveryMinute(minutes: number, meanwhile: () => Promise<void>): Promise<void> {
    const polls = Array.from({ length: minutes }, async (_, minute) => {
      await sleep(minute * MINUTE);
      await this.poll();
    });
    const all = Promise.all([...polls, meanwhile()]);
    await jest.advanceTimersByTimeAsync(minutes * MINUTE);
    await all;
  }
}

describe('a trigger of a call log that is polled every minute', () => {
  beforeEach(() => jest.useFakeTimers({ now: START }));
  afterEach(() => jest.useRealTimers());

  it('asks n8n 12 times a minute at most while nothing happens', async () => {
    const log = new PolledLog();
    const counts: number[] = [];
    await log.pollEveryMinute(4, async () => {
      for (let minute = 0; minute < 4; minute++) {
        const before = log.requests;
        await sleep(MINUTE - 1);
        counts.push(log.requests - before);
      }
    });
    expect(Math.max(...counts.slice(1))).toBeLessThanOrEqual(12);
  });

  it.each([0, 1.3, 3.4])(
    'hears of a call within 12 seconds of its end, in whichever second of the minute it is placed, when n8n polls at second %d',
    async (pollsAt) => {
      jest.setSystemTime(START + pollsAt * SECOND);
      const waits: number[] = [];
      const log = new PolledLog();
      await log.pollEveryMinute(122, async () => {
        await sleep(MINUTE);
        for (let second = 0; second < 60; second++) {
          const placed = log.place((18 + ((second * 7) % 23)) * SECOND + 139 * ((second * 5) % 36));
          await sleep(2 * MINUTE + SECOND - (second === 59 ? MINUTE : 0));
          waits.push((log.heardAt.get(placed.orderId) ?? Infinity) - placed.endsAt);
        }
      });
      waits.sort((a, b) => a - b);
      expect(waits).toHaveLength(60);
      expect(waits.at(-1)).toBeLessThanOrEqual(12 * SECOND);
      expect(waits[30]).toBeLessThanOrEqual(5 * SECOND);
    },
  );

  it('hears within a minute of a call whose next look a clock has put a day away, also when n8n is slow', async () => {
    const log = new PolledLog(1.5 * SECOND);
    const { orderId } = log.place(0, DAY);
    await log.pollEveryMinute(1, async () => await Promise.resolve());
    expect(log.heardAt.get(orderId)).toBeLessThan(START + MINUTE);
  });
});

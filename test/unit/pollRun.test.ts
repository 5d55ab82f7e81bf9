import { OutcomeReader } from '../../nodes/OutboundAiCalling/trigger/outcomeReader';
import { sleep, type IDataObject } from 'n8n-workflow';
import type { FinishedReading } from '../../nodes/OutboundAiCalling/service/callingService';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import {
  PollRun,
  type HandingOver,
  type PollRunOptions,
} from '../../nodes/OutboundAiCalling/trigger/pollRun';
import {
  callsWithId,
  type EndedCall,
  type Watch,
} from '../../nodes/OutboundAiCalling/trigger/watch/watch';
import { leapOverWaits } from '../leapOverWaits';

leapOverWaits();

function ended(orderId: number, callOutcome: string): EndedCall {
  const body = { success: true, orderId, callStatus: 'completed', callOutcome };
  const outcome = { finished: true as const, result: readOutcome(body, orderId), body };
  return { call: { orderId, placedAt: 0, checks: 1, nextCheckAt: 0 }, end: { outcome } };
}

/** A watch without calls, but for what a test gives it. */
function watchWith(methods: Partial<Watch>): Watch {
  return {
    lockDue: async () => [],
    putBack: () => {},
    recordEnds: async () => {},
    nextEnds: async () => [],
    handingOver: () => {},
    handedOver: async () => {},
    notHandedOver: async () => {},
    nextDueAt: () => Infinity,
    close: async () => {},
    ...methods,
  };
}

/** One round of a poll, of which a test says what matters to it. */
function oneRound({
  watch,
  handOver = async () => await Promise.resolve(true),
  ...options
}: Partial<PollRunOptions & HandingOver> & { watch: Watch }): PollRun {
  return new PollRun({
    calls: watch,
    ends: {
      source: watch,
      itemOf: ({ call: { orderId }, end }) =>
        'outcome' in end && end.outcome.result.outcomeKey === 'confirmed' ? { orderId } : undefined,
      handOver,
      failedLate: () => {},
    },
    reader: new OutcomeReader({
      readOutcome: async () => await Promise.reject(new Error('not asked')),
    }),
    fastChecks: false,
    giveUpAfterMs: 1000,
    lookUntil: Date.now() + 10_000,
    signal: new AbortController().signal,
    oneRound: true,
    isSuperseded: () => false,
    ...options,
  });
}

describe('a poll', () => {
  it('hands over what is wanted although what is not wanted cannot be noted', async () => {
    const ends = [ended(1, 'Unclear'), ended(2, 'Confirmed')];
    const given: IDataObject[] = [];
    const watch = watchWith({
      // Given once, until they are told not to be handed over.
      nextEnds: async () => ends.splice(0),
      handedOver: async (some) => {
        if (some.some(({ call }) => call.orderId === 1)) throw new Error('n8n is away');
      },
    });
    const handOver = async (items: IDataObject[]) => {
      given.push(...items);
      return await Promise.resolve(true);
    };
    await expect(oneRound({ watch, handOver }).run()).rejects.toThrow('n8n is away');
    expect(given.map(({ orderId }) => orderId)).toEqual([2]);
  });

  it('writes what is found while n8n writes slowly all at once', async () => {
    const calls = Array.from({ length: 40 }, (_, index) => ended(index + 1, 'Confirmed'));
    const looks = callsWithId(calls);
    const written: number[] = [];
    let underWay = 0;
    const watch = watchWith({
      lockDue: async () => looks.splice(0),
      recordEnds: async (some) => {
        expect(++underWay).toBe(1);
        written.push(some.length);
        await sleep(1_000);
        underWay--;
      },
    });
    const reader = new OutcomeReader({
      readOutcome: async (orderId: number) => {
        await sleep(100);
        return (calls[orderId - 1]?.end as { outcome: FinishedReading }).outcome;
      },
    });
    await oneRound({ watch, reader }).run();
    expect(written.reduce((sum, count) => sum + count, 0)).toBe(40);
    expect(written).toHaveLength(2);
  });

  it('writes what was found after a write that failed', async () => {
    const calls = [ended(1, 'Confirmed'), ended(2, 'Confirmed')];
    const looks = callsWithId(calls);
    const written: number[] = [];
    const watch = watchWith({
      lockDue: async () => looks.splice(0),
      recordEnds: async (some) => {
        await sleep(500);
        if (some.some(({ call }) => call.orderId === 1)) throw new Error('n8n is away');
        written.push(...callsWithId(some).map(({ orderId }) => orderId));
      },
    });
    const reader = new OutcomeReader({
      readOutcome: async (orderId: number) => {
        if (orderId === 2) await sleep(300);
        return (calls[orderId - 1]?.end as { outcome: FinishedReading }).outcome;
      },
    });
    await expect(oneRound({ watch, reader }).run()).rejects.toThrow('n8n is away');
    expect(written).toEqual([2]);
  });
});

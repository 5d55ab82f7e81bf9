import type { IDataObject } from 'n8n-workflow';
import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { PollRun } from '../../nodes/OutboundAiCalling/trigger/pollRun';
import type { EndedCall, Watch } from '../../nodes/OutboundAiCalling/trigger/watch/watch';

function ended(orderId: number, callOutcome: string): EndedCall {
  const body = { success: true, orderId, callStatus: 'completed', callOutcome };
  const outcome = { finished: true as const, result: readOutcome(body, orderId), body };
  return { call: { orderId, placedAt: 0, checks: 1, nextCheckAt: 0 }, end: { outcome } };
}

describe('a poll', () => {
  it('hands over what is wanted although what is not wanted cannot be noted', async () => {
    const ends = [ended(1, 'Unclear'), ended(2, 'Confirmed')];
    const given: IDataObject[] = [];
    const watch: Watch = {
      takeDue: async () => [],
      putBack: () => {},
      recordEnds: async () => {},
      // Given once, until they are told not to be handed over.
      takeEnds: async () => ends.splice(0),
      handingOver: () => {},
      handedOver: async (some) => {
        if (some.some(({ call }) => call.orderId === 1)) throw new Error('n8n is away');
      },
      notHandedOver: async () => {},
      nextDueAt: () => undefined,
      close: async () => {},
    };
    const run = new PollRun({
      service: { readOutcome: async () => await Promise.reject(new Error('not asked')) },
      watch,
      settings: {
        events: ['outcomeAvailable'],
        watch: 'callLog',
        simplify: true,
        outcomeKeys: ['confirmed'],
        callStatuses: [],
        giveUpAfterMs: 1000,
        firstCheckAfterMs: 0,
        fastChecks: false,
      },
      giveUpAfterMs: 1000,
      lookUntil: Date.now() + 1000,
      signal: new AbortController().signal,
      looksAtOnce: 1,
      oneRound: true,
      handOver: async (items) => {
        given.push(...items);
        return await Promise.resolve(true);
      },
      failedLate: () => {},
      isSuperseded: () => false,
    });
    await expect(run.run()).rejects.toThrow('n8n is away');
    expect(given.map(({ orderId }) => orderId)).toEqual([2]);
  });
});

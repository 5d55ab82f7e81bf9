import type { IDataObject } from 'n8n-workflow';
import { placedCalls } from '../../nodes/OutboundAiCalling/placedCalls';
import { accountFingerprint } from '../../nodes/OutboundAiCalling/service/accountFingerprint';
import { startCallingService, type CallingService } from '../service';
import { execute } from './engine';
import { Publication } from './triggerEngine';

let service: CallingService;
beforeEach(async () => {
  service = await startCallingService({ speed: 1000 });
});
afterEach(async () => await service.close());

const PHONE = '+12025550123';
const ORDER = 4821;
const OTHERS = { eventId: 'evt_9', event: 'call.ended', attempt: 7, orderNumber: 'B-2' };

/** The service answers with fields that have our names. */
function answer(more: IDataObject): void {
  const body = { success: true, callDurationSec: 31, summary: 'Bye', ...OTHERS, ...more };
  service.faults.add({ kind: 'status', status: 200, route: 'outcome', times: Infinity, body });
}

/** A published trigger, or one that is tried out, after a call was placed. */
function trigger(id: string, parameters: IDataObject, mode: 'trigger' | 'manual' = 'trigger') {
  const credential = { baseUrl: service.baseUrl, apiKey: 'test-key' };
  placedCalls.note(accountFingerprint(credential), {
    ...{ orderId: ORDER, customerPhone: PHONE, orderNumber: 'A-1', scriptId: 7, attempt: 1 },
    retry: { outcomes: ['no_answer'], afterMinutes: [30, 60] },
    placedAt: Date.now() - 60_000,
  });
  const { options, ...others } = parameters;
  const whole = { ...others, options: { fastChecks: false, ...(options as IDataObject) } };
  const place = { credential, workflowId: id, budgetMs: 10_000 };
  return new Publication({ ...place, mode, parameters: whole });
}

describe('what this package knows is not taken from an answer', () => {
  it.each([true, false])('in an item of the trigger, simplified: %j', async (simplify) => {
    answer({ callStatus: 'completed', callOutcome: 'Confirmed' });
    const publication = trigger(`own-${simplify}`, { simplify });
    await publication.poll();
    expect(publication.fired).toMatchObject([
      { event: 'outcomeAvailable', attempt: 1, customerPhone: PHONE, nextAttemptAt: null },
    ]);
    expect(publication.fired[0]?.eventId).not.toBe('evt_9');
    if (simplify) expect(publication.fired[0]).toMatchObject({ orderNumber: 'A-1' });
  });

  it('in an item of Call Customer and Wait', async () => {
    answer({ callStatus: 'completed', callOutcome: 'Confirmed' });
    const call = { resource: 'call', operation: 'triggerAndWait', scriptId: 7 };
    const asked = { customerPhone: PHONE, additionalFields: { orderNumber: '00123' } };
    const { items, error } = await execute({
      parameters: { ...call, ...asked },
      credential: { baseUrl: service.baseUrl, apiKey: 'test-key' },
    });
    expect(error).toBeUndefined();
    expect(items[0]?.json).toMatchObject({ callOutcome: 'Confirmed', orderNumber: '00123' });
  });
});

describe('a sample in the editor', () => {
  it('says like production that the call is placed again', async () => {
    answer({ callStatus: 'failed', callOutcome: 'no_answer' });
    const [sample] = (await trigger('sample', {}, 'manual').poll())?.[0] ?? [];
    expect(sample?.json).toMatchObject({ outcomeKey: 'no_answer', attempt: 1 });
    expect(sample?.json.nextAttemptAt).toEqual(expect.any(String));
    const [last] =
      (await trigger('last', { options: { finalOnly: true } }, 'manual').poll())?.[0] ?? [];
    expect(last?.json.simulated).toBe(true);
  });
});

it.each([
  ['no_answer', 'no answer'],
  ['No-Answer', 'no_answer'],
  ['completed ', 'completed'],
])('a trigger for the status %j fires when it is written %j', async (status, callStatuses) => {
  answer({ callStatus: status, callOutcome: 'x' });
  const publication = trigger(`status-${status}`, { options: { callStatuses } });
  await publication.poll();
  expect(publication.fired).toHaveLength(1);
});

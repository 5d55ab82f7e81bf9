import type { Answer } from '../../nodes/OutboundAiCalling/http/exchange';
import { clientOf, failureOf } from './client';

const place = { baseUrl: 'http://127.0.0.1:1' };
const answering = (...answers: Answer[]) => {
  let asked = 0;
  return clientOf(place, {
    through: () => async () => answers[Math.min(asked++, answers.length - 1)] as Answer,
  });
};
const refusal = (
  status: number,
  message: string,
  headers: Record<string, unknown> = {},
): Answer => ({
  status,
  headers,
  body: { success: false, message },
});

it.each([
  ['poolExhausted', 'Concurrency / pool exhausted: campaign "2026-11 COD" cannot be started'],
  ['poolExhausted', 'Campaign 24h reminders cannot be started: no free channels'],
  ['balanceTooLow', 'Insufficient balance to start campaign "1000 orders"'],
])('takes the digits of the name of a campaign for no id: %s', async (kind, message) => {
  const failure = await failureOf(answering(refusal(400, message)).controlCampaign(17, 'start'));
  expect(failure).toMatchObject({ kind, mayHaveBeenProcessed: false });
});

it.each(['Call is still in progress (order 1001)', 'Call is still in progress. Order: 1001'])(
  'takes the order number of a shop for no call ID: %s',
  async (message) => {
    const reading = await answering(refusal(404, message)).readOutcome(4821);
    expect(reading).toMatchObject({ finished: false });
  },
);

it('says that a pause may have been made which the service answered with a 503, then with a long 429', async () => {
  const failed: Answer = { status: 503, headers: {}, body: '' };
  const client = answering(failed, refusal(429, 'Too many requests', { 'retry-after': '120' }));
  const failure = await failureOf(client.controlCampaign(17, 'pause'));
  expect(failure.message).toContain('the campaign may have been paused');
});

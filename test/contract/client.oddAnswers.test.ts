import type { CallingService } from '../../nodes/OutboundAiCalling/service/callingService';
import { CallingServiceError } from '../../nodes/OutboundAiCalling/service/failure';
import { startBreakingServer } from '../service/breakingServer';
import { callTo, campaignTo, clientOf, PHONE } from './client';

const refusal = (message: string) => JSON.stringify({ success: false, message });
const page = (title: string) => `<!doctype html><html><body><h1>${title}</h1></body></html>`;

/** None of them says in so many words what it is about; `said` is what has to be quoted. */
const odd: Array<{ status: number; content: string; said?: string }> = [
  ...[
    'No calls today',
    'Daily limit reached',
    'The account is suspended',
    'Invoice 17 is overdue',
    'Script engine is unavailable',
    'Script not found in cache, try again',
    'Phone number provider is down',
    'No phone number available to call from',
    'Number is temporarily blocked',
    'Order service not available',
    'Campaign limit reached',
    'Duplicate request',
    'Database connection pool exhausted',
    'Maintenance until 06:00',
    'Outside of allowed hours',
    'Validation failed',
    'Internal: null is not an object',
    'Не получилось',
    'ok',
    'true',
  ].map((said, index) => ({
    status: [200, 400, 402, 403, 404, 409, 410, 418, 422, 451][index % 10] ?? 400,
    content: refusal(said),
    said,
  })),
  ...[200, 201, 400, 402, 403, 404, 422].map((status) => ({
    status,
    content: '{"success":false}',
  })),
  ...[200, 400, 401, 402, 403, 404, 409, 418, 422].map((status) => ({
    status,
    content: page('Sign in'),
    said: 'a web page',
  })),
  ...[204, 400, 403, 404, 422].map((status) => ({ status, content: '', said: 'no content' })),
  ...[200, 400, 402, 403, 404, 422].map((status) => ({
    status,
    content: '{"error":"Payment is late"}',
    said: 'Payment is late',
  })),
  { status: 404, content: '{"error":{"message":"No route"}}', said: 'No route' },
  { status: 200, content: '[]' },
  { status: 400, content: 'upstream says no', said: 'upstream says no' },
  { status: 503, content: refusal('Come back later'), said: 'Come back later' },
  { status: 500, content: page('Oops'), said: 'a web page' },
];

/** What ends a call, a waiting or a campaign for good, or blames what the answer does not speak of. */
const FINAL = new Set([
  ...['scriptRefused', 'phoneRefused', 'variablesMissing', 'orderNotFound', 'campaignNotFound'],
  ...['stopRefused', 'wrongState', 'keyRefused', 'poolExhausted', 'balanceTooLow'],
]);

const operations: Array<[string, (client: CallingService) => Promise<unknown>]> = [
  ['triggering a call', async (client) => await client.triggerCall(callTo(PHONE))],
  ['reading an outcome', async (client) => await client.readOutcome(4001)],
  ['creating a campaign', async (client) => await client.createCampaign(campaignTo([PHONE]))],
  ...(['start', 'pause', 'resume', 'stop'] as const).map(
    (action): [string, (client: CallingService) => Promise<unknown>] => [
      `asking to ${action} a campaign`,
      async (client) => await client.controlCampaign(317, action),
    ],
  ),
  ['asking for script variables', async (client) => await client.askScriptVariables(7)],
  ['checking the access', async (client) => await client.checkAccess()],
];

describe('an answer that does not say in so many words what it means', () => {
  let next = { status: 200, content: Buffer.alloc(0) };
  let server: Awaited<ReturnType<typeof startBreakingServer>>;
  beforeAll(async () => {
    server = await startBreakingServer([], { respond: () => next });
  });
  afterAll(async () => await server.close());

  it.each(operations)('ends nothing, blames nothing and is quoted when %s', async (_name, ask) => {
    const wrong: string[] = [];
    for (const { status, content, said } of odd) {
      next = { status, content: Buffer.from(content) };
      const error = await ask(clientOf(server)).then(
        () => 'a success',
        (thrown: unknown) => thrown,
      );
      const isQuoted = said === undefined || String(error).includes(said);
      const isOpen =
        error instanceof CallingServiceError &&
        error.concerns === 'everything' &&
        !FINAL.has(error.kind);
      if (!isQuoted || !isOpen) wrong.push(`${status} ${content}: ${String(error)}`);
    }
    expect(wrong).toEqual([]);
  });
});

import tls from 'node:tls';
import type { INodeExecutionData } from 'n8n-workflow';
import { fc, runs, seed } from '../generators';
import {
  CERTIFICATE,
  startBreakingServer,
  type Break,
  type BreakingServer,
  type Manner,
  type Stage,
} from '../service/breakingServer';
import { execute, type Execution } from './engine';
import { toldBy } from './told';

const TIMEOUT_SECONDS = 1;
const ITEMS = 40;
const EXECUTIONS = runs(4, 15);

const stages: Stage[] = [
  'onConnect',
  'onFirstBytes',
  'inRequest',
  'afterRequest',
  'inHead',
  'inBody',
  'afterAnswer',
];
const manners: Manner[] = [
  'end',
  'reset',
  'plainText',
  'alert',
  'corruptRecord',
  'garbage',
  'silence',
  'drip',
];

/** Has every connection over TLS trust the breaking server, as `NODE_EXTRA_CA_CERTS` would. */
function trustTheServer(): jest.SpyInstance {
  const connect = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket;
  return jest
    .spyOn(tls, 'connect')
    .mockImplementation(((options: tls.ConnectionOptions) =>
      connect({ ...options, ca: CERTIFICATE })) as typeof tls.connect);
}

const phoneOf = (index: number) => `+1202555${1000 + index}`;

interface Calling {
  server: BreakingServer;
  count: number;
  continues?: boolean;
  timeoutSeconds?: number;
}

/** Calls so many people with Retry On Fail. */
async function call({
  server,
  count,
  continues = true,
  timeoutSeconds = TIMEOUT_SECONDS,
}: Calling): Promise<Execution> {
  const items: INodeExecutionData[] = Array.from({ length: count }, (_, index) => ({
    json: { phone: phoneOf(index) },
  }));
  return await execute({
    parameters: {
      resource: 'call',
      operation: 'trigger',
      scriptId: 7,
      customerPhone: '={{ $json.phone }}',
      options: { concurrency: 20, requestTimeoutSeconds: timeoutSeconds },
    },
    items,
    credential: { baseUrl: server.baseUrl, apiKey: 'test-key' },
    settings: {
      retryOnFail: true,
      maxTries: 3,
      waitBetweenTries: 1,
      ...(continues ? { onError: 'continueRegularOutput' } : {}),
    },
  });
}

/** Whom the server has heard of, that is, whom it would have called. */
function phonesIn(server: BreakingServer): Array<{ body: string; phone: string; times: number }> {
  return [...server.book].map(([body, times]) => ({
    body,
    times,
    phone: (JSON.parse(body) as { customerPhone: string }).customerPhone,
  }));
}

const protocols = [
  { name: 'http', isTls: false },
  { name: 'TLS', isTls: true },
];

describe.each(protocols)('over $name', ({ isTls }) => {
  let trust: jest.SpyInstance;
  beforeAll(() => {
    trust = trustTheServer();
  });
  afterAll(() => trust.mockRestore());

  it('a connection that holds places a call', async () => {
    const server = await startBreakingServer([], { tls: isTls });
    try {
      const { items } = await call({ server, count: 3, timeoutSeconds: 30 });
      expect(items.map(({ json }) => json.orderId)).toEqual([50_000, 50_001, 50_002]);
    } finally {
      await server.close();
    }
  });

  it.each(manners)(
    'a request that was read whole before %s is told as one that may have called, and not repeated',
    async (manner) => {
      const server = await startBreakingServer([{ stage: 'afterRequest', manner, part: 0 }], {
        tls: isTls,
      });
      try {
        const { items, error } = await call({ server, count: 1 });
        expect(error).toBeUndefined();
        expect(String(items[0]?.json.error)).toMatch(/may have been placed/);
        expect([...server.book.values()]).toEqual([1]);
      } finally {
        await server.close();
      }
    },
  );

  const fate = fc.option(
    fc.record<Break>({
      stage: fc.constantFrom(...stages),
      manner: fc.constantFrom(...manners),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { nil: undefined, freq: 6 },
  );

  it(`nobody is called twice or forgotten wherever connections break (seed ${seed})`, async () => {
    let attempted = 0;
    let calls = 0;
    const fates = fc.array(fate, { minLength: ITEMS, maxLength: ITEMS * 2 });
    await fc.assert(
      fc.asyncProperty(fates, fc.boolean(), async (drawn, continues) => {
        const server = await startBreakingServer(drawn, { tls: isTls });
        try {
          const phones = Array.from({ length: ITEMS }, (_, index) => phoneOf(index));
          const execution = await call({ server, count: ITEMS, continues });
          const { orderIds, maybe } = toldBy(execution, phones);
          const known = phonesIn(server);
          if (continues) {
            attempted += ITEMS;
            calls += known.length;
          }
          expect(known.filter(({ times }) => times > 1)).toEqual([]);
          const untold = known.filter(
            ({ body, phone }) => !orderIds.has(server.orderIdOf(body)) && !maybe.has(phone),
          );
          expect(untold).toEqual([]);
        } finally {
          await server.close();
        }
      }),
      { numRuns: EXECUTIONS, endOnFailure: true },
    );
    // Where nothing stops an execution, breaks leave room for calls.
    expect(calls).toBeGreaterThanOrEqual(attempted * 0.2);
  });
});

describe('a server whose certificate is not trusted', () => {
  it('is sent nothing, which is told', async () => {
    const server = await startBreakingServer([], { tls: true });
    try {
      // The handshakes of a busy machine take longer than the usual time.
      const { items } = await call({ server, count: 20, timeoutSeconds: 60 });
      const errors = items.map(({ json }) => String(json.error));
      expect(errors).toHaveLength(20);
      for (const error of errors) expect(error).toMatch(/certificate .* was not accepted/);
      expect(server.book.size).toBe(0);
    } finally {
      await server.close();
    }
  });
});

describe('an answer that never ends', () => {
  it.each(['inHead', 'inBody'] as const)(
    'by dripping %s, does not outlast the time',
    async (stage) => {
      const server = await startBreakingServer([{ stage, manner: 'drip', part: 0.5 }]);
      try {
        const begun = performance.now();
        const { items } = await call({ server, count: 1 });
        expect(performance.now() - begun).toBeLessThan(TIMEOUT_SECONDS * 1000 + 15_000);
        expect(String(items[0]?.json.error)).toMatch(
          /did not answer in time.*may have been placed/,
        );
      } finally {
        await server.close();
      }
    },
  );
});

describe('an execution that is cancelled while a request is under way', () => {
  it('tells that the call may have been placed', async () => {
    const server = await startBreakingServer([
      { stage: 'afterRequest', manner: 'silence', part: 0 },
    ]);
    try {
      const begun = performance.now();
      const execution = execute({
        parameters: {
          resource: 'call',
          operation: 'trigger',
          scriptId: 7,
          customerPhone: phoneOf(0),
          options: { requestTimeoutSeconds: 30 },
        },
        credential: { baseUrl: server.baseUrl, apiKey: 'test-key' },
        cancelWhen: () => server.book.size === 1,
      });
      await execution.catch(() => undefined);
      expect(performance.now() - begun).toBeLessThan(15_000);
      expect([...server.book.values()]).toEqual([1]);
    } finally {
      await server.close();
    }
  });
});

describe('a long answer', () => {
  it('is not read to its end', async () => {
    const server = await startBreakingServer([], {
      respond: (_body, order_id) => {
        const said = { success: true, order_id, message: 'x'.repeat(60_000_000) };
        return { status: 200, content: Buffer.from(JSON.stringify(said)) };
      },
    });
    try {
      const { items } = await call({ server, count: 1, timeoutSeconds: 60 });
      expect(String(items[0]?.json.error)).toMatch(/longer than 10 MB: the call may have been/);
      expect([...server.book.values()]).toEqual([1]);
    } finally {
      await server.close();
    }
  });
});

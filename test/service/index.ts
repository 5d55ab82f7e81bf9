import { setTimeout as delay } from 'node:timers/promises';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { Desk, type DeskOptions, type Reply } from './desk';
import { Faults, type Fault } from './faults';
import { Seen, type Route } from './seen';
import { documentedSwitches, type Switches } from './switches';

export { Faults, type Fault } from './faults';
export { Seen, type ReceivedRequest, type Route } from './seen';
export { switchPositions, type Switches } from './switches';

export interface CallingServiceOptions extends Partial<Omit<DeskOptions, 'now'>> {
  /** Any free port when left out. */
  port?: number;
  apiKeys?: string[];
  /** Service seconds in a real second. */
  speed?: number;
  switches?: Partial<Switches>;
  /** How long every answer takes, in real milliseconds. */
  answerDelayMs?: number;
}

/** An emulated calling service on loopback. */
export interface CallingService {
  baseUrl: string;
  port: number;
  /** May be changed at any time. */
  switches: Switches;
  faults: Faults;
  seen: Seen;
  /** Brings all campaigns to the present, so that `seen` tells how far they are. */
  advance(): void;
  close(): Promise<void>;
}

const HTML = '<!doctype html><html><body><h1>Welcome</h1></body></html>';

/** The API key, when a request carries exactly one valid header ("Authentication"). */
function keyOf({ headers }: FastifyRequest): string | undefined {
  const { authorization } = headers;
  const plain = headers['x-api-key'];
  if ((authorization === undefined) === (plain === undefined)) return undefined;
  return plain === undefined ? /^Bearer (.+)$/.exec(authorization ?? '')?.[1] : String(plain);
}

async function sendFault(reply: FastifyReply, fault: Fault): Promise<FastifyReply> {
  switch (fault.kind) {
    case 'reset':
      reply.hijack();
      reply.raw.socket?.resetAndDestroy();
      return reply;
    case 'hang':
      return reply.hijack();
    case 'html':
      return await reply.type('text/html').send(HTML);
    case 'json':
      return await reply.send(fault.body);
    case 'redirect':
      return await reply.code(302).header('location', fault.location).send();
    case 'successFalse':
      return await reply.send({ success: false, message: fault.message });
    case 'status':
      return await reply
        .code(fault.status)
        .headers(fault.headers ?? {})
        .send(fault.body ?? { success: false, message: `Fault ${fault.status}` });
    case 'latency':
      throw new Error('A slow answer is an answer');
  }
}

/**
 * Starts the emulated calling service: the whole of the service's interface, in memory.
 *
 * @throws Error with a plain message when the port is taken
 */
export async function startCallingService(
  options: CallingServiceOptions = {},
): Promise<CallingService> {
  const { port = 0, apiKeys = ['test-key'], speed = 1, answerDelayMs = 0, seed = 1 } = options;
  const seen = new Seen();
  const switches = { ...documentedSwitches(), ...options.switches };
  const faults = new Faults(seed);
  const startedAt = Date.now();
  const desk = new Desk(
    {
      scripts: { 7: [], 12: ['brand_name', 'order_amount'], 21: ['brand_name'] },
      callSeconds: { min: 15, max: 60 },
      channelPool: 20,
      concurrencyCap: 10,
      ...options,
      seed,
      now: () => startedAt + (Date.now() - startedAt) * speed,
    },
    switches,
    seen,
  );

  const server = fastify({ forceCloseConnections: true, bodyLimit: 64 * 1024 * 1024 });
  server.setErrorHandler(async (error, _request, reply) => {
    const { statusCode = 500, message } = error as { statusCode?: number; message: string };
    await reply.code(statusCode).send({ success: false, message });
  });

  const handle =
    (route: Route, act: (key: string, request: FastifyRequest) => Reply) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { method, url, headers, body } = request;
      const received = { route, method, url, headers, body };
      seen.begin(received);
      reply.raw.once('close', () => seen.end(route));
      const fault = faults.take(received);
      await delay(answerDelayMs + (fault?.kind === 'latency' ? fault.ms : 0));
      const breaks = fault !== undefined && fault.kind !== 'latency';
      if (breaks && fault.when !== 'after') return await sendFault(reply, fault);
      const key = keyOf(request);
      const answer =
        key === undefined || !apiKeys.includes(key)
          ? { status: 401, body: { success: false, message: 'Unauthorized' } }
          : act(key, request);
      if (breaks) return await sendFault(reply, fault);
      return await reply.code(answer.status).send(answer.body);
    };
  const bodyOf = ({ body }: FastifyRequest) => (body ?? {}) as Record<string, unknown>;
  const idIn = ({ params }: FastifyRequest) => (params as { id: string }).id;

  const trigger = handle('trigger', (key, request) => desk.trigger(key, bodyOf(request)));
  const outcome = handle('outcome', (key, request) => desk.outcome(key, idIn(request)));
  server.post('/api/v1/calls/trigger', trigger);
  server.post('/api/trigger-call', trigger);
  server.get('/api/v1/orders/:id/outcome', outcome);
  server.get('/api/order/:id/call-outcome', outcome);
  server.post(
    '/api/v1/campaigns',
    handle('createCampaign', (key, request) => desk.createCampaign(key, bodyOf(request))),
  );
  server.post(
    '/api/v1/campaigns/:id/control',
    handle('controlCampaign', (key, request) =>
      desk.controlCampaign(key, idIn(request), bodyOf(request)),
    ),
  );
  server.setNotFoundHandler(
    handle('unknown', () => ({ status: 404, body: { success: false, message: 'Not found' } })),
  );

  await server.listen({ port, host: '127.0.0.1' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new Error(`Port ${port} is taken`) : error;
  });
  const address = server.addresses()[0];
  if (address === undefined) throw new Error('The service has no address');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    port: address.port,
    switches,
    faults,
    seen,
    advance: () => desk.advanceAll(),
    close: async () => await server.close(),
  };
}

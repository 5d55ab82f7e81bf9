import { once } from 'node:events';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { keyOf } from './authentication';
import { CallDesk, type CallDeskOptions } from './callDesk';
import { CampaignDesk, type CampaignDeskOptions } from './campaignDesk';
import { isBreaking, sendFault } from './faultAnswer';
import { Faults } from './faults';
import { refuse, type Body, type Reply } from './reply';
import { contentOf, readFields, takeBodiesAsText } from './requestBody';
import { Scripts } from './scripts';
import { Seen, type Route } from './seen';
import { documentedSwitches, type Switches } from './switches';

export interface CallingServiceOptions extends Partial<
  Omit<CallDeskOptions & CampaignDeskOptions, 'now'>
> {
  /** Any free port when left out. */
  port?: number;
  /** `test-key` when left out. */
  apiKeys?: string[];
  /** The placeholders of each script, by its id. */
  scripts?: Record<number, string[]>;
  /** What becomes of other script ids: refused like a missing one, or taken as without placeholders. */
  unknownScripts?: 'refused' | 'accepted';
  /** Service seconds in a real second. */
  speed?: number;
  /** The service's clock in milliseconds, in place of real time and `speed`. */
  clock?: () => number;
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
  /** Brings all campaigns to the present. Reading `seen` does so too. */
  advance(): void;
  /** Forgets all calls and campaigns, what was seen and the faults; switches go back to the start. */
  reset(): void;
  /** Ends the service and breaks every connection that is still open. */
  close(): Promise<void>;
}

type Act = (key: string, request: FastifyRequest, content: unknown) => Reply;

export const DEFAULT_SCRIPTS: Readonly<Record<number, string[]>> = {
  7: [],
  12: ['brand_name', 'order_amount'],
  21: ['brand_name'],
};
/** The largest create request, with 2,000 long contacts, is far smaller. */
const LARGEST_BODY = 64 * 1024 * 1024;

const idIn = ({ params }: FastifyRequest): string => (params as { id: string }).id;

/** An endpoint that takes fields. */
const withFields =
  (act: (key: string, fields: Body, request: FastifyRequest) => Reply): Act =>
  (key, request, content) => {
    const read = readFields(request, content);
    return 'refusal' in read ? read.refusal : act(key, read.fields, request);
  };

/**
 * Starts the emulated calling service: the whole of the service's interface, in memory, on loopback
 * only. How a call goes depends on the seed, the number and the order number alone.
 *
 * @throws Error with a plain message when the port is taken
 */
export async function startCallingService(
  options: CallingServiceOptions = {},
): Promise<CallingService> {
  const { port = 0, apiKeys = ['test-key'], speed = 1, answerDelayMs = 0, seed = 1 } = options;
  const startedAt = Date.now();
  const now = options.clock ?? (() => startedAt + (Date.now() - startedAt) * speed);
  const switches: Switches = { ...documentedSwitches(), ...options.switches };
  const atStart = { ...switches };
  const faults = new Faults(seed);
  const seen = new Seen(() => campaigns.advance());
  const scripts = new Scripts(
    options.scripts ?? DEFAULT_SCRIPTS,
    options.unknownScripts ?? 'refused',
  );
  const { callSeconds = { min: 15, max: 60 }, outcomeFor } = options;
  const calls = new CallDesk({ seed, callSeconds, outcomeFor, now }, scripts, switches, seen);
  const { channelPool = 20, concurrencyCap = 10 } = options;
  const pool = { channelPool, concurrencyCap, now };
  const campaigns = new CampaignDesk(pool, scripts, switches, calls, seen);

  const server = fastify({ forceCloseConnections: true, bodyLimit: LARGEST_BODY });
  takeBodiesAsText(server);
  server.setErrorHandler(async (error, _request, reply) => {
    const { statusCode = 500, message } = error as { statusCode?: number; message: string };
    await reply.code(statusCode).send({ success: false, message });
  });
  const closing = new AbortController();
  const closed = once(closing.signal, 'abort');

  const handle =
    (route: Route, act: Act) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { method, url, headers } = request;
      const received = { route, method, url, headers, body: contentOf(request) };
      const end = seen.begin(received);
      reply.raw.once('close', end);
      const fault = faults.take(received);
      const waitMs = answerDelayMs + (fault?.kind === 'latency' ? fault.ms : 0);
      if (waitMs > 0) {
        let timer: NodeJS.Timeout | undefined;
        await Promise.race([
          closed,
          new Promise((resolve) => (timer = setTimeout(resolve, waitMs))),
        ]);
        clearTimeout(timer);
      }
      if (fault?.kind === 'held') await Promise.race([fault.until, closed]);
      if (closing.signal.aborted) return reply.hijack();
      const breaking = isBreaking(fault) ? fault : undefined;
      if (breaking !== undefined && breaking.when !== 'after') return sendFault(reply, breaking);
      const key = keyOf(headers);
      const isKnown = key !== undefined && apiKeys.includes(key);
      const answer = isKnown ? act(key, request, received.body) : refuse(401, 'Unauthorized');
      if (breaking !== undefined) return sendFault(reply, breaking);
      // A client that has its answer may already send the next request.
      end();
      return reply.code(answer.status).send(answer.body);
    };

  const trigger = handle(
    'trigger',
    withFields((key, fields) => calls.trigger(key, fields)),
  );
  const outcome = handle('outcome', (key, request) => {
    campaigns.advance();
    return calls.outcome(key, idIn(request));
  });
  const create = withFields((key, fields) => campaigns.create(key, fields));
  const control = withFields((key, fields, request) =>
    campaigns.control(key, idIn(request), fields),
  );
  server.post('/api/v1/calls/trigger', trigger);
  server.post('/api/trigger-call', trigger);
  server.get('/api/v1/orders/:id/outcome', outcome);
  server.get('/api/order/:id/call-outcome', outcome);
  server.post('/api/v1/campaigns', handle('createCampaign', create));
  server.post('/api/v1/campaigns/:id/control', handle('controlCampaign', control));
  server.setNotFoundHandler(handle('unknown', () => refuse(404, 'Not found')));

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
    advance: () => campaigns.advance(),
    reset: () => {
      campaigns.forget();
      calls.forget();
      seen.reset();
      faults.clear();
      Object.assign(switches, atStart);
    },
    close: async () => {
      closing.abort();
      await server.close();
    },
  };
}

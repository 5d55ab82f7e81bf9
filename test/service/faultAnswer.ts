import type { FastifyReply } from 'fastify';
import type { Fault } from './faults';

const HTML = '<!doctype html><html><body><h1>Welcome</h1></body></html>';

/** A fault that takes the place of the right answer. */
export type BreakingFault = Exclude<Fault, { kind: 'latency' | 'held' }>;

/** Whether a fault takes the place of the right answer; one that does not only delays it. */
export const isBreaking = (fault: Fault | undefined): fault is BreakingFault =>
  fault !== undefined && fault.kind !== 'latency' && fault.kind !== 'held';

function rateLimitHeaders(retryAfter: number | Date | undefined): Record<string, string> {
  if (retryAfter === undefined) return {};
  return {
    'retry-after': retryAfter instanceof Date ? retryAfter.toUTCString() : String(retryAfter),
  };
}

/** Answers with a fault, or breaks the connection, or leaves it open without an answer. */
export async function sendFault(reply: FastifyReply, fault: BreakingFault): Promise<FastifyReply> {
  switch (fault.kind) {
    case 'reset':
      reply.hijack();
      reply.raw.socket?.resetAndDestroy();
      return reply;
    case 'hang':
      return reply.hijack();
    case 'html':
      return await reply
        .code(fault.status ?? 200)
        .type('text/html')
        .send(HTML);
    case 'json':
      return await reply.send(fault.body ?? { hello: 'world' });
    case 'redirect':
      return await reply.code(302).header('location', fault.location).send();
    case 'successFalse':
      return await reply.send({ success: false, message: fault.message ?? 'It did not work' });
    case 'rateLimit':
      return await reply
        .code(429)
        .headers(rateLimitHeaders(fault.retryAfter))
        .send({ success: false, message: 'Too many requests' });
    case 'status':
      return await reply
        .code(fault.status)
        .headers(fault.headers ?? {})
        .send(fault.body ?? { success: false, message: `Fault ${fault.status}` });
  }
}

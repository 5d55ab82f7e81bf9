import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuse, type Body, type Reply } from './reply';

/**
 * Leaves bodies as text until a request is noted, so that those which are not JSON are seen as well.
 */
export function takeBodiesAsText(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => {
    done(null, text);
  });
}

/** What the JSON of a body says, or its text where it is not JSON. */
export function contentOf({ body }: FastifyRequest): unknown {
  if (typeof body !== 'string') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/**
 * The fields of a POST request.
 *
 * @returns the fields, which are none where the JSON is not an object, or the answer that refuses it
 */
export function readFields(
  { headers }: FastifyRequest,
  content: unknown,
): { fields: Body } | { refusal: Reply } {
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) {
    return { refusal: refuse(400, 'Content-Type must be application/json') };
  }
  if (typeof content === 'string') return { refusal: refuse(400, 'The body is not valid JSON') };
  const isFields = typeof content === 'object' && content !== null && !Array.isArray(content);
  return { fields: isFields ? (content as Body) : {} };
}

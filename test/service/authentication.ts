import type { IncomingHttpHeaders } from 'node:http';

/** The API key, when a request carries exactly one of the two header forms ("Authentication"). */
export function keyOf(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  const plain = headers['x-api-key'];
  if ((authorization === undefined) === (plain === undefined)) return undefined;
  return plain === undefined ? /^Bearer (.+)$/.exec(authorization ?? '')?.[1] : String(plain);
}

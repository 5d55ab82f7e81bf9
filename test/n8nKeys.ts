const inBase64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A key as n8n makes them, which nothing was signed with; undefined: it never expires. */
export function keyExpiringAt(at: number | undefined): string {
  const claims = { sub: 'olive', iss: 'n8n', aud: 'public-api' };
  const exp = at === undefined ? {} : { exp: Math.floor(at / 1000) };
  return [inBase64({ alg: 'HS256' }), inBase64({ ...claims, ...exp }), 'bm9ib2R5'].join('.');
}

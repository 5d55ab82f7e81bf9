import { jsonParse } from 'n8n-workflow';
import { isRecord } from './json';

/** What a JWT says of itself, unchecked; nothing for a key of another kind. */
export function claimsOf(key: string): Record<string, unknown> {
  const [, payload = ''] = key.split('.');
  // What begins with `{"` begins so in Base64. A key of another kind is not decoded for every request.
  if (!payload.startsWith('ey')) return {};
  const text = Buffer.from(payload, 'base64url').toString();
  const claims = jsonParse<unknown>(text, { fallbackValue: null });
  return isRecord(claims) ? claims : {};
}

import { jsonParse } from 'n8n-workflow';
import { isRecord } from './json';

/** What a JWT says of itself, unchecked; nothing for a key of another kind. */
export function claimsOf(key: string): Record<string, unknown> {
  const [, payload = ''] = key.split('.');
  const text = Buffer.from(payload, 'base64url').toString();
  const claims = jsonParse<unknown>(text, { fallbackValue: null });
  return isRecord(claims) ? claims : {};
}

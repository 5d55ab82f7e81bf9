import type { IDataObject } from 'n8n-workflow';
import { DAY_MS } from '../clocks';
import { claimsOf } from '../http/jwt';

/** Executions warn of the expiry of a key from this long before it. */
const SAID_BEFORE_MS = 7 * DAY_MS;

export const NEW_KEY =
  'Create a new key under Settings > n8n API (Expiration "Never"), and enter it as "n8n API Key" in the credential.';

/**
 * When an n8n API key expires, in milliseconds since 1970. The key is a JWT, and its payload has
 * the time.
 *
 * @returns undefined for a key that never expires, or that is no JWT
 */
export function expiryOf(key: string): number | undefined {
  const { exp } = claimsOf(key);
  return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
}

/** An instant for people: `2026-12-01 09:00 UTC`. */
export function minuteOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The warning about a credential's n8n API key in the last days before it expires. */
export function expiryWarning({ n8nApiKey }: IDataObject, now: number): string | undefined {
  const expiry = expiryOf(String(n8nApiKey ?? '').trim());
  if (expiry === undefined || expiry <= now || expiry > now + SAID_BEFORE_MS) return undefined;
  return `The n8n API key of the credential expires on ${minuteOf(expiry)}. Then the call log, its triggers and the do-not-call lists stop, and nobody is called with them. ${NEW_KEY}`;
}

import type { IExecuteFunctions } from 'n8n-workflow';
import { withoutSecrets } from './http/redaction';
import { secretsOf } from './service/account';

/** The keys of the credential of each n8n context. */
const keys = new WeakMap<object, readonly string[]>();

/** Learns a credential's keys: people paste them into fields, which errors and hints quote. */
export async function learnKeys(context: Pick<IExecuteFunctions, 'getCredentials'>): Promise<void> {
  // A credential that cannot be read has given its keys to nobody.
  const credential = await context.getCredentials('outboundAiCallingApi', 0).catch(() => ({}));
  keys.set(context, secretsOf(credential));
}

/** A text, or the fields of an item, as a person may see them: without the keys that were {@link learnKeys | learned}. */
export function withoutKeys<Shown>(context: object, shown: Shown): Shown {
  return withoutSecrets(shown, keys.get(context) ?? []) as Shown;
}

/** Cuts the keys out of all that an error says, and the errors that caused it. n8n stores all of its fields. */
export function errorWithoutKeys<E>(context: object, error: E, seen = new Set<unknown>()): E {
  if (!(error instanceof Error) || seen.has(error)) return error;
  seen.add(error);
  const fields = error as unknown as Record<string, unknown>;
  for (const name of Object.getOwnPropertyNames(error)) {
    // The node itself is that of the workflow.
    if (name === 'node') continue;
    const clean = errorWithoutKeys(context, withoutKeys(context, fields[name]), seen);
    // Some fields of foreign errors cannot be written.
    if (clean !== fields[name]) fields[name] = clean;
  }
  return error;
}

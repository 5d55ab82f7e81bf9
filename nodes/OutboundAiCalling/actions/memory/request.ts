import { createHash } from 'crypto';

/** A `testCall` rings the test phone, a `campaign` nobody yet, and `dialling` its people. */
export type Effect = 'call' | 'testCall' | 'schedule' | 'campaign' | 'dialling';

export interface RequestIdentity {
  /** The person and thing that it is about: the same is done once in one execution. */
  subject: unknown;
  /** Everything that is sent. */
  content: unknown;
  /** The person and the order that it is about, each by itself. */
  about?: unknown[];
  /** Left out when it leads to no call. */
  effect?: Effect;
  /** Whether only one item of an execution may do what is about this subject. */
  isSingle?: boolean;
}

const HASH_LENGTH = 20;

export function hashOf(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}

/** A request as it is recognised: as hashes, so that nobody's phone is stored. */
export interface Hashes extends RequestIdentity {
  subject: string;
  content: string;
  about?: string[];
}

export function hashesOf({ subject, content, about, ...more }: RequestIdentity): Hashes {
  const each = about === undefined ? {} : { about: about.map(hashOf) };
  return { subject: hashOf(subject), content: hashOf([subject, content]), ...more, ...each };
}

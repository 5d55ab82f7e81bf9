import { randomUUID } from 'crypto';

/** A random id for a call, a batch or the holder of a lock. */
export function drawnId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 12);
}

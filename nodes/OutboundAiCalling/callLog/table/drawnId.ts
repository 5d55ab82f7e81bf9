import { randomUUID } from 'crypto';

/** A text by which calls, batches and holders of locks are told apart: drawn each time. */
export function drawnId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 12);
}

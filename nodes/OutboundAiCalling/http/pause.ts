import { sleep } from 'n8n-workflow';

/**
 * Waits `ms`, or until the signal is aborted. The supported versions of n8n do not agree on a sleep
 * that can be cancelled, so the plain one races against the signal.
 */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal === undefined) return await sleep(ms);
  if (signal.aborted) return;
  let stop: () => void = () => {};
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([sleep(ms), aborted]);
  signal.removeEventListener('abort', stop);
}

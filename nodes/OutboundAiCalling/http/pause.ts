import { sleep } from 'n8n-workflow';

/** Waits `ms`, or until the signal is aborted. Not all supported versions of n8n have a sleep that can be cancelled. */
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

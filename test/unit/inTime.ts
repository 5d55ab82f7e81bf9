/** Lets faked time pass, so many milliseconds at once, until work is done. */
export async function inTime<T>(work: Promise<T>, stepMs = 100): Promise<T> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  done.catch(() => {});
  while (!isDone) await jest.advanceTimersByTimeAsync(stepMs);
  return await done;
}

/** What the product asks of an `AbortSignal`; Node's own are dear, and a history needs thousands. */
class WorldSignal {
  aborted = false;
  reason: unknown;
  private readonly heard = new Set<() => void>();

  addEventListener(_type: 'abort', act: () => void): void {
    this.heard.add(act);
  }

  removeEventListener(_type: 'abort', act: () => void): void {
    this.heard.delete(act);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const acts = [...this.heard];
    this.heard.clear();
    for (const act of acts) act();
  }
}

/** Made once: to note where they come from takes longer than all else. */
const ABORTED = new DOMException('This operation was aborted', 'AbortError');
const OVER = new DOMException('The operation was aborted due to timeout', 'TimeoutError');

class WorldController {
  readonly signal = new WorldSignal();

  abort(reason: unknown = ABORTED): void {
    this.signal.abort(reason);
  }
}

/** As n8n's own `AbortController`, for what is aborted in the world. */
export const AbortControllerOfWorld = WorldController as unknown as typeof AbortController;

/** As `AbortSignal.timeout`, in the time of a process. */
function signalAfter(ms: number, after: (ms: number, act: () => void) => void): WorldSignal {
  const signal = new WorldSignal();
  after(ms, () => signal.abort(OVER));
  return signal;
}

/** As `AbortSignal.any`, without depending on when garbage is collected. */
function anySignal(signals: WorldSignal[]): WorldSignal {
  const any = new WorldSignal();
  for (const signal of signals) {
    if (signal.aborted) any.abort(signal.reason);
    else signal.addEventListener('abort', () => any.abort(signal.reason));
  }
  return any;
}

/** What a process finds under the name `AbortSignal`. */
export function abortSignalsOf(after: (ms: number, act: () => void) => void) {
  return { any: anySignal, timeout: (ms: number) => signalAfter(ms, after) };
}

import { drawFrom } from './draw';
import type { ReceivedRequest, Route } from './seen';

/** What goes wrong. */
export type FaultKind =
  /** The answer is right but comes later by so many real milliseconds. */
  | { kind: 'latency'; ms: number }
  /** The answer is right but comes only when this is fulfilled, or when the service closes. */
  | { kind: 'held'; until: Promise<void> }
  /** 429; the pause in seconds, or the time at which to come back. */
  | { kind: 'rateLimit'; retryAfter?: number | Date }
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  /** The connection breaks (TCP RST). */
  | { kind: 'reset' }
  /** No answer comes until the service closes. */
  | { kind: 'hang' }
  /** A web page in place of an answer; 200 when no status is given. */
  | { kind: 'html'; status?: number }
  /** 200 with JSON of something else; `{"hello":"world"}` by default. */
  | { kind: 'json'; body?: unknown }
  | { kind: 'redirect'; location: string }
  /** 200 with `success: false`. */
  | { kind: 'successFalse'; message?: string };

export type Fault = FaultKind & {
  /** All routes when left out. */
  route?: Route;
  /** Before the request has its effect, which is the default, or after it. */
  when?: 'before' | 'after';
  /** How often it happens: once by default, for ever with `Infinity`. */
  times?: number;
  /** From 0 to 1, drawn from the seed for each request that it could befall; 1 by default. */
  probability?: number;
  match?: (request: ReceivedRequest) => boolean;
};

/** The faults that are to happen. */
export class Faults {
  private pending: Array<{ fault: Fault; left: number }> = [];
  private draw: () => number;

  constructor(private readonly seed: number) {
    this.draw = this.firstDraw();
  }

  add(...faults: Fault[]): void {
    this.pending.push(...faults.map((fault) => ({ fault, left: fault.times ?? 1 })));
  }

  /**
   * Holds answers back, whose requests have no effect till then, and gives what lets them go: so
   * that a test does something before an answer, however slow the machine.
   */
  hold(which: Omit<Fault, 'kind'> = {}): () => void {
    let release = () => {};
    const until = new Promise<void>((resolve) => (release = resolve));
    this.add({ ...which, kind: 'held', until });
    return release;
  }

  /** Nothing goes wrong from now on; what is added later draws from the start of the seed again. */
  clear(): void {
    this.pending = [];
    this.draw = this.firstDraw();
  }

  /** The fault that befalls a request, used up by it: the first added of those that fit. */
  take(request: ReceivedRequest): Fault | undefined {
    const entry = this.pending.find(({ fault }) => this.befalls(fault, request));
    if (entry === undefined) return undefined;
    entry.left--;
    if (entry.left <= 0) this.pending = this.pending.filter((other) => other !== entry);
    return entry.fault;
  }

  private befalls({ route, match, probability = 1 }: Fault, request: ReceivedRequest): boolean {
    return (
      (route === undefined || route === request.route) &&
      (match === undefined || match(request)) &&
      (probability >= 1 || this.draw() < probability)
    );
  }

  private firstDraw(): () => number {
    return drawFrom(this.seed, 'faults');
  }
}

import { drawFrom } from './draw';
import type { ReceivedRequest, Route } from './seen';

/** What goes wrong. `reset` breaks the connection, `hang` never answers. */
export type FaultKind =
  | { kind: 'latency'; ms: number }
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  | { kind: 'reset' }
  | { kind: 'hang' }
  | { kind: 'html' }
  | { kind: 'json'; body: unknown }
  | { kind: 'redirect'; location: string }
  | { kind: 'successFalse'; message: string };

export type Fault = FaultKind & {
  /** All routes when left out. */
  route?: Route;
  /** Before the request has its effect, or after it. */
  when?: 'before' | 'after';
  /** How often it happens; once by default. */
  times?: number;
  /** Drawn from the seed; 1 by default. */
  probability?: number;
  match?: (request: ReceivedRequest) => boolean;
};

/** The faults that are to happen. */
export class Faults {
  private pending: Array<Fault & { left: number }> = [];
  private readonly draw: () => number;

  constructor(seed: number) {
    this.draw = drawFrom(seed, 'faults');
  }

  add(...faults: Fault[]): void {
    this.pending.push(...faults.map((fault) => ({ ...fault, left: fault.times ?? 1 })));
  }

  clear(): void {
    this.pending = [];
  }

  /** The fault that befalls a request, used up by it. */
  take(request: ReceivedRequest): Fault | undefined {
    const fault = this.pending.find(
      ({ route, left, match, probability = 1 }) =>
        left > 0 &&
        (route === undefined || route === request.route) &&
        (match === undefined || match(request)) &&
        (probability >= 1 || this.draw() < probability),
    );
    if (fault !== undefined) fault.left--;
    return fault;
  }
}

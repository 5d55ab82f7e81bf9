import type { IncomingHttpHeaders } from 'node:http';
import type { Call } from './call';
import type { Campaign } from './campaign';

export type Route = 'trigger' | 'outcome' | 'createCampaign' | 'controlCampaign' | 'unknown';

export interface ReceivedRequest {
  route: Route;
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** So many of the newest requests are kept. */
const REQUESTS_KEPT = 20_000;

function counters(): Record<Route, number> {
  return { trigger: 0, outcome: 0, createCampaign: 0, controlCampaign: 0, unknown: 0 };
}

/** What the service saw, for tests to ask. */
export class Seen {
  /** Requests received, by route. */
  requests = counters();
  /** Requests under way now, and the most at once, by route. */
  inFlight = counters();
  mostInFlight = counters();
  received: ReceivedRequest[] = [];
  calls: Call[] = [];
  campaigns: Campaign[] = [];

  begin(request: ReceivedRequest): void {
    const { route } = request;
    this.requests[route]++;
    this.inFlight[route]++;
    this.mostInFlight[route] = Math.max(this.mostInFlight[route], this.inFlight[route]);
    this.received.push(request);
    if (this.received.length > REQUESTS_KEPT) this.received.shift();
  }

  end(route: Route): void {
    this.inFlight[route]--;
  }

  /** How often each number was called. */
  get callsByPhone(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { phone } of this.calls) counts.set(phone, (counts.get(phone) ?? 0) + 1);
    return counts;
  }

  /** Forgets the requests, not the calls and campaigns. */
  resetRequests(): void {
    this.requests = counters();
    this.mostInFlight = { ...this.inFlight };
    this.received = [];
  }
}

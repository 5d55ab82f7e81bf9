import type { IncomingHttpHeaders } from 'node:http';
import type { Call } from './call';
import type { Campaign } from './campaign';

/** The operations of the service; `unknown` is every other path. */
export type Route = 'trigger' | 'outcome' | 'createCampaign' | 'controlCampaign' | 'unknown';

export interface ReceivedRequest {
  route: Route;
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  /** What its JSON says, or the text itself where that is not JSON. */
  body: unknown;
}

/** So many of the newest requests are kept. */
const REQUESTS_KEPT = 10_000;

function perRoute(): Record<Route, number> {
  return { trigger: 0, outcome: 0, createCampaign: 0, controlCampaign: 0, unknown: 0 };
}

/** What the service saw, for tests to ask. */
export class Seen {
  /** Requests received. */
  requests = perRoute();
  /** Requests under way now, and the most at once. */
  inFlight = { ...perRoute(), all: 0 };
  mostInFlight = { ...perRoute(), all: 0 };
  /** The newest 10,000 requests, oldest first. */
  received: ReceivedRequest[] = [];

  private placed: Call[] = [];
  private created: Campaign[] = [];

  /** @param catchUp brings the campaigns to the present, so that their calls are seen in time */
  constructor(private readonly catchUp: () => void) {}

  /** Calls placed, singly and by campaigns, in order. */
  get calls(): Call[] {
    this.catchUp();
    return this.placed;
  }

  get campaigns(): Campaign[] {
    this.catchUp();
    return this.created;
  }

  /** How often each number was called. */
  get callsByPhone(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { phone } of this.calls) counts.set(phone, (counts.get(phone) ?? 0) + 1);
    return counts;
  }

  /** Forgets the requests, not the calls and campaigns. */
  resetRequests(): void {
    this.requests = perRoute();
    this.mostInFlight = { ...this.inFlight };
    this.received = [];
  }

  /** Forgets everything seen so far. The service itself still knows its calls and campaigns. */
  reset(): void {
    this.catchUp();
    this.resetRequests();
    this.placed = [];
    this.created = [];
  }

  /** @returns what to call when the request is no longer under way; calling it again does nothing */
  begin(request: ReceivedRequest): () => void {
    const { route } = request;
    this.requests[route]++;
    for (const name of [route, 'all'] as const) {
      this.inFlight[name]++;
      this.mostInFlight[name] = Math.max(this.mostInFlight[name], this.inFlight[name]);
    }
    this.received.push(request);
    if (this.received.length > REQUESTS_KEPT) this.received.shift();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.inFlight[route]--;
      this.inFlight.all--;
    };
  }

  addCall(call: Call): void {
    this.placed.push(call);
  }

  addCampaign(campaign: Campaign): void {
    this.created.push(campaign);
  }
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { EventEmitter } from 'node:events';

/** Turns of the event loop after which nothing goes on by itself: only timers are left. */
const QUIET_TURNS = 10;
/** What a turn of the event loop takes while a request is under way, however slow the machine is. */
const TURN_MS = 1;
/** Turns in which no request begins or ends, after which those under way wait for a timer too. */
const WAITING_TURNS = 20;

/** Requests under way in this process, of clients and of servers. */
class RequestsUnderWay {
  private readonly requests = new Set<unknown>();
  /** How many have begun and ended. */
  changes = 0;
  private readonly began = (message: unknown): void => {
    const { request, response = request } = message as {
      request: EventEmitter;
      response?: EventEmitter;
    };
    this.add(response);
    response.once('close', () => this.remove(response));
  };
  private readonly fetching = (message: unknown): void =>
    this.add((message as { request: unknown }).request);
  private readonly fetched = (message: unknown): void =>
    this.remove((message as { request: unknown }).request);
  private readonly channels = {
    'http.client.request.start': this.began,
    'http.server.request.start': this.began,
    'undici:request:create': this.fetching,
    'undici:request:trailers': this.fetched,
    'undici:request:error': this.fetched,
  };

  constructor() {
    for (const [name, listener] of Object.entries(this.channels)) subscribe(name, listener);
  }

  get areNone(): boolean {
    return this.requests.size === 0;
  }

  private add(request: unknown): void {
    this.requests.add(request);
    this.changes++;
  }

  private remove(request: unknown): void {
    this.requests.delete(request);
    this.changes++;
  }

  close(): void {
    for (const [name, listener] of Object.entries(this.channels)) unsubscribe(name, listener);
  }
}

/** Whether the system does something for this process: looks up an address, connects, reads a file. */
const isSystemBusy = (): boolean =>
  process
    .getActiveResourcesInfo()
    .some((name) => /(Req|Connect)(Wrap|Callback|Promise)?$/.test(name));

/**
 * Lets no test of a file wait, and none depend on the speed of the machine. While a request is under
 * way, each turn of the event loop takes a millisecond; while the system is busy, time stands still;
 * when nothing is left but timers, or requests that wait for one, it leaps to the next of them. All that asks for the time sees the same: `Date`, `performance`, timers, and the
 * deadlines of `AbortSignal`.
 *
 * @param begins what the clock shows first, so that no test depends on the hour in which it runs; now, if left out
 */
export function leapOverWaits(begins?: Date): void {
  const turn = setImmediate;
  const wait = setTimeout;
  const realTimeout = AbortSignal.timeout.bind(AbortSignal);
  let underWay: RequestsUnderWay;
  let isOver = false;
  let driving: Promise<void>;

  async function drive(): Promise<void> {
    let quiet = 0;
    let changes = 0;
    while (!isOver) {
      if (underWay.changes !== changes) quiet = 0;
      ({ changes } = underWay);
      if (isSystemBusy()) {
        quiet = 0;
        await new Promise<void>((resolve) => wait(resolve, 1));
      } else if (++quiet >= (underWay.areNone ? QUIET_TURNS : WAITING_TURNS)) {
        quiet = 0;
        jest.advanceTimersToNextTimer();
      } else if (underWay.areNone) {
        await new Promise<void>((resolve) => turn(resolve));
      } else {
        await new Promise<void>((resolve) => wait(resolve, 1));
        jest.advanceTimersByTime(TURN_MS);
      }
    }
  }

  beforeAll(() => {
    jest.useFakeTimers({
      ...(begins && { now: begins }),
      doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask'],
    });
    AbortSignal.timeout = (ms) => {
      const ending = new AbortController();
      setTimeout(() => ending.abort(new DOMException('The time is over', 'TimeoutError')), ms);
      return ending.signal;
    };
    underWay = new RequestsUnderWay();
    driving = drive();
  });

  afterAll(async () => {
    isOver = true;
    await driving;
    underWay.close();
    AbortSignal.timeout = realTimeout;
    jest.useRealTimers();
  });
}

import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Fault, Moment } from '../history';
import type { N8nProcess } from './process';
import type { World } from './world';

/** What a server is asked, and who asks. */
export interface WorldRequest {
  to: 'tables' | 'service';
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: unknown;
  process: number;
  /** Which execution or poll sends it. */
  sender: string;
  /** When the package has handed it to n8n. */
  sentAt: number;
  /** How far the clock of its process is ahead then. */
  aheadMs: number;
}

export interface WorldAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/**
 * Answers a request; `heard` is called when its process has the answer as it was given, which leaves the
 * server after `takesMs`.
 */
export type Server = (request: WorldRequest) => ServerAnswer;

export type ServerAnswer = WorldAnswer & { heard?: () => void; takesMs?: number };

/** Something that waits for a request. */
interface Awaited {
  moment: Moment;
  seen: number;
  happens: () => void;
}

interface PendingFault {
  fault: Fault;
  seen: number;
}

/** Loopback, whose ports tell the servers apart. */
const TABLES = 'http://127.0.0.1:5678';
const SERVICE = 'http://127.0.0.1:9000';
/** How long an answer takes at least. */
const SHORTEST_MS = 1;

const errorWith = (code: string, more: object = {}): Error =>
  Object.assign(new Error(code), { code, ...more });

export interface NetworkOptions {
  faults: Fault[];
  latencyMs: number;
  kill: (process: number) => void;
  /** Is told what befalls whom. */
  tell: (who: string, what: string) => void;
}

/** Carries requests of processes to n8n's API and the calling service, and what befalls them. */
export class Network {
  private readonly faults: PendingFault[];
  private readonly beganAt: number;
  private readonly awaited: Awaited[] = [];
  /** From now on nothing befalls requests. */
  isCalm = false;
  /** How many requests each sender has sent to whom. */
  readonly sent = new Map<string, Record<WorldRequest['to'], number>>();

  constructor(
    readonly world: World,
    readonly servers: Record<WorldRequest['to'], Server>,
    private readonly processes: N8nProcess[],
    private readonly options: NetworkOptions,
  ) {
    this.beganAt = world.now;
    this.faults = options.faults.map((fault) => ({ fault, seen: 0 }));
  }

  /** Has something happen when the server has answered a request. */
  on(moment: Moment, happens: () => void): void {
    this.awaited.push({ moment, seen: 0, happens });
  }

  /** One request; it is answered as n8n's helper does. */
  send(
    options: IHttpRequestOptions,
    { process, sender }: { process: number; sender: string },
    { resolve, reject }: Pick<ExchangeOptions, 'resolve' | 'reject'>,
  ): void {
    const { to, path } = addressOf(options.url);
    let counts = this.sent.get(sender);
    if (counts === undefined) this.sent.set(sender, (counts = { tables: 0, service: 0 }));
    counts[to]++;
    const sent = options.body === undefined ? '' : JSON.stringify(options.body);
    const request: WorldRequest = {
      to,
      method: options.method ?? 'GET',
      path,
      query: queryOf(options),
      headers: (options.headers ?? {}) as Record<string, string>,
      body: sent === '' ? undefined : JSON.parse(sent),
      process,
      sender,
      sentAt: this.world.now,
      aheadMs: this.processes[process]?.aheadMs ?? 0,
    };
    const text = sent + (request.query.filter ?? '');
    const fault = this.faultOf(request, text);
    if (fault !== undefined) this.options.tell(sender, inWords(fault, request));
    const signal = options.abortSignal as AbortSignal | undefined;
    new Exchange(this, { request, text, fault, signal, resolve, reject }).begin();
  }

  kill({ process }: WorldRequest): void {
    this.options.kill(process);
  }

  processOf({ process }: WorldRequest): N8nProcess {
    return this.processes[process] as N8nProcess;
  }

  /** How long something takes on its way. */
  delay(): number {
    return SHORTEST_MS + this.world.random.next() * this.options.latencyMs;
  }

  get longestDelayMs(): number {
    return SHORTEST_MS + this.options.latencyMs;
  }

  private fits(moment: Moment, request: WorldRequest, text: string): boolean {
    return request.sentAt - this.beganAt >= (moment.from ?? 0) && fits(moment, request, text);
  }

  private faultOf(request: WorldRequest, text: string): Fault | undefined {
    if (this.isCalm) return undefined;
    let befalling: Fault | undefined;
    for (const pending of this.faults) {
      if (!this.fits(pending.fault, request, text)) continue;
      pending.seen++;
      if (pending.seen === pending.fault.nth) befalling ??= pending.fault;
    }
    return befalling;
  }

  /** What waits for the answer to this request. */
  happeningAt(request: WorldRequest, text: string): Array<() => void> {
    return this.awaited.flatMap((awaited) => {
      if (!this.fits(awaited.moment, request, text)) return [];
      awaited.seen++;
      return awaited.seen === awaited.moment.nth ? [awaited.happens] : [];
    });
  }
}

interface ExchangeOptions {
  request: WorldRequest;
  /** Its body and filter. */
  text: string;
  fault: Fault | undefined;
  signal: AbortSignal | undefined;
  resolve: (response: unknown) => void;
  reject: (error: Error) => void;
}

/** One request on its way to a server, and its answer on the way back. */
class Exchange {
  private readonly befalls: Fault['befalls'] | undefined;
  private readonly isBefore: boolean;
  private readonly process: N8nProcess;

  constructor(
    private readonly network: Network,
    private readonly options: ExchangeOptions,
  ) {
    const { fault, request, signal, reject } = options;
    this.befalls = fault?.befalls;
    this.isBefore = fault?.when === 'before';
    this.process = network.processOf(request);
    signal?.addEventListener('abort', () => reject(errorWith('ERR_CANCELED')));
  }

  begin(): void {
    const { befalls, network, process, options } = this;
    if (!this.isBefore) return this.leave();
    switch (befalls?.kind) {
      case 'pause':
        this.pause(befalls.ms);
        // The request leaves when the process goes on: nobody can take it back any more.
        return process.after(0, () => this.leave());
      case 'kill':
        return network.kill(options.request);
      case 'refused':
        return this.answered(() => options.reject(errorWith('ECONNREFUSED')));
      case 'lost':
        return this.answered(() => options.reject(errorWith('ECONNRESET')));
      default:
        this.leave(befalls?.kind === 'slow' ? befalls.ms : 0);
    }
  }

  private leave(lateMs = 0): void {
    // No code waits for the arrival, only for the answer.
    this.network.world.after(this.network.delay() + lateMs, () => this.arrive(), false);
  }

  private arrive(): void {
    const { befalls, isBefore, network, process } = this;
    const { request, text, signal } = this.options;
    if (befalls?.kind === 'status' && isBefore) {
      return this.answered(() => this.give(statusAnswer(befalls)), befalls.lateMs);
    }
    const answer = network.servers[request.to](request);
    for (const happens of network.happeningAt(request, text)) network.world.after(0, happens);
    if (befalls?.kind === 'kill') {
      if (!process.isDead) network.kill(request);
      return;
    }
    if (befalls?.kind === 'pause' && !isBefore) this.pause(befalls.ms);
    const lateMs = befalls?.kind === 'slow' && !isBefore ? befalls.ms : 0;
    const isWhole = isBefore || !BREAKING.has(befalls?.kind);
    this.answered(
      () => {
        if (isWhole && signal?.aborted !== true) answer.heard?.();
        this.giveBack(answer);
      },
      lateMs + (answer.takesMs ?? 0),
    );
  }

  /** Has the process hear something, when it is not dead by then. */
  private answered(act: () => void, lateMs = 0): void {
    this.process.after(this.network.delay() + lateMs, act);
  }

  /** The answer may be lost or another by the time it arrives. */
  private giveBack(answer: WorldAnswer): void {
    const { befalls, isBefore, options } = this;
    if (isBefore || befalls === undefined) return this.give(answer);
    if (befalls.kind === 'lost') return options.reject(errorWith('ECONNRESET'));
    if (befalls.kind === 'status') return this.give(statusAnswer(befalls));
    this.give(befalls.kind === 'odd' ? { ...answer, body: befalls.body } : answer);
  }

  /** As one text: n8n gives a stream, whose reading is as long as the rest and no part of a history. */
  private give({ status, headers, body: given }: WorldAnswer): void {
    const body = typeof given === 'string' ? given : JSON.stringify(given);
    this.options.resolve({ statusCode: status, headers, body });
  }

  private pause(ms: number): void {
    this.process.pause();
    this.network.world.after(ms, () => this.process.resume());
  }
}

/** What befalls an answer so that it does not arrive as it was given. */
const BREAKING = new Set<string | undefined>(['lost', 'status', 'odd']);

function fits(moment: Moment, { to, method, path, process }: WorldRequest, text: string): boolean {
  return (
    moment.to === to &&
    (moment.method === undefined || moment.method === method) &&
    (moment.path === undefined || path.endsWith(moment.path)) &&
    (moment.process === undefined || moment.process === process) &&
    (moment.holds === undefined || text.includes(moment.holds))
  );
}

/** What befalls a request, as a sentence about its sender. */
function inWords({ when, befalls }: Fault, { to, method, path }: WorldRequest): string {
  const { kind, ...how } = befalls;
  const where = to === 'tables' ? path.slice('/api/v1'.length) : path;
  return `meets ${kind} ${when} ${method} ${where} ${JSON.stringify(how)}`;
}

function addressOf(url: string): Pick<WorldRequest, 'to' | 'path'> {
  if (url.startsWith(TABLES)) return { to: 'tables', path: url.slice(TABLES.length) };
  if (url.startsWith(SERVICE)) return { to: 'service', path: url.slice(SERVICE.length) };
  throw errorWith('ENOTFOUND');
}

function queryOf({ qs }: IHttpRequestOptions): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of Object.entries(qs ?? {})) query[name] = String(value);
  return query;
}

export function statusAnswer({
  status,
  message = `Fault ${status}`,
  retryAfter,
}: {
  status: number;
  message?: string;
  retryAfter?: number;
}): WorldAnswer {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { status, headers: headers as Record<string, string>, body: { success: false, message } };
}

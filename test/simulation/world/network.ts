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
  /** When it left its process. */
  sentAt: number;
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
export type Server = (
  request: WorldRequest,
) => WorldAnswer & { heard?: () => void; takesMs?: number };

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

/** How long an answer takes at least. */
const SHORTEST_MS = 1;

const errorWith = (code: string, more: object = {}): Error =>
  Object.assign(new Error(code), { code, ...more });

/** Carries requests of processes to n8n's API and the calling service, and what befalls them. */
export class Network {
  private readonly faults: PendingFault[];
  private readonly awaited: Awaited[] = [];
  /** From now on nothing befalls requests. */
  isCalm = false;

  constructor(
    private readonly world: World,
    private readonly servers: Record<WorldRequest['to'], Server>,
    private readonly processes: N8nProcess[],
    options: { faults: Fault[]; latencyMs: number; kill: (process: number) => void },
  ) {
    this.beganAt = world.now;
    this.faults = options.faults.map((fault) => ({ fault, seen: 0 }));
    this.latencyMs = options.latencyMs;
    this.kill = options.kill;
  }

  /** Is told what befalls whom. */
  tell: (who: string, what: string) => void = () => {};
  private readonly latencyMs: number;
  private readonly beganAt: number;
  private readonly kill: (process: number) => void;

  /** Has something happen when the server has answered a request. */
  on(moment: Moment, happens: () => void): void {
    this.awaited.push({ moment, seen: 0, happens });
  }

  /** One request, as n8n's helper answers it; rejects as that does. */
  async send(
    options: IHttpRequestOptions,
    { process, sender }: { process: number; sender: string },
  ): Promise<unknown> {
    const url = new URL(options.url);
    const to = url.port === '5678' ? 'tables' : 'service';
    const request: WorldRequest = {
      to,
      method: options.method ?? 'GET',
      path: url.pathname,
      query: queryOf(options),
      headers: (options.headers ?? {}) as Record<string, string>,
      body: options.body === undefined ? undefined : JSON.parse(JSON.stringify(options.body)),
      process,
      sender,
      sentAt: this.world.now,
    };
    const text = JSON.stringify(request.body ?? '') + JSON.stringify(request.query);
    const fault = this.faultOf(request, text);
    if (fault !== undefined) this.tell(sender, inWords(fault, request));
    const own = this.processes[process] as N8nProcess;
    const signal = options.abortSignal as AbortSignal | undefined;
    return await new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(errorWith('ERR_CANCELED')));
      const befalls = fault?.befalls;
      const isBefore = fault?.when === 'before';
      const answered = (act: () => void, ms = this.delay()) => own.after(ms, act);
      const give = ({ status, headers, body }: WorldAnswer) =>
        resolve({ statusCode: status, headers, body: streamOf(body) });
      /** The answer on its way back, which may be lost or another by the time it arrives. */
      const giveBack = (answer: ReturnType<Server>) => {
        if (isBefore || befalls === undefined) return give(answer);
        if (befalls.kind === 'lost') return reject(errorWith('ECONNRESET'));
        if (befalls.kind === 'status') return give(statusAnswer(befalls));
        give(befalls.kind === 'odd' ? { ...answer, body: befalls.body } : answer);
      };
      const arrive = () => {
        if (befalls?.kind === 'status' && isBefore) {
          return answered(() => give(statusAnswer(befalls)), this.delay() + (befalls.lateMs ?? 0));
        }
        const answer = this.servers[to](request);
        for (const happens of this.happeningAt(request, text)) this.world.after(0, happens);
        if (befalls?.kind === 'kill') return this.kill(process);
        if (befalls?.kind === 'pause' && !isBefore) this.pause(own, befalls.ms);
        const lateMs = befalls?.kind === 'slow' && !isBefore ? befalls.ms : 0;
        const isWhole = isBefore || !['lost', 'status', 'odd'].includes(befalls?.kind ?? '');
        answered(
          () => {
            if (isWhole && signal?.aborted !== true) answer.heard?.();
            giveBack(answer);
          },
          this.delay() + lateMs + (answer.takesMs ?? 0),
        );
      };
      if (!isBefore) return this.world.after(this.delay(), arrive);
      switch (befalls?.kind) {
        case 'pause':
          this.pause(own, befalls.ms);
          // The request leaves when the process goes on.
          return own.after(0, () => {
            request.sentAt = this.world.now;
            this.world.after(this.delay(), arrive);
          });
        case 'kill':
          return this.kill(process);
        case 'refused':
          return answered(() => reject(errorWith('ECONNREFUSED')));
        case 'lost':
          return answered(() => reject(errorWith('ECONNRESET')));
        default:
          this.world.after(this.delay() + (befalls?.kind === 'slow' ? befalls.ms : 0), arrive);
      }
    });
  }

  private pause(process: N8nProcess, ms: number): void {
    process.pause();
    this.world.after(ms, () => process.resume());
  }

  private delay(): number {
    return SHORTEST_MS + this.world.random.next() * this.latencyMs;
  }

  private fits(moment: Moment, request: WorldRequest, text: string): boolean {
    return fits(moment, { ...request, sentAt: request.sentAt - this.beganAt }, text);
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

  private happeningAt(request: WorldRequest, text: string): Array<() => void> {
    return this.awaited.flatMap((awaited) => {
      if (!this.fits(awaited.moment, request, text)) return [];
      awaited.seen++;
      return awaited.seen === awaited.moment.nth ? [awaited.happens] : [];
    });
  }
}

/** @param sentAt milliseconds from the beginning */
function fits(
  moment: Moment,
  { to, method, path, process, sentAt }: WorldRequest,
  text: string,
): boolean {
  return (
    moment.to === to &&
    (moment.method === undefined || moment.method === method) &&
    (moment.path === undefined || path.endsWith(moment.path)) &&
    (moment.from === undefined || sentAt >= moment.from) &&
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

function queryOf({ qs }: IHttpRequestOptions): Record<string, string> {
  const entries = Object.entries((qs ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function statusAnswer({
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

/** A body as n8n gives it when it is asked for a stream. */
function streamOf(body: unknown) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return {
    async *[Symbol.asyncIterator]() {
      yield await Promise.resolve(bytes);
    },
    destroy() {},
  };
}

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
}

export interface WorldAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export type Server = (request: WorldRequest) => WorldAnswer;

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
    this.faults = options.faults.map((fault) => ({ fault, seen: 0 }));
    this.latencyMs = options.latencyMs;
    this.kill = options.kill;
  }

  /** Is told what befalls whom. */
  tell: (who: string, what: string) => void = () => {};
  private readonly latencyMs: number;
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
    };
    const text = JSON.stringify(request.body ?? '') + JSON.stringify(request.query);
    const fault = this.faultOf(request, text);
    const own = this.processes[process] as N8nProcess;
    const signal = options.abortSignal as AbortSignal | undefined;
    return await new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(errorWith('ERR_CANCELED')));
      const answered = (act: () => void, ms = this.delay()) => own.after(ms, act);
      const { kind } = fault?.befalls ?? {};
      const isBefore = fault?.when === 'before';
      if (fault?.befalls.kind === 'pause' && isBefore) {
        this.pause(own, fault.befalls.ms);
        // The request leaves when the process goes on.
        own.after(0, () => this.world.after(this.delay(), arrive));
        return;
      }
      if (kind === 'kill' && isBefore) return this.kill(process);
      if (kind === 'refused') return answered(() => reject(errorWith('ECONNREFUSED')));
      if (kind === 'lost' && isBefore) return answered(() => reject(errorWith('ECONNRESET')));
      const slowMs = fault?.befalls.kind === 'slow' ? fault.befalls.ms : 0;
      this.world.after(this.delay() + (isBefore ? slowMs : 0), arrive);
      function answerOf({ status, headers, body }: WorldAnswer): unknown {
        return { statusCode: status, headers, body: streamOf(body) };
      }
      const network = this;
      function arrive(): void {
        if (fault?.befalls.kind === 'status' && isBefore) {
          const { befalls } = fault;
          return answered(() => resolve(answerOf(statusAnswer(befalls))));
        }
        const answer = network.servers[to](request);
        for (const happens of network.happeningAt(request, text)) network.world.after(0, happens);
        if (kind === 'kill') return network.kill(process);
        if (fault?.befalls.kind === 'pause' && !isBefore) network.pause(own, fault.befalls.ms);
        const lateMs = network.delay() + (isBefore ? 0 : slowMs);
        answered(() => {
          if (fault?.when !== 'after') return resolve(answerOf(answer));
          if (fault.befalls.kind === 'lost') return reject(errorWith('ECONNRESET'));
          if (fault.befalls.kind === 'status') {
            return resolve(answerOf(statusAnswer(fault.befalls)));
          }
          if (fault.befalls.kind === 'odd') {
            return resolve(answerOf({ ...answer, body: fault.befalls.body }));
          }
          resolve(answerOf(answer));
        }, lateMs);
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

  private faultOf(request: WorldRequest, text: string): Fault | undefined {
    if (this.isCalm) return undefined;
    let befalling: Fault | undefined;
    for (const pending of this.faults) {
      if (!fits(pending.fault, request, text)) continue;
      pending.seen++;
      if (pending.seen === pending.fault.nth) befalling ??= pending.fault;
    }
    return befalling;
  }

  private happeningAt(request: WorldRequest, text: string): Array<() => void> {
    return this.awaited.flatMap((awaited) => {
      if (!fits(awaited.moment, request, text)) return [];
      awaited.seen++;
      return awaited.seen === awaited.moment.nth ? [awaited.happens] : [];
    });
  }
}

function fits(moment: Moment, { to, method, path, process }: WorldRequest, text: string): boolean {
  return (
    moment.to === to &&
    (moment.method === undefined || moment.method === method) &&
    (moment.path === undefined || path.endsWith(moment.path)) &&
    (moment.process === undefined || moment.process === process) &&
    (moment.holds === undefined || text.includes(moment.holds))
  );
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

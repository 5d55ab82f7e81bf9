import { nameOfCall, type CallSubject } from '../../placedCalls';
import { callsWithId, type EndedCall, type OpenCall, type Watch } from './watch';

/** Open calls in memory, some of which are being looked at. No two are about the same. */
export class OpenCalls {
  private readonly waiting = new Map<string, OpenCall>();
  private readonly taken = new Map<string, { call: OpenCall; by: object }>();
  private now = 0;

  has(call: CallSubject): boolean {
    return this.waiting.has(nameOfCall(call)) || this.isTaken(call);
  }

  /** Whether a call about the same is being looked at. */
  isTaken(call: CallSubject): boolean {
    return this.taken.has(nameOfCall(call));
  }

  add(call: OpenCall): void {
    this.waiting.set(nameOfCall(call), call);
  }

  /** Every open call. A call that is being looked at is as it was when it was taken. */
  all(): OpenCall[] {
    return [...this.waiting.values(), ...[...this.taken.values()].map(({ call }) => call)];
  }

  /** Takes due calls, the longest overdue first. */
  take(now: number, limit: number, by: object): OpenCall[] {
    this.followClock(now);
    const due = [...this.waiting.values()]
      .filter(({ nextCheckAt }) => nextCheckAt <= now)
      .sort((a, b) => a.nextCheckAt - b.nextCheckAt)
      .slice(0, limit);
    for (const call of due) {
      this.waiting.delete(nameOfCall(call));
      this.taken.set(nameOfCall(call), { call, by });
    }
    return due;
  }

  putBack(call: OpenCall): void {
    this.taken.delete(nameOfCall(call));
    this.add(call);
  }

  remove(call: CallSubject): void {
    this.taken.delete(nameOfCall(call));
    this.waiting.delete(nameOfCall(call));
  }

  /** Puts back every call that `by` took and has not put back. */
  release(by: object): void {
    for (const { call, by: taker } of this.taken.values()) {
      if (taker === by) this.putBack(call);
    }
  }

  /** When the clock is set back, moves due times back too, so that no call waits longer. */
  private followClock(now: number): void {
    const back = this.now - now;
    this.now = now;
    if (back <= 0) return;
    for (const call of this.waiting.values()) {
      this.add({ ...call, nextCheckAt: call.nextCheckAt - back });
    }
  }

  keepOnly(holds: (call: OpenCall) => boolean): void {
    for (const call of this.waiting.values()) {
      if (!holds(call)) this.waiting.delete(nameOfCall(call));
    }
  }

  nextDueAt(): number {
    return Math.min(...[...this.waiting.values()].map(({ nextCheckAt }) => nextCheckAt));
  }
}

/** A watch whose calls are in memory. They outlive the poll. */
export abstract class MemoryWatch implements Omit<Watch, 'handedOver'> {
  private readonly ended: EndedCall[] = [];

  constructor(protected readonly open: OpenCalls) {}

  async lockDue(now: number, limit: number): Promise<OpenCall[]> {
    return this.open.take(now, limit, this);
  }

  putBack(call: OpenCall): void {
    this.open.putBack(call);
  }

  async recordEnds(ended: EndedCall[]): Promise<void> {
    this.ended.push(...ended);
  }

  async nextEnds(): Promise<EndedCall[]> {
    return this.ended.splice(0);
  }

  async notHandedOver(ended: EndedCall[]): Promise<void> {
    for (const call of callsWithId(ended)) this.open.putBack({ ...call, nextCheckAt: Date.now() });
  }

  nextDueAt(): number {
    return this.open.nextDueAt();
  }

  async close(): Promise<void> {
    this.open.release(this);
  }
}

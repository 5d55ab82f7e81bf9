import { keyOf } from '../../service/authentication';
import type { Call, NewCall } from '../../service/call';
import { CallDesk } from '../../service/callDesk';
import { refuse, type Reply } from '../../service/reply';
import { Scripts } from '../../service/scripts';
import { Seen } from '../../service/seen';
import { documentedSwitches } from '../../service/switches';
import { orderOf, type History } from '../history';
import type { ServerAnswer, WorldRequest } from './network';
import type { World } from './world';

/** A telephone that rang: what the calling service itself knows of it. */
export interface Ring {
  order: number;
  phone: string;
  orderId: number;
  /** When the service took the request. */
  at: number;
  endsAt: number;
  /** Which execution or poll sent the request, and in which process. */
  sender: string;
  process: number;
  /** With which account. */
  key: ApiKey;
  /** When the package has handed the request to n8n: from then on it cannot decide otherwise. */
  sentAt: number;
  /** How far the clock of that process was ahead then, in milliseconds. */
  aheadMs: number;
  /** Whether the answer has reached the process: nobody can know of the call otherwise. */
  isTold: boolean;
  /** The labels that answers about it have given, the last one now. */
  labels: string[];
}

/** The keys of its two accounts. They are short: many forms of a longer one are searched for. */
export const API_KEYS = ['sim-key', 'new-key'] as const;
export type ApiKey = (typeof API_KEYS)[number];

/** Labels with which the customer was not reached. */
const FAILED = new Set(['no_answer', 'busy']);

/** In place of an outcome that is still to come. */
const UNSAID = [{}, { callOutcome: 'pending' }, { callOutcome: null, summary: '', transcript: [] }];
/** The length alone may be all that a service ever says: its label must come soon after that. */
const MEASURED = { callDurationSec: 20, totalCallCost: 0.3 };
const SOON_MS = 10_000;

/** The calling service in virtual time, and its own book of who was rung. */
export class WorldService {
  readonly rings: Ring[] = [];
  private readonly ringsById = new Map<number, Ring>();
  private readonly desk: CallDesk;
  private readonly seen: Seen;
  private readonly counts = new Map<number, number>();
  private readonly labelAfterMs: number;

  constructor(
    private readonly world: World,
    {
      seed,
      outcomes,
      callSeconds,
      labelAfterMs = 0,
    }: Pick<History, 'seed' | 'outcomes' | 'callSeconds' | 'labelAfterMs'>,
  ) {
    this.labelAfterMs = labelAfterMs;
    const outcomeFor = (call: NewCall) => {
      const order = orderOfCall(call);
      const count = this.counts.get(order) ?? 0;
      this.counts.set(order, count + 1);
      const labels = outcomes[order] ?? ['Order confirmed'];
      const label = labels[Math.min(count, labels.length - 1)] ?? 'Order confirmed';
      return { label, status: FAILED.has(label) ? 'failed' : 'completed' };
    };
    const now = () => world.now;
    this.seen = new Seen(() => {});
    this.desk = new CallDesk(
      { seed, callSeconds, outcomeFor, now },
      new Scripts({ 7: [] }, 'refused'),
      documentedSwitches(),
      this.seen,
    );
  }

  readonly handle = (request: WorldRequest): ServerAnswer => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const key = API_KEYS.find((one) => one === keyOf(headers));
    if (key === undefined) return answerOf(refuse(401, 'Unauthorized'));
    if (request.path.endsWith('/calls/trigger')) {
      const before = this.seen.calls.length;
      const reply = this.desk.trigger(key, request.body as Record<string, unknown>);
      const call = this.seen.calls[before];
      if (call !== undefined) this.note(call, key, request);
      return answerOf(reply);
    }
    const [, id] = /\/orders\/(.+)\/outcome$/.exec(request.path) ?? [];
    if (id === undefined) return answerOf(refuse(404, 'Not found'));
    return answerOf(this.inSteps(id, this.desk.outcome(key, id)));
  };

  /** First the status of a conversation alone, then the outcome, at last the transcript. */
  private inSteps(id: string, reply: Reply): Reply {
    const { endsAt = 0 } = this.ringsById.get(Number(id)) ?? {};
    const { callStatus, orderId } = reply.body as Record<string, unknown>;
    const passedMs = this.world.now - endsAt;
    if (callStatus !== 'completed' || passedMs >= 2 * this.labelAfterMs) return reply;
    const body = { ...(reply.body as object), transcript: [] };
    if (passedMs >= this.labelAfterMs) return { ...reply, body };
    const unsaid = this.labelAfterMs <= SOON_MS ? [MEASURED, ...UNSAID] : UNSAID;
    const said = unsaid[Number(id) % unsaid.length];
    return { ...reply, body: { success: true, orderId, callStatus, ...said } };
  }

  /** From now on the service tells another outcome of the last call about an order. */
  changeOutcome(order: number, label: string): void {
    const call = this.seen.calls.findLast((one) => orderOfCall(one) === order);
    if (call === undefined) return;
    const status = FAILED.has(label) ? 'failed' : 'completed';
    call.outcome = { ...call.outcome, label, status };
    this.ringsById.get(call.orderId)?.labels.push(label);
  }

  private note(call: Call, key: ApiKey, { sender, process, sentAt, aheadMs }: WorldRequest): void {
    const { orderId, phone, endsAt } = call;
    const ring: Ring = {
      order: orderOfCall(call),
      phone,
      orderId,
      at: this.world.now,
      endsAt,
      sender,
      process,
      key,
      sentAt,
      aheadMs,
      isTold: false,
      labels: [call.outcome.label],
    };
    this.rings.push(ring);
    this.ringsById.set(orderId, ring);
  }
}

/** An order without a number has a customer with a name. */
const orderOfCall = ({ orderNumber, body }: NewCall): number =>
  orderOf(orderNumber ?? body.customerName);

function answerOf({ status, body }: { status: number; body: unknown }): ServerAnswer {
  return { status, headers: {}, body };
}

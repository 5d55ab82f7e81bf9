import { decideOutcome, type Call, type NewCall, type Outcome } from './call';
import { refuseLacking } from './checks';
import { phoneOf } from './contacts';
import { refuse, succeed, textOf, type Body, type Reply } from './reply';
import type { Scripts } from './scripts';
import type { Seen } from './seen';
import type { Switches } from './switches';
import { Wording } from './wording';

export interface CallDeskOptions {
  seed: number;
  /** How long calls last from placing to ending, in service seconds. */
  callSeconds: { min: number; max: number };
  /** Decides what it returns in place of the seed, for instance for special numbers. */
  outcomeFor?: ((call: NewCall) => Partial<Outcome> | undefined) | undefined;
  /** The service's clock in milliseconds. */
  now: () => number;
}

const FIRST_ID = 4001;

/** Single calls, apart from HTTP: triggering them and reading how they went. */
export class CallDesk {
  private readonly calls: Call[] = [];
  private readonly wording: Wording;

  constructor(
    private readonly options: CallDeskOptions,
    private readonly scripts: Scripts,
    private readonly switches: Switches,
    private readonly seen: Seen,
  ) {
    this.wording = new Wording(switches);
  }

  /** "Trigger a single call". */
  trigger(key: string, body: Body): Reply {
    const { scriptId } = body;
    if (!this.scripts.has(scriptId)) return refuse(400, 'scriptId is required');
    const phone = phoneOf(body.customerPhone);
    const lacks = { phone: phone === '', variables: this.scripts.missing(scriptId, body) };
    const refusal = refuseLacking(lacks, this.switches.checks);
    if (refusal !== undefined) return refusal;
    const orderNumber = textOf(body.orderNumber);
    const call = this.place({ key, scriptId, phone, orderNumber, body, campaignId: undefined });
    return succeed({
      action: 'trigger_call',
      ...this.wording.orderId(call.orderId, 'snake'),
      script_id: scriptId,
      ...this.wording.callStatus('in_progress', 'snake'),
      message: 'Call started',
    });
  }

  /** "Get call outcome". */
  outcome(key: string, id: string): Reply {
    const call = this.find(id);
    if (call === undefined || call.key !== key) return refuse(404, 'Order not found');
    if (this.options.now() < call.endsAt) return refuse(404, 'Call is still in progress');
    const { orderId, orderNumber, outcome } = call;
    return succeed({
      ...this.wording.orderId(orderId, 'camel'),
      ...(orderNumber === undefined ? {} : { orderNumber }),
      ...this.wording.callStatus(outcome.status, 'camel'),
      callDurationSec: outcome.talkSec,
      callOutcome: this.wording.label(outcome.label),
      totalCallCost: outcome.cost,
      summary: outcome.summary,
      transcript: outcome.turns.map(({ speaker, text, atSec }) => ({
        speaker,
        text,
        timestamp: this.wording.timestamp(atSec),
      })),
    });
  }

  /** @param at when it is placed, in service milliseconds */
  place(newCall: NewCall, at = this.options.now()): Call {
    const { seed, callSeconds, outcomeFor } = this.options;
    const outcome = decideOutcome(seed, newCall, callSeconds, outcomeFor?.(newCall));
    const call: Call = {
      ...newCall,
      orderId: FIRST_ID + this.calls.length,
      placedAt: at,
      endsAt: at + outcome.lastsSec * 1000,
      outcome,
    };
    this.calls.push(call);
    this.seen.addCall(call);
    return call;
  }

  forget(): void {
    this.calls.length = 0;
  }

  private find(id: string): Call | undefined {
    const call = this.calls[Number(id) - FIRST_ID];
    return call !== undefined && String(call.orderId) === id ? call : undefined;
  }
}

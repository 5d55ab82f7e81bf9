import { parse } from 'csv-parse/sync';
import { decideCall, type Call, type CallEnd } from './call';
import {
  advance,
  setRunning,
  TRANSITIONS,
  type Campaign,
  type Dial,
  type QueuedContact,
} from './campaign';
import type { Seen } from './seen';
import type { Switches } from './switches';

/** An answer before it is sent. */
export interface Reply {
  status: number;
  body: Record<string, unknown>;
}

type Body = Record<string, unknown>;

export interface DeskOptions {
  seed: number;
  /** The placeholders of each script. */
  scripts: Record<number, string[]>;
  /** How long calls last from placing to ending, in service seconds. */
  callSeconds: { min: number; max: number };
  /** Channels that running campaigns share. */
  channelPool: number;
  /** The most channels that one campaign gets, whatever it asks for. */
  concurrencyCap: number;
  /** Decides endings in place of the seed. */
  endingOf?: ((call: { phone: string; details: Body }) => Partial<CallEnd> | undefined) | undefined;
  /** The service's clock in milliseconds. */
  now: () => number;
}

const KINDS = ['cod', 'list', 'ndr'];
const MOST_CONTACTS = 2000;
const ACCOUNT_DEFAULT_CONCURRENCY = 5;

const refuse = (status: number, message: string): Reply => ({
  status,
  body: { success: false, message },
});
const succeed = (body: Body): Reply => ({ status: 200, body: { success: true, ...body } });
const isBlank = (value: unknown) => value === undefined || value === null || value === '';
const textOf = (value: unknown) => (isBlank(value) ? undefined : String(value));

/** What the calling service does, apart from HTTP: every rule of its interface. */
export class Desk {
  private lastId = 4000;
  private readonly callsById = new Map<string, Call>();

  constructor(
    private readonly options: DeskOptions,
    private readonly switches: Switches,
    private readonly seen: Seen,
  ) {}

  /** "Trigger a single call". */
  trigger(key: string, body: Body): Reply {
    const refusals = {
      script: () => this.refuseScript(body),
      phone: () =>
        isBlank(body.customerPhone) ? refuse(400, 'customerPhone is required') : undefined,
      variables: () => this.refuseVariables(body),
    };
    const { script, phone, variables } = refusals;
    const order =
      this.switches.checks === 'variablesFirst'
        ? [script, variables, phone]
        : [script, phone, variables];
    for (const check of order) {
      const refusal = check();
      if (refusal !== undefined) return refusal;
    }
    const call = this.place(key, Number(body.scriptId), String(body.customerPhone), body);
    return succeed({
      action: 'trigger_call',
      ...this.orderId(call, 'snake'),
      script_id: call.scriptId,
      ...this.callStatus('in_progress', 'snake'),
      message: 'Call started',
    });
  }

  /** "Get call outcome". */
  outcome(key: string, id: string): Reply {
    this.advanceAll();
    const call = this.callsById.get(id);
    if (call === undefined || call.key !== key) return refuse(404, 'Order not found');
    if (this.options.now() < call.endsAt) return refuse(404, 'Call is still in progress');
    const { end, orderNumber } = call;
    const { transcriptTime } = this.switches;
    const unit = transcriptTime === 'ms' ? 1000 : 1;
    return succeed({
      ...this.orderId(call, 'camel'),
      ...(orderNumber === undefined ? {} : { orderNumber }),
      ...this.callStatus(end.status, 'camel'),
      callDurationSec: end.talkSec,
      callOutcome: this.label(end.label),
      totalCallCost: end.cost,
      summary: end.summary,
      transcript: end.turns.map(({ speaker, text, atSec }) => ({
        speaker,
        text,
        timestamp: Math.round(atSec * unit * 10) / 10,
      })),
    });
  }

  /** "Create a campaign". */
  createCampaign(key: string, body: Body): Reply {
    const script = this.refuseScript(body);
    if (script !== undefined) return script;
    const kind = textOf(body.kind) ?? 'cod';
    if (!KINDS.includes(kind)) return refuse(400, `kind must be one of ${KINDS.join(', ')}`);
    const contacts = this.contactsOf(body);
    if ('status' in contacts) return contacts;
    const missing = contacts.map(({ details }) => this.missingVariables({ ...body, ...details }));
    const names = [...new Set(missing.flat())];
    if (names.length > 0) {
      return refuse(400, `Missing required script variables: ${names.join(', ')}`);
    }
    this.advanceAll();
    const start = body.startImmediately === true;
    if (start && this.poolIsExhausted()) return refuse(400, 'Concurrency / pool exhausted');
    const asked = Number(body.maxConcurrency ?? ACCOUNT_DEFAULT_CONCURRENCY);
    const channels = Math.max(1, Math.min(asked, this.options.concurrencyCap));
    const campaign: Campaign = {
      campaignId: ++this.lastId,
      key,
      scriptId: Number(body.scriptId),
      name: textOf(body.name ?? body.campaignName) ?? `Campaign ${this.lastId}`,
      kind,
      state: 'not_started',
      contacts,
      dialled: 0,
      channels: Array.from({ length: channels }, () => 0),
    };
    this.seen.campaigns.push(campaign);
    if (start) setRunning(campaign, this.options.now());
    return succeed({
      action: 'create_campaign',
      kind,
      campaign_id: this.id(campaign.campaignId),
      [this.switches.nameField]: campaign.name,
      state: campaign.state,
      contact_count: contacts.length,
      started: start,
      message: start ? 'Campaign created and started' : 'Campaign created',
    });
  }

  /** "Control a campaign". */
  controlCampaign(key: string, id: string, body: Body): Reply {
    this.advanceAll();
    const campaign = this.seen.campaigns.find(
      (one) => String(one.campaignId) === id && one.key === key,
    );
    if (campaign === undefined) return refuse(404, 'Campaign not found');
    const action = String(body.action ?? '');
    const transition = TRANSITIONS[action];
    if (transition === undefined || (action === 'stop' && this.switches.stop === 'refused')) {
      return refuse(400, 'action must be one of start, pause, resume');
    }
    if (campaign.state !== transition.from) {
      return refuse(400, `Cannot ${action} a campaign in state ${campaign.state}`);
    }
    if (transition.to === 'running') {
      if (this.poolIsExhausted()) return refuse(400, 'Concurrency / pool exhausted');
      setRunning(campaign, this.options.now());
    } else {
      campaign.state = transition.to;
    }
    return succeed({
      action: `${action}_campaign`,
      campaign_id: this.id(campaign.campaignId),
      [this.switches.stateField]: campaign.state,
      message: `Campaign is ${campaign.state}`,
    });
  }

  /** Brings all campaigns to the present. */
  advanceAll(): void {
    const dial: Dial = (campaign, contact, at) =>
      this.place(campaign.key, campaign.scriptId, contact.phone, contact.details, {
        at,
        campaignId: campaign.campaignId,
      }).endsAt;
    for (const campaign of this.seen.campaigns) advance(campaign, this.options.now(), dial);
  }

  private place(
    key: string,
    scriptId: number,
    phone: string,
    details: Body,
    { at = this.options.now(), campaignId }: { at?: number; campaignId?: number } = {},
  ): Call {
    const { seed, callSeconds, endingOf } = this.options;
    const { seconds, end } = decideCall(seed, phone, details, callSeconds);
    const call: Call = {
      orderId: ++this.lastId,
      key,
      scriptId,
      phone,
      orderNumber: textOf(details.orderNumber),
      details,
      campaignId,
      placedAt: at,
      endsAt: at + seconds * 1000,
      end: { ...end, ...endingOf?.({ phone, details }) },
    };
    this.seen.calls.push(call);
    this.callsById.set(String(call.orderId), call);
    return call;
  }

  private refuseScript({ scriptId }: Body): Reply | undefined {
    const isKnown = typeof scriptId === 'number' && scriptId in this.options.scripts;
    return isKnown ? undefined : refuse(400, 'scriptId is required');
  }

  private missingVariables(body: Body): string[] {
    const placeholders = this.options.scripts[Number(body.scriptId)] ?? [];
    return placeholders.filter((name) => isBlank(body[name]));
  }

  private refuseVariables(body: Body): Reply | undefined {
    const missing = this.missingVariables(body);
    return missing.length === 0
      ? undefined
      : refuse(400, `Missing required script variables: ${missing.join(', ')}`);
  }

  private contactsOf(body: Body): QueuedContact[] | Reply {
    const { contacts, csvText, phoneColumn } = body;
    if ((contacts === undefined) === (csvText === undefined)) {
      return refuse(400, 'Provide either contacts or csvText');
    }
    let rows: unknown = contacts;
    if (csvText !== undefined) {
      try {
        rows = parse(String(csvText), { columns: true, bom: true, skip_empty_lines: true });
      } catch {
        return refuse(400, 'csvText is not valid CSV');
      }
    }
    if (!Array.isArray(rows) || rows.length === 0) return refuse(400, 'contacts must not be empty');
    if (rows.length > MOST_CONTACTS) {
      return refuse(400, `At most ${MOST_CONTACTS} contacts per campaign`);
    }
    const queue = rows.map((row: Body) => {
      const phone =
        csvText === undefined
          ? (row.customerPhone ?? row.phone_number ?? row.phone)
          : row[String(phoneColumn ?? 'phone_number')];
      return { phone: textOf(phone) ?? '', details: row };
    });
    return queue.some(({ phone }) => phone === '')
      ? refuse(400, 'customerPhone is required')
      : queue;
  }

  private poolIsExhausted(): boolean {
    const used = this.seen.campaigns
      .filter(({ state }) => state === 'running')
      .reduce((sum, { channels }) => sum + channels.length, 0);
    return used >= this.options.channelPool;
  }

  private id(id: number): number | string {
    return this.switches.ids === 'string' ? String(id) : id;
  }

  private orderId({ orderId }: Call, documented: 'snake' | 'camel'): Body {
    const { orderIdField } = this.switches;
    const form = orderIdField === 'documented' ? documented : orderIdField;
    return { [form === 'snake' ? 'order_id' : 'orderId']: this.id(orderId) };
  }

  private callStatus(status: string, documented: 'snake' | 'camel'): Body {
    const { callStatusField } = this.switches;
    const form = callStatusField === 'documented' ? documented : callStatusField;
    return { [form === 'snake' ? 'call_status' : 'callStatus']: status };
  }

  private label(label: string): string {
    const { labels } = this.switches;
    if (labels === 'documented') return label;
    return labels === 'lower' ? label.toLowerCase() : label.toUpperCase();
  }
}

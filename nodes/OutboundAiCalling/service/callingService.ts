import type { IDataObject } from 'n8n-workflow';
import type { CallingAccount } from './account';
import { bodyOf, failureOfFault, isStillInProgress, type Purpose } from './answers';
import { sendPatiently, type Repeat } from './attempts';
import {
  campaignIdOf,
  readCampaign,
  readCampaignControl,
  type Campaign,
  type CampaignAction,
  type CampaignControl,
  type CampaignKind,
  type Contact,
} from './campaign';
import { CallingServiceError } from './failure';
import { readIdentifier } from './identifier';
import { callStatusOf, readOutcome, type Outcome } from './outcome';
import type { ScriptVariables } from './scriptVariables';
import { bounded, type Answer, type Send, type ServiceRequest } from './transport';

/** What a call is placed with ("Trigger a single call"). */
export interface CallRequest {
  scriptId: number;
  /** With country code (E.164). */
  customerPhone: string;
  customerName?: string;
  orderNumber?: string;
  orderNotes?: string;
  campaignName?: string;
  variables: ScriptVariables;
}

/** A call that the service has taken on. */
export interface PlacedCall {
  orderId: number;
  scriptId: number;
  callStatus: string;
  message: string;
}

/** What a campaign is created with ("Create a campaign"). */
export interface CampaignRequest {
  scriptId: number;
  contacts: Contact[];
  name?: string;
  kind: CampaignKind;
  startImmediately: boolean;
  maxConcurrency?: number;
  variables: ScriptVariables;
}

/** A result in the terms of this package, beside the service's body as it came. */
export interface Read<T> {
  result: T;
  body: IDataObject;
}

/** `finished: false` is the state that the service answers with a 404. */
export type OutcomeReading = FinishedReading | { finished: false; body: IDataObject };

/** The reading of a call that has ended. */
export type FinishedReading = { finished: true } & Read<Outcome>;

export interface CallingServiceOptions {
  /** How long one request may take, in milliseconds. */
  timeoutMs?: number;
  /** The first pause before a request is sent again, in milliseconds. */
  firstPauseMs?: number;
  /** How many requests may be under way at once. */
  concurrency?: number;
  /** Once aborted, no further request is sent. */
  signal?: AbortSignal | undefined;
}

/** Ids are given out upwards; the largest that fits where a service keeps them in 32 bits. */
const ORDER_THAT_CANNOT_EXIST = 2 ** 31 - 1;

/**
 * The calling service. Every method throws a {@link CallingServiceError} when the request did not
 * do what it was sent for; nothing else is thrown, and no method returns an unread answer.
 */
export class CallingService {
  private readonly host: string;
  private readonly send: Send;
  private readonly timeoutMs: number;
  private readonly firstPauseMs: number;
  private readonly signal: AbortSignal | undefined;

  constructor(
    private readonly account: CallingAccount,
    send: Send,
    {
      timeoutMs = 30_000,
      firstPauseMs = 1000,
      concurrency = 10,
      signal,
    }: CallingServiceOptions = {},
  ) {
    this.send = bounded(send, concurrency, signal);
    this.host = new URL(account.baseUrl).host;
    this.timeoutMs = timeoutMs;
    this.firstPauseMs = firstPauseMs;
    this.signal = signal;
  }

  /** Places a call; the telephone rings as soon as the service has taken the request. */
  async triggerCall(request: CallRequest): Promise<Read<PlacedCall>> {
    const { variables, ...fields } = request;
    const body = await this.ask(
      'trigger',
      { method: 'POST', url: this.triggerUrl, body: { ...variables, ...fields } },
      'dial',
    );
    const orderId = readIdentifier(body.order_id ?? body.orderId);
    if (orderId === undefined) throw this.unusableAnswer('trigger');
    return {
      body,
      result: {
        orderId,
        scriptId: readIdentifier(body.script_id ?? body.scriptId) ?? request.scriptId,
        callStatus: callStatusOf(body) ?? 'in_progress',
        message: String(body.message ?? ''),
      },
    };
  }

  /** Reads the outcome of a call, or learns that the call has not ended yet. */
  async readOutcome(orderId: number): Promise<OutcomeReading> {
    const answer = await this.exchange(
      'outcome',
      { method: 'GET', url: this.outcomeUrl(orderId) },
      'read',
    );
    if (isStillInProgress(answer)) return { finished: false, body: answer.body as IDataObject };
    const body = bodyOf(answer, 'outcome', this.host);
    if (callStatusOf(body) === 'in_progress') return { finished: false, body };
    return { finished: true, result: readOutcome(body, orderId), body };
  }

  /** Creates a campaign from at most 2,000 contacts ("Limits"). */
  async createCampaign(request: CampaignRequest): Promise<Read<Campaign>> {
    const { variables, ...fields } = request;
    const body = await this.ask(
      'createCampaign',
      { method: 'POST', url: this.campaignsUrl, body: { ...variables, ...fields } },
      'dial',
    );
    const campaignId = campaignIdOf(body);
    if (campaignId === undefined) throw this.unusableAnswer('createCampaign');
    const asked = {
      name: request.name ?? '',
      kind: request.kind,
      contactCount: request.contacts.length,
      start: request.startImmediately,
    };
    return { body, result: readCampaign(body, campaignId, asked) };
  }

  /**
   * Starts, pauses, resumes or stops a campaign. Whether a service takes `stop` is a contradiction
   * of its interface ("Campaign transitions"); one that refuses it fails with `stopRefused`.
   */
  async controlCampaign(
    campaignId: number,
    action: CampaignAction,
  ): Promise<Read<CampaignControl>> {
    const url = `${this.campaignsUrl}/${campaignId}/control`;
    const answer = await this.exchange(
      'controlCampaign',
      { method: 'POST', url, body: { action } },
      'dial',
    );
    if (action === 'stop' && isRefusalOfAction(answer)) {
      throw new CallingServiceError(
        'stopRefused',
        'This calling service does not take "stop" for a campaign',
        {
          advice: 'Pause the campaign instead: a paused campaign dials nobody until it is resumed.',
          taken: 'no',
          status: answer.status,
        },
      );
    }
    const body = bodyOf(answer, 'controlCampaign', this.host);
    return { body, result: readCampaignControl(body, campaignId, action) };
  }

  /**
   * Asks for the placeholders of a script in the one way that cannot dial: a trigger request
   * without a phone number, whose refusal names all missing variables.
   *
   * @returns the names; undefined when the service refused for another reason first
   */
  async askScriptVariables(scriptId: number): Promise<readonly string[] | undefined> {
    const refusal = await this.refusalOf('scriptVariables', {
      method: 'POST',
      url: this.triggerUrl,
      body: { scriptId },
    });
    if (refusal === undefined || refusal.kind === 'phoneRefused') return undefined;
    if (refusal.kind === 'variablesMissing') return refusal.missingVariables;
    throw refusal;
  }

  /** Learns whether address and key are right, by asking for an order that cannot exist. */
  async checkAccess(): Promise<void> {
    const url = this.outcomeUrl(ORDER_THAT_CANNOT_EXIST);
    const refusal = await this.refusalOf('outcome', { method: 'GET', url });
    if (refusal !== undefined && refusal.kind !== 'orderNotFound') throw refusal;
  }

  private get triggerUrl(): string {
    const { baseUrl, pathForm } = this.account;
    return baseUrl + (pathForm === 'versioned' ? '/api/v1/calls/trigger' : '/api/trigger-call');
  }

  private outcomeUrl(orderId: number): string {
    const { baseUrl, pathForm } = this.account;
    return pathForm === 'versioned'
      ? `${baseUrl}/api/v1/orders/${orderId}/outcome`
      : `${baseUrl}/api/order/${orderId}/call-outcome`;
  }

  private get campaignsUrl(): string {
    const { baseUrl, pathForm } = this.account;
    if (pathForm === 'unversioned') {
      throw new CallingServiceError(
        'needsVersionedPaths',
        'Campaigns need the versioned paths of the calling service',
        {
          advice:
            'Set "Path Form" to "Versioned" in the credential: the unversioned paths know single calls only.',
          taken: 'no',
        },
      );
    }
    return `${baseUrl}/api/v1/campaigns`;
  }

  private async ask(
    purpose: Purpose,
    request: Omit<ServiceRequest, 'timeoutMs'>,
    repeat: Repeat,
  ): Promise<IDataObject> {
    return bodyOf(await this.exchange(purpose, request, repeat), purpose, this.host);
  }

  /** For requests whose refusal is the answer that is wanted. */
  private async refusalOf(
    purpose: Purpose,
    request: Omit<ServiceRequest, 'timeoutMs'>,
  ): Promise<CallingServiceError | undefined> {
    return await this.ask(purpose, request, 'read').then(
      () => undefined,
      (error: CallingServiceError) => error,
    );
  }

  private async exchange(
    purpose: Purpose,
    request: Omit<ServiceRequest, 'timeoutMs'>,
    repeat: Repeat,
  ): Promise<Answer> {
    const { timeoutMs, firstPauseMs, signal } = this;
    const result = await sendPatiently(this.send, { ...request, timeoutMs }, repeat, {
      firstPauseMs,
      signal,
    });
    if ('fault' in result) throw failureOfFault(result, purpose, this.host);
    return result;
  }

  private unusableAnswer(purpose: 'trigger' | 'createCampaign'): CallingServiceError {
    const what = purpose === 'trigger' ? 'call' : 'campaign';
    return new CallingServiceError(
      'notTheService',
      `The calling service took the ${what} but gave no usable id for it`,
      {
        advice: `Look for the ${what} in the dashboard of the calling service before you try again.`,
        taken: 'unknown',
      },
    );
  }
}

/** A 400 that objects to the action itself, not to the state that the campaign is in. */
function isRefusalOfAction({ status, body }: Answer): boolean {
  const message = (body as { message?: unknown } | null)?.message;
  return (
    status === 400 && typeof message === 'string' && !/\bstate\b|status|already/i.test(message)
  );
}

import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { readAccount, secretsOf, type CallingAccount } from './account';
import { checkAccess } from './checkAccess';
import {
  bodyOf,
  fulfilledState,
  refuseEcho,
  contradicted,
  unreadableAnswer,
  sameAgain,
} from './answers';
import { failureOfFault } from './faults';
import { sendWithRetries, type RetryOptions } from '../http/retry';
import {
  contradictionOf,
  otherContactCount,
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
import { isStillInProgress } from './notFound';
import type { Answer } from '../http/exchange';
import {
  callStatusOf,
  finalLabelIn,
  labelIn,
  readOutcome,
  showsEnd,
  type Outcome,
} from './outcome';
import type { Asked, Purpose } from './purpose';
import { repeatOf } from './processed';
import { defined, textOf } from '../http/json';
import type { ScriptVariables } from './scriptVariables';
import {
  bounded,
  sendWithCredential,
  type AuthenticatedHttp,
  type BeforeSend,
  type BoundedSend,
  type OutgoingRequest,
  type Pace,
  type Send,
} from '../http/transport';

/** A request to place a call ("Trigger a single call"). */
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

/** A call that the service has accepted. */
export interface PlacedCall {
  orderId: number;
  scriptId: number;
  callStatus: string;
  message: string;
}

/** A request to create a campaign ("Create a campaign"). */
export interface CampaignRequest {
  scriptId: number;
  contacts: Contact[];
  name?: string;
  kind: CampaignKind;
  startImmediately: boolean;
  maxConcurrency?: number;
  variables: ScriptVariables;
}

/** A result in the terms of this package, next to the unchanged body of the service. */
export interface Read<T> {
  result: T;
  body: IDataObject;
}

/** `finished: false`: the call goes on. `soFar`: it has ended, with an outcome that seems to be still to come. */
export type OutcomeReading =
  FinishedReading | { finished: false; body: IDataObject; soFar?: FinishedReading };

export type FinishedReading = { finished: true } & Read<Outcome>;

export interface CallingServiceOptions extends Partial<Pace>, Pick<Asked, 'hasOptions'> {
  timeoutMs?: number;
  /** The first pause before a request is sent again, in milliseconds. */
  firstPauseMs?: number;
}

/** A request; one without a body only reads. */
interface Request
  extends
    Pick<OutgoingRequest, 'url' | 'body'>,
    Pick<RetryOptions, 'beforeEachTry' | 'isConclusive'> {
  purpose: Purpose;
}

/** The values of a request as the service gets them: script variables stand next to the fields. */
export function sentBody<T extends { variables: ScriptVariables }>({ variables, ...fields }: T) {
  return { ...variables, ...fields };
}

/**
 * The calling service. Every method throws a {@link CallingServiceError} when its request fails.
 *
 * `beforeEachTry` is called just before each try, also after the pause of a 429. An error that it
 * throws comes through unchanged, and means that nobody was called: a new try follows only a try that
 * the service surely did not process.
 */
export class CallingService {
  private readonly send: BoundedSend;
  /** The ids of the calls that this run of a node has placed. */
  private readonly placed = new Set<number>();

  constructor(
    private readonly account: CallingAccount,
    send: Send,
    private readonly options: CallingServiceOptions = {},
  ) {
    this.send = bounded(send, { concurrency: 10, ...options });
  }

  /** The service that a credential leads to; throws when the credential cannot be used. */
  static of(
    context: AuthenticatedHttp,
    credential: ICredentialDataDecryptedObject,
    options: CallingServiceOptions,
  ): CallingService {
    const send = sendWithCredential(context, credential, secretsOf(credential));
    return new CallingService(readAccount(credential), send, options);
  }

  /**
   * Places a call. The telephone rings as soon as the service has accepted the request. An answer with the id of a
   * call that was placed before fails: it is the answer about that call.
   */
  async triggerCall(request: CallRequest, beforeEachTry?: BeforeSend): Promise<Read<PlacedCall>> {
    const sent = { url: this.triggerUrl, body: sentBody(request) };
    return await this.ask({ purpose: 'trigger', ...sent, beforeEachTry }, (answer, asked) => {
      const body = bodyOf(answer, asked);
      const orderId = onlyId('call', body.order_id, body.orderId);
      if (this.placed.has(orderId)) throw sameAgain('trigger', orderId);
      this.placed.add(orderId);
      const result = {
        orderId,
        scriptId: readIdentifier(body.script_id ?? body.scriptId) ?? request.scriptId,
        callStatus: callStatusOf(body) ?? 'in_progress',
        message: textOf(body.message) ?? '',
      };
      return { body, result };
    });
  }

  /** Reads the outcome of a call, or that it has not ended. Fails when it is of another order. */
  async readOutcome(orderId: number): Promise<OutcomeReading> {
    const sent = { purpose: 'outcome' as const, url: this.outcomeUrl(orderId) };
    return await this.ask(sent, (answer, asked) => {
      refuseEcho(answer, 'outcome', orderId);
      if (isStillInProgress(answer)) return { finished: false, body: answer.body as IDataObject };
      const body = bodyOf(answer, asked);
      const readWith = (labelOf: typeof labelIn): FinishedReading | undefined =>
        showsEnd(body, labelOf)
          ? { finished: true, result: readOutcome(body, orderId, labelOf), body }
          : undefined;
      const finished = readWith(finalLabelIn);
      return finished ?? { finished: false, body, ...defined({ soFar: readWith(labelIn) }) };
    });
  }

  /**
   * Creates a campaign ("Limits": 2,000 contacts).
   *
   * @returns `otherCount`: how many contacts the service counts, when these are not as many as were sent; it may be no
   * number. The campaign exists then, may run, and must not be made again
   */
  async createCampaign(
    request: CampaignRequest,
  ): Promise<Read<Campaign> & { otherCount?: string }> {
    const sent = { url: this.campaignsUrl, body: sentBody(request) };
    return await this.ask({ purpose: 'createCampaign', ...sent }, (answer, asked) => {
      const body = bodyOf(answer, asked);
      const campaignId = onlyId('campaign', body.campaign_id, body.campaignId);
      const result = readCampaign(body, campaignId, request);
      const otherCount = otherContactCount(body, result.contactCount);
      return { body, result, ...defined({ otherCount }) };
    });
  }

  /**
   * Starts, pauses, resumes or stops a campaign. The service may refuse to pause or stop a campaign
   * that calls nobody any more, or to resume one that has called everybody. That is no failure: the
   * result has the campaign's state. The interface contradicts itself on `stop` ("Campaign
   * transitions"); when the service does not accept it, this throws `stopRefused`.
   */
  async controlCampaign(
    campaignId: number,
    action: CampaignAction,
    beforeEachTry?: BeforeSend,
  ): Promise<Read<CampaignControl>> {
    const sent = { url: `${this.campaignsUrl}/${campaignId}/control`, body: { action } };
    const isConclusive = (answer: Answer) => fulfilledState(answer, action) !== undefined;
    const request = { purpose: action, ...sent, beforeEachTry, isConclusive };
    return await this.ask(request, (answer, asked) => {
      refuseEcho(answer, action, campaignId);
      const state = fulfilledState(answer, action);
      if (state !== undefined) {
        const result = { campaignId, action: `${action}_campaign`, state };
        return { body: answer.body as IDataObject, result };
      }
      const body = bodyOf(answer, asked);
      const result = readCampaignControl(body, campaignId, action);
      const contradiction = contradictionOf(result, action);
      if (contradiction !== undefined) throw contradicted(campaignId, action, contradiction);
      return { body, result };
    });
  }

  /**
   * Asks for the placeholders of a script in the one way that cannot dial. It sends a trigger
   * request without a phone number, and the refusal names all missing variables.
   *
   * @returns the names; undefined when it names none, or objects to the missing number
   */
  async askScriptVariables(scriptId: number): Promise<readonly string[] | undefined> {
    const sent = { url: this.triggerUrl, body: { scriptId } };
    return await this.ask({ purpose: 'scriptVariables', ...sent }, bodyOf).then(
      () => undefined,
      (refusal: CallingServiceError) => {
        if (refusal.kind === 'phoneRefused') return undefined;
        if (refusal.kind === 'variablesMissing') return refusal.missingVariables;
        throw refusal;
      },
    );
  }

  /** Checks address, path form and key; throws as {@link checkAccess}. */
  async checkAccess(): Promise<void> {
    await checkAccess(this.account, async (orderId, pathForm) => {
      const url = this.outcomeUrl(orderId, pathForm);
      return await this.ask({ purpose: 'outcome', url }, (answer) => answer);
    });
  }

  private get triggerUrl(): string {
    const { baseUrl, pathForm } = this.account;
    return baseUrl + (pathForm === 'versioned' ? '/api/v1/calls/trigger' : '/api/trigger-call');
  }

  private outcomeUrl(orderId: number, pathForm = this.account.pathForm): string {
    const { baseUrl } = this.account;
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
            'Set "Path Form" to "Versioned" in the credential: the unversioned paths offer single calls only.',
          mayHaveBeenProcessed: false,
        },
      );
    }
    return `${baseUrl}/api/v1/campaigns`;
  }

  /** Sends a request and reads the answer. Every error of the reading becomes a failure. */
  private async ask<T>(
    { purpose, beforeEachTry, isConclusive, ...sent }: Request,
    read: (answer: Answer, asked: Asked) => T,
  ): Promise<T> {
    const { timeoutMs = 30_000, firstPauseMs = 1000, signal, hasOptions = false } = this.options;
    const asked = { purpose, host: this.account.host, hasOptions };
    const method = sent.body === undefined ? 'GET' : 'POST';
    const whole = { method, ...sent, timeoutMs } as const;
    const options = { firstPauseMs, signal, beforeEachTry, isConclusive };
    const result = await sendWithRetries(this.send, whole, repeatOf(purpose), options);
    try {
      if ('fault' in result) throw failureOfFault(result, asked);
      return read(result, asked);
    } catch (error) {
      throw error instanceof CallingServiceError ? error : unreadableAnswer(asked, error);
    }
  }
}

/** The one id of the new call or campaign; throws when the answer has none, or several. */
function onlyId(what: 'call' | 'campaign', ...values: unknown[]): number {
  const ids = [...new Set(values.flatMap((value) => readIdentifier(value) ?? []))];
  const [id] = ids;
  if (id !== undefined && ids.length === 1) return id;
  const named = ids.length === 0 ? 'no usable id' : `several ids (${ids.join(', ')})`;
  throw new CallingServiceError(
    'notTheService',
    `The calling service accepted the ${what} but gave ${named} for it`,
    {
      advice: `Look for the ${what} in the dashboard of the calling service before you try again.`,
      mayHaveBeenProcessed: true,
      isAccepted: true,
    },
  );
}

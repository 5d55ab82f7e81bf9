import type { IDataObject } from 'n8n-workflow';
import { readAccount } from '../../nodes/OutboundAiCalling/service/account';
import {
  CallingService,
  type CallingServiceOptions,
  type CallRequest,
  type CampaignRequest,
} from '../../nodes/OutboundAiCalling/service/callingService';
import { CallingServiceError } from '../../nodes/OutboundAiCalling/service/failure';
import type { Send } from '../../nodes/OutboundAiCalling/http/transport';
import { sendOverHttp } from './send';

export interface ClientOptions extends CallingServiceOptions {
  /** What the credential holds beside the address. */
  credential?: IDataObject;
  /** Stands between the client and the network. */
  through?: (send: Send) => Send;
}

/** A client of whatever answers at an address. It pauses shortly, so that tests are fast. */
export function clientOf(
  { baseUrl }: { baseUrl: string },
  { credential = {}, through = (send) => send, ...options }: ClientOptions = {},
): CallingService {
  const complete = { baseUrl, apiKey: 'test-key', ...credential };
  const send = through(sendOverHttp(complete));
  return new CallingService(readAccount(complete), send, {
    firstPauseMs: 1,
    timeoutMs: 120_000,
    ...options,
  });
}

/** A request for a call of a script without placeholders. */
export function callTo(customerPhone: string, fields: Partial<CallRequest> = {}): CallRequest {
  return { scriptId: 7, customerPhone, variables: {}, ...fields };
}

/** A request for a campaign of a script without placeholders. */
export function campaignTo(
  phones: string[],
  fields: Partial<CampaignRequest> = {},
): CampaignRequest {
  return {
    scriptId: 7,
    contacts: phones.map((customerPhone) => ({ customerPhone })),
    kind: 'list',
    startImmediately: false,
    variables: {},
    ...fields,
  };
}

/** The error that a promise rejects with; an expectation fails when it is not one of the domain. */
export async function failureOf(promise: Promise<unknown>): Promise<CallingServiceError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CallingServiceError);
  const failure = error as CallingServiceError;
  expect(failure.advice).toMatch(/\w{2}.*\.$/);
  expect([failure.message, failure.advice, failure.stack].join()).not.toContain('test-key');
  return failure;
}

export const PHONE = '+12025550123';

/** Requests that change something or dial. */
export const dialing: Array<[name: string, ask: (client: CallingService) => Promise<unknown>]> = [
  ['triggering a call', async (client) => await client.triggerCall(callTo(PHONE))],
  ['creating a campaign', async (client) => await client.createCampaign(campaignTo([PHONE]))],
  ['controlling a campaign', async (client) => await client.controlCampaign(900_001, 'start')],
];
/** Requests that change nothing. */
export const reading: typeof dialing = [
  ['reading an outcome', async (client) => await client.readOutcome(4001)],
  ['checking the access', async (client) => await client.checkAccess()],
  ['asking for script variables', async (client) => await client.askScriptVariables(21)],
];

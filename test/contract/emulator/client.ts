import {
  startCallingService,
  type CallingService,
  type CallingServiceOptions,
} from '../../service';

export type Json = Record<string, unknown>;

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

/** The key that every service accepts unless a test says otherwise. */
export const KEY = 'test-key';
export const PHONE = '+12025550101';
/** A trigger request of script 7, which has no placeholders. */
export const CALL = { scriptId: 7, customerPhone: PHONE };

/** A clock that stands still until it is told to go on. */
export class Clock {
  private ms = 1_000_000;
  readonly now = (): number => this.ms;

  /** @param seconds service seconds */
  pass(seconds: number): void {
    this.ms += seconds * 1000;
  }
}

const running: CallingService[] = [];

/** Starts a service that ends with the test. Every call lasts 20 seconds unless a test says otherwise. */
export async function start(options: CallingServiceOptions = {}): Promise<CallingService> {
  const service = await startCallingService({ callSeconds: { min: 20, max: 20 }, ...options });
  running.push(service);
  return service;
}

/** Ends the services that a test started. */
export async function endAll(): Promise<void> {
  await Promise.all(running.splice(0).map(async (service) => await service.close()));
}

/** Waits until a service has received so many requests, however slow the machine. */
export async function requestsOf({ seen }: CallingService, count: number): Promise<void> {
  while (seen.received.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Sends a request with the bearer form of the key, and reads the JSON of the answer. */
export async function send(
  { baseUrl }: CallingService,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  headers: Record<string, string> = { authorization: `Bearer ${KEY}` },
): Promise<Answer> {
  const response = await fetch(baseUrl + path, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Json,
  };
}

export const trigger = async (service: CallingService, body: unknown = CALL): Promise<Answer> =>
  await send(service, 'POST', '/api/v1/calls/trigger', body);

export const outcome = async (service: CallingService, orderId: unknown): Promise<Answer> =>
  await send(service, 'GET', `/api/v1/orders/${String(orderId)}/outcome`);

export const create = async (service: CallingService, body: unknown): Promise<Answer> =>
  await send(service, 'POST', '/api/v1/campaigns', body);

export const control = async (
  service: CallingService,
  campaignId: unknown,
  action: unknown,
): Promise<Answer> =>
  await send(service, 'POST', `/api/v1/campaigns/${String(campaignId)}/control`, { action });

/** So many contacts, each with a number of its own. */
export const contacts = (count: number): Json[] =>
  Array.from({ length: count }, (_, index) => ({
    customerPhone: `+1202555${String(index).padStart(4, '0')}`,
  }));

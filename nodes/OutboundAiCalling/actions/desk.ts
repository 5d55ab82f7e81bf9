import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { readAccount } from '../service/account';
import { CallingService, type Read } from '../service/callingService';
import { sendThrough } from '../service/transport';
import { nodeError } from './nodeError';

/** What an operation works with during one execution. */
export interface Desk {
  service: CallingService;
  /** Aborted when the execution is cancelled or when an item has failed. */
  signal: AbortSignal;
  simplify: boolean;
  /** The tidy result or the service's own body, as the person chose. */
  present<T extends object>(read: Read<T>): IDataObject;
}

/** Bounds of the options that shape how requests are sent. */
const CONCURRENCY = { min: 1, max: 1000, default: 10 };
const TIMEOUT_SECONDS = { min: 1, max: 600, default: 30 };

function bounded(value: unknown, { min, max, default: usual }: typeof CONCURRENCY): number {
  const number = Number(value ?? usual);
  return Number.isFinite(number) ? Math.min(max, Math.max(min, number)) : usual;
}

/**
 * Opens the credential and sets up the service for one execution.
 *
 * @throws NodeApiError when the credential cannot be used
 */
export async function openDesk(context: IExecuteFunctions, stop: AbortSignal): Promise<Desk> {
  const cancelled = context.getExecutionCancelSignal();
  const signal = cancelled === undefined ? stop : AbortSignal.any([stop, cancelled]);
  const credential = await context.getCredentials('outboundAiCallingApi', 0);
  const account = await Promise.resolve(credential)
    .then(readAccount)
    .catch((failure: unknown) => {
      throw nodeError(context.getNode(), failure, undefined);
    });
  const option = (name: string) => context.getNodeParameter(`options.${name}`, 0, null);
  const simplify = context.getNodeParameter('simplify', 0, true) !== false;
  return {
    signal,
    simplify,
    service: new CallingService(account, sendThrough(context), {
      concurrency: Math.floor(bounded(option('concurrency'), CONCURRENCY)),
      timeoutMs: bounded(option('requestTimeoutSeconds'), TIMEOUT_SECONDS) * 1000,
      signal,
    }),
    present: ({ result, body }) => (simplify ? ({ ...result } as IDataObject) : body),
  };
}

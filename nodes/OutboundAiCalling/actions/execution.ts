import pLimit from 'p-limit';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { DuplicateGuard } from '../rules/duplicates';
import { Ledger } from './executionMemory';
import { readAccount } from '../service/account';
import { CallingService, type Read } from '../service/callingService';
import { sendThrough } from '../service/transport';
import { nodeError } from '../nodeError';

/** What an operation works with during one execution. */
export interface Desk {
  service: CallingService;
  /** Aborted when the execution is cancelled or when an item has failed. */
  signal: AbortSignal;
  simplify: boolean;
  /** n8n's id of the credential in use. */
  credentialId: string;
  /** Remembers what was set in motion through retries of this execution. */
  ledger: Ledger;
  /**
   * Runs so many acts at once as "Concurrency" allows requests, first come, first served. Unless
   * the node continues on error, the first failure stops the rest before the next act begins.
   */
  inTurn<T>(act: () => Promise<T>): Promise<T>;
  /** Knows what was called in this and earlier executions. */
  duplicates: DuplicateGuard;
  /** The tidy result or the service's own body, as the person chose. */
  present<T extends object>(read: Read<T>): IDataObject;
}

/** What an operation works with for one item. */
export interface ItemDesk extends Desk {
  /** Whether this item's act was done before in this execution, or may have been. */
  wasDone(): boolean;
  /** Does the one act of this item that must not be done twice. */
  once<T extends object>(act: () => Promise<T>): Promise<T>;
  /** Has the order id told even when the item fails later. */
  notePlaced(orderId: number): void;
}

/** Bounds of the options that shape how requests are sent. */
const CONCURRENCY = { min: 1, max: 1000, usual: 10 };
const TIMEOUT_SECONDS = { min: 1, max: 600, usual: 30 };

function within({ min, max, usual }: typeof CONCURRENCY, value: unknown): number {
  const number = Number(value ?? usual);
  return Number.isFinite(number) ? Math.min(max, Math.max(min, number)) : usual;
}

/**
 * Opens the credential and sets up the service for one execution.
 *
 * @param stop aborts everything that has not been sent yet
 * @throws NodeApiError when the credential cannot be used
 */
export async function openDesk(
  context: IExecuteFunctions,
  stop = new AbortController(),
): Promise<Desk> {
  const cancelled = context.getExecutionCancelSignal();
  const signal = AbortSignal.any([stop.signal, ...(cancelled === undefined ? [] : [cancelled])]);
  const credential = await context.getCredentials('outboundAiCallingApi', 0);
  const account = await Promise.resolve(credential)
    .then(readAccount)
    .catch((failure: unknown) => {
      throw nodeError(context.getNode(), failure, undefined);
    });
  const option = (name: string) => context.getNodeParameter(`options.${name}`, 0, null);
  const simplify = context.getNodeParameter('simplify', 0, true) !== false;
  const concurrency = Math.floor(within(CONCURRENCY, option('concurrency')));
  const turns = pLimit(concurrency);
  const { $runIndex } = context.getWorkflowDataProxy(0);
  return {
    signal,
    simplify,
    credentialId: context.getNode().credentials?.outboundAiCallingApi?.id ?? '',
    ledger: new Ledger(context.getContext('node'), $runIndex),
    inTurn: async (act) =>
      await turns(async () =>
        act().catch((failure: unknown) => {
          if (!context.continueOnFail()) stop.abort();
          return Promise.reject(failure);
        }),
      ),
    duplicates: new DuplicateGuard(context.helpers),
    service: new CallingService(account, sendThrough(context, credential), {
      concurrency,
      timeoutMs: within(TIMEOUT_SECONDS, option('requestTimeoutSeconds')) * 1000,
      signal,
    }),
    present: ({ result, body }) => (simplify ? ({ ...result } as IDataObject) : body),
  };
}

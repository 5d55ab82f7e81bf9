import {
  NodeOperationError,
  type ICredentialDataDecryptedObject,
  type IDataObject,
  type IExecuteFunctions,
} from 'n8n-workflow';
import { concurrency as concurrencyField, requestTimeoutSeconds } from '../fields';
import { expiryWarning } from '../dataTables/keyExpiry';
import { tellHint } from '../hints';
import { accountFingerprint } from '../service/accountFingerprint';
import { CallingService } from '../service/callingService';
import { CallingServiceError } from '../service/failure';
import { uncancelled } from '../http/transport';
import { ExecutionMemory } from './memory/executionMemory';
import { familyOf } from './memory/family';
import { hashOf } from './memory/request';
import { nodesBefore } from './memory/rounds';
import { refuseReplacedData } from './agentArguments';
import type { ItemParameters } from './itemParameters';
import { readPresentation, type Presentation } from '../presentation';

interface CommonSettings {
  presentation: Presentation;
  concurrency: number;
  timeoutMs: number;
}

/** Everything that an operation works with during one execution. */
export interface OperationExecution extends CommonSettings {
  context: IExecuteFunctions;
  service: CallingService;
  /** The fingerprint of the account in use. */
  account: string;
  /** Aborted when a person cancels the execution. */
  cancelled: AbortSignal;
  /** Aborted when an item has failed and no other may begin. */
  stop: AbortController;
  memory: ExecutionMemory;
}

const CONCURRENCY = { min: 1, max: 1000, whole: true };
const TIMEOUT_SECONDS = { min: 1, max: 600 };

/** Reads the settings of all items; mistakes are noted in `parameters`. */
export function readCommonSettings(
  context: IExecuteFunctions,
  parameters: ItemParameters,
): CommonSettings {
  if (isTool(context)) refuseReplacedData(context, parameters);
  return {
    presentation: readPresentation(parameters, isTool(context)),
    concurrency: parameters.numberOption(concurrencyField, CONCURRENCY),
    timeoutMs: parameters.numberOption(requestTimeoutSeconds, TIMEOUT_SECONDS) * 1000,
  };
}

export function isTool(context: IExecuteFunctions): boolean {
  return context.getNode().type.endsWith('Tool');
}

/**
 * Names a scope of one execution in which nothing is done twice: each round of a loop, whose items
 * are others, but all requests of an AI agent, because n8n gives each try a new run.
 */
function scopeOf(context: IExecuteFunctions): string {
  if (isTool(context)) return 'tool';
  return `run ${context.getWorkflowDataProxy(0).$runIndex}`;
}

/** The index of the run that a scope of this node is for; none of an AI agent's. */
export function runOf(scope: string): number {
  return Number(scope.replace('run ', ''));
}

/** Whether a retry by hand has come to this node before, in any of its tries. */
function hasBegunBefore(context: IExecuteFunctions): boolean {
  if (context.getMode() !== 'retry') return false;
  const node = context.getWorkflowDataProxy(0).$(context.getNode().name) as IDataObject;
  return node.isExecuted === true;
}

/**
 * This node's memory of earlier tries; without an account while nothing is to be done. It stands beside
 * the memories of the other nodes: an error says whom the whole execution has called.
 */
export function memoryOf(context: IExecuteFunctions, account?: string): ExecutionMemory {
  const flow: IDataObject = context.getContext('flow');
  const nodes = (flow.outboundAiCalling ??= {}) as Record<string, IDataObject>;
  const own = (nodes[`node:${context.getNode().name}`] ??= {});
  return new ExecutionMemory(own, scopeOf(context), {
    account,
    executionId: context.getExecutionId(),
    nodes: Object.values(nodes),
    family: familyOf(context),
    node: `${context.getWorkflow().id} ${context.getNode().id}`,
    hasBegunBefore: hasBegunBefore(context),
    path: hashOf([...nodesBefore(context)].sort()),
  });
}

/**
 * An expression in the credential may give each item another account; all requests go to that of the first.
 *
 * @throws NodeOperationError when another item has another account
 */
async function refuseSeveralAccounts(
  context: IExecuteFunctions,
  first: ICredentialDataDecryptedObject,
): Promise<void> {
  const count = context.getInputData().length;
  const accountOf = async (item: number) =>
    await context.getCredentials('outboundAiCallingApi', item).then(accountFingerprint);
  const account = accountFingerprint(first);
  // Behind the last item an expression has no item to read. It finds the usual credential as it is.
  const ofNoItem = count < 2 ? account : await accountOf(count).catch(() => undefined);
  if (ofNoItem === account) return;
  for (let item = 1; item < count; item++) {
    if ((await accountOf(item)) === account) continue;
    const message = `The credential differs between the items: item ${item} does not have the account of item 0`;
    throw new NodeOperationError(context.getNode(), message, {
      description:
        'All requests of an execution go to one account. Run this node once for each account, e.g. in a loop.',
    });
  }
}

/**
 * Opens the credential and sets up the service for one execution. Shows a hint in the last days
 * before the n8n API key of the credential expires.
 *
 * @param seesThrough whether requests under way run to their end after a person cancels the
 * execution, so that their results are clear; no new one begins
 * @throws CallingServiceError when the credential cannot be used, or the execution was stopped before
 * @throws NodeOperationError when the credential differs between the items
 */
export async function openExecution(
  context: IExecuteFunctions,
  settings: CommonSettings,
  { seesThrough = false }: { seesThrough?: boolean } = {},
): Promise<OperationExecution> {
  const cancelled = context.getExecutionCancelSignal() ?? new AbortController().signal;
  // With Retry On Fail, n8n tries again after a person has stopped the execution, or its time was over.
  if (cancelled.aborted) {
    throw new CallingServiceError('cancelled', 'The execution was stopped before this try', {
      advice: 'This try has sent nothing.',
      mayHaveBeenProcessed: false,
    });
  }
  const credential = await context.getCredentials('outboundAiCallingApi', 0);
  await refuseSeveralAccounts(context, credential);
  const account = accountFingerprint(credential);
  const sending = seesThrough ? uncancelled(context) : context;
  const memory = memoryOf(context, account);
  const { maybePlaced, maybeDialling } = memory.setOff;
  const isInDoubt = maybePlaced + maybeDialling > 0;
  const service = CallingService.of(sending, credential, {
    ...settings,
    hasOptions: true,
    isInDoubt,
    signal: cancelled,
  });
  const warning = expiryWarning(credential, Date.now());
  if (warning !== undefined) tellHint(context, warning, 'warning');
  const stop = new AbortController();
  return { ...settings, context, service, account, cancelled, stop, memory };
}

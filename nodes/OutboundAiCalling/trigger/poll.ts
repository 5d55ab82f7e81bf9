import {
  NodeOperationError,
  type IDataObject,
  type INodeExecutionData,
  type IPollFunctions,
} from 'n8n-workflow';
import { readAccount } from '../service/account';
import { CallingService } from '../service/callingService';
import { sendThrough, type Send } from '../service/transport';
import { CallLog, type TableLocator } from '../callLog/callLog';
import { CallLogWatchlist } from './watch/callLogWatch';
import { InstanceWatchlist } from './watch/instanceWatch';
import { LogReaders } from './watch/logReaders';
import { OrderIdsWatchlist, readOrderIds } from './watch/orderIdsWatch';
import { pollTime, type PollTime } from './schedule';
import type { TriggerKey, Watchlist } from './watch/watch';
import { findExample } from './sample';
import { handOver } from './handOver';
import { Patrol, type PatrolReport } from './pollRun';
import { readSettings, type TriggerSettings } from './settings';
import { triggerError } from './triggerError';
import { takeTurn, type Turn } from './overlap';

/** What n8n gives a poll as a rule, also in versions that do not say so. */
const USUAL_BUDGET_MS = 5 * 60_000;
/** Publishing waits for its round no longer than this. */
const PUBLISHING_BUDGET_MS = 15_000;
const REQUESTS_AT_ONCE = 10;
const LONGEST_REQUEST_MS = 30_000;
const FIRST_PAUSE_MS = 500;

/** Lets no request outlast the poll. */
function endingAt(send: Send, endAt: number): Send {
  return async (request) => {
    const timeoutMs = Math.max(1, Math.min(request.timeoutMs, endAt - Date.now()));
    return await send({ ...request, timeoutMs });
  };
}

async function openService(
  context: IPollFunctions,
  { lookUntil, endAt }: PollTime,
): Promise<CallingService> {
  const credential = await context.getCredentials('outboundAiCallingApi');
  return new CallingService(
    readAccount(credential),
    endingAt(sendThrough(context, credential), endAt),
    {
      concurrency: REQUESTS_AT_ONCE,
      timeoutMs: LONGEST_REQUEST_MS,
      firstPauseMs: FIRST_PAUSE_MS,
      signal: AbortSignal.timeout(Math.max(1, lookUntil - Date.now())),
    },
  );
}

function keyOf(context: IPollFunctions): TriggerKey {
  const { id, name } = context.getNode();
  return `${context.getWorkflow().id}:${id || name}`;
}

/** The order ids of the panel. */
function orderIdsOf(context: IPollFunctions): number[] {
  const { orderIds, nonsense } = readOrderIds(context.getNodeParameter('orderIds', ''));
  if (orderIds.length > 0 && nonsense.length === 0) return orderIds;
  const told = nonsense.slice(0, 5).map((part) => `"${part}"`);
  const more = nonsense.length > told.length ? ` and ${nonsense.length - told.length} more` : '';
  const message =
    nonsense.length > 0 ? `Not an order ID: ${told.join(', ')}${more}` : 'There are no order IDs';
  throw new NodeOperationError(context.getNode(), message, {
    description:
      'Under "Order IDs", enter the whole numbers that the Outbound AI Calling node gives as orderId, separated by commas, spaces or new lines.',
  });
}

function tableOf(context: IPollFunctions): TableLocator {
  return context.getNodeParameter('callLogTable', {}) as TableLocator;
}

/** @param create whether a missing call log is made */
async function openWatchlist(
  context: IPollFunctions,
  settings: TriggerSettings,
  { lookUntil, create }: { lookUntil: number; create: boolean },
): Promise<Watchlist | undefined> {
  const trigger = keyOf(context);
  switch (settings.watch) {
    case 'instance': {
      const credentialId = context.getNode().credentials?.outboundAiCallingApi?.id ?? '';
      // The editor must not touch what production waits for.
      const staticData =
        context.getMode() === 'manual' ? {} : context.getWorkflowStaticData('node');
      return new InstanceWatchlist({ trigger, credentialId, staticData, ...settings });
    }
    case 'orderIds': {
      const orderIds = orderIdsOf(context);
      return context.getMode() === 'manual'
        ? new OrderIdsWatchlist(undefined, orderIds, {})
        : new OrderIdsWatchlist(trigger, orderIds, context.getWorkflowStaticData('node'));
    }
    case 'callLog': {
      const log = await CallLog.open(context, tableOf(context), { create });
      const watchlist = new CallLogWatchlist(log, trigger, lookUntil);
      // A trigger that only the editor runs reads no row to its end.
      if (context.getMode() === 'manual') return watchlist;
      // After a restart, every trigger that reads the log has to be known before a row is done with.
      return LogReaders.of(log.tableId).register(trigger) ? watchlist : undefined;
    }
  }
}

async function example(context: IPollFunctions): Promise<IDataObject> {
  const settings = readSettings(context);
  const time = pollTime(Date.now(), 60_000);
  const service = await openService(context, time);
  const watchlist = await openWatchlist(context, settings, { ...time, create: true });
  if (watchlist === undefined) throw new Error('The editor always gets a watchlist');
  return await findExample(context.getNode(), service, watchlist, settings);
}

async function patrol(
  context: IPollFunctions,
  turn: Turn,
  budgetMs: number,
): Promise<PatrolReport | undefined> {
  const settings = readSettings(context);
  const time = pollTime(Date.now(), turn.isPublishing ? PUBLISHING_BUDGET_MS : budgetMs);
  const service = await openService(context, time);
  const watchlist = await openWatchlist(context, settings, {
    ...time,
    create: turn.isPublishing,
  });
  if (watchlist === undefined) return undefined;
  return await new Patrol({
    service,
    watchlist,
    settings,
    lookUntil: time.lookUntil,
    oneRound: turn.isPublishing,
    handOver: async (items) => await handOver(context, items),
    isSuperseded: turn.isSuperseded,
  }).run();
}

/**
 * One poll. What it finds is handed over while it runs, so it gives n8n nothing at its end; in the
 * editor it gives one example.
 *
 * @throws NodeApiError or NodeOperationError for what a person has to mend
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const fail = (failure: unknown): never => {
    throw triggerError(context.getNode(), failure);
  };
  if (context.getMode() === 'manual') {
    return [[{ json: await example(context).catch(fail) }]];
  }
  // Versions of n8n before the durable scheduler do not know budgets.
  const budgetMs = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? USUAL_BUDGET_MS;
  const turn = takeTurn(keyOf(context), context, budgetMs < USUAL_BUDGET_MS);
  if (turn === undefined) return null;
  const report = await patrol(context, turn, budgetMs)
    .catch(fail)
    .finally(() => turn.end());
  if (report === undefined) return null;
  if (report.hopeless !== undefined) return fail(report.hopeless);
  if (report.oddAnswer !== undefined && report.looks === 0) return fail(report.oddAnswer);
  if (report.failed > 0) {
    const { failed, lastError = '' } = report;
    context.logger.warn(
      `${failed} looks for outcomes failed: ${lastError}. The next poll tries again.`,
    );
  }
  return null;
}
